//! Whoever is configured is told of every run, also of one that failed, and a receiver that
//! fails changes nothing.

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
    assert_eq!(summary[0]["business_date"], "2026-11-03");
}
