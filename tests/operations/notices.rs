//! Every configured receiver gets a notice of every run, also of a failed one, and a receiver that
//! fails changes nothing.

use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::harness::{Ended, Served, clean, gateway};

#[test]
fn tells_of_runs_that_ended_and_of_runs_that_failed() {
    let served = Served::new(&clean(71, "2026-11-03", "2026-11-03", 2, 40));
    let receiver =
        gateway::start(&served.runtime, None, Box::new(|_| Some((200, "{}".to_owned()))));
    let site = served.site();
    let run = |base: Option<&str>| {
        let mut command = site.command(&["run", "--date", "2026-11-03"]);
        command
            .env("TIEOUT_NOTIFY__WEBHOOK_URL", format!("{}/webhook", receiver.base))
            .env("TIEOUT_NOTIFY__HEARTBEAT_URL", format!("{}/heartbeat", receiver.base))
            .env("TIEOUT_NOTIFY__METRICS_FILE", "tieout.prom")
            .env("TIEOUT_API__MAX_ATTEMPTS", "1");
        if let Some(base) = base {
            command.env("TIEOUT_API__BASE_URL", base);
        }
        Ended::from(command.output().unwrap())
    };
    run(None).expect(0);
    let metrics = || std::fs::read_to_string(site.path().join("tieout.prom")).unwrap();
    assert!(metrics().contains("tieout_last_run_exit_code 0"));
    let succeeded = line(&metrics(), "tieout_last_success_timestamp_seconds");
    run(Some("http://127.0.0.1:1/v1")).expect(1);
    assert!(metrics().contains("tieout_last_run_exit_code 1"));
    assert_eq!(line(&metrics(), "tieout_last_success_timestamp_seconds"), succeeded);
    let paths: Vec<String> = receiver.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(paths, ["/webhook", "/heartbeat", "/webhook"]);
}

/// An address that takes JSON, and the messages that it received.
fn receiver(served: &Served) -> (String, Arc<Mutex<Vec<Value>>>) {
    let seen = Arc::default();
    let kept: Arc<Mutex<Vec<Value>>> = Arc::clone(&seen);
    let router = axum::Router::new().fallback(move |body: axum::body::Bytes| {
        kept.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
        async { "" }
    });
    let address = served.runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        address
    });
    (format!("http://{address}/webhook"), seen)
}

/// The content that a reader of the notice alone needs.
#[test]
fn links_the_page_and_says_what_is_new_and_what_it_comes_to() {
    let mut options = clean(73, "2026-11-03", "2026-11-04", 4, 60);
    options.plants = vec!["DEPOSIT_NET_MISMATCH".to_owned()];
    let served = Served::new(&options);
    let (url, seen) = receiver(&served);
    let site = served.site();
    let mut command = site.command(&["run", "--date", "2026-11-03..2026-11-04"]);
    command
        .env("TIEOUT_NOTIFY__WEBHOOK_URL", url)
        .env("TIEOUT_NOTIFY__REPORTS_URL", "https://reports.example.com/tieout/")
        .env("TIEOUT_NOTIFY__NEW_ERRORS", "each");
    Ended::from(command.output().unwrap()).expect(0);
    let bodies = seen.lock().unwrap();
    assert_eq!(bodies.len(), 2, "the run, and one new error");
    let dates = bodies[0]["dates"].as_array().unwrap();
    let date = dates.iter().find(|date| date["new_errors"] != Value::Array(vec![])).unwrap();
    let day = date["business_date"].as_str().unwrap();
    assert_eq!(
        date["page"],
        format!("https://reports.example.com/tieout/{day}/report.html"),
        "{date}"
    );
    assert!(site.reports().join(day).join("report.html").exists());
    let error = &date["new_errors"][0];
    assert_eq!(error["code"], "DEPOSIT_NET_MISMATCH");
    let currency = error["currency"].as_str().unwrap();
    let difference = error["difference"].as_str().unwrap();
    let direction = if difference.starts_with('-') { "short" } else { "over" };
    let amount = difference.trim_start_matches('-');
    assert_eq!(date[direction][currency], amount, "{date}");
    assert_eq!(date["new_money"][currency], amount, "{date}");
    assert_eq!(bodies[1]["outcome"], "new_error");
    assert_eq!(bodies[1]["discrepancy_id"], error["discrepancy_id"]);
    assert_eq!(bodies[1]["page"], date["page"]);
}

fn line(text: &str, name: &str) -> String {
    text.lines().find(|line| line.starts_with(name)).unwrap().to_owned()
}

#[test]
fn a_receiver_that_fails_never_fails_the_run() {
    let served = Served::new(&clean(72, "2026-11-03", "2026-11-03", 2, 40));
    let receiver = gateway::start(&served.runtime, None, Box::new(|_| Some((500, String::new()))));
    let site = served.site();
    let mut command = site.command(&["run", "--date", "2026-11-03", "--json"]);
    command
        .env("TIEOUT_NOTIFY__WEBHOOK_URL", format!("{}/secret-path", receiver.base))
        .env("TIEOUT_NOTIFY__METRICS_FILE", "no/such/folder/tieout.prom");
    let ended = Ended::from(command.output().unwrap()).expect(0);
    assert!(ended.stderr.contains("the webhook was not delivered"), "{}", ended.stderr);
    assert!(ended.stderr.contains("the metrics file"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("secret-path"), "{}", ended.stderr);
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(summary["summaries"][0]["business_date"], "2026-11-03");
    assert_eq!((&summary["outcome"], &summary["exit_code"]), (&"done".into(), &0.into()));
    assert_eq!(summary["dates"][0]["business_date"], "2026-11-03");
}
