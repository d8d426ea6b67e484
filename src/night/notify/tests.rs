//! Notices over real HTTP to a receiver on loopback that refuses as many as a test asks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use chrono::{DateTime, Utc};

use super::delivery::{Courier, signature};
use super::*;
use crate::exit::Exit;
use tieout_config::Secret;
use tieout_report::terminal::DiscrepancyLine;
use tieout_report::{OpenCounts, Owed};

/// The requests that a receiver got.
type Seen = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// A receiver that answers with these statuses in turn, then with 204.
async fn receiver(statuses: Vec<u16>) -> (String, Seen) {
    let seen = Seen::default();
    let (kept, left) = (seen.clone(), Arc::new(Mutex::new(statuses)));
    let router = Router::new().fallback(move |headers: HeaderMap, body: Bytes| {
        kept.lock().unwrap().push((headers, body));
        let mut left = left.lock().unwrap();
        let status = if left.is_empty() { 204 } else { left.remove(0) };
        async move { StatusCode::from_u16(status).unwrap() }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook/very-secret-path", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, seen)
}

fn moment(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn notice(exit: Exit) -> Notice {
    let mut notice =
        Notice::new(exit, moment("2026-11-21T05:30:00Z"), moment("2026-11-21T05:30:12.345Z"));
    notice.requests = 99;
    notice.dates = vec![
        DateNotice {
            discrepancies: vec![CodeCount {
                code: "DEPOSIT_NET_MISMATCH".to_owned(),
                severity: "error",
                new: 1,
                open: 2,
            }],
            money_at_risk: BTreeMap::from([("USD".to_owned(), "12.00".to_owned())]),
            new_money: BTreeMap::from([("USD".to_owned(), "5.00".to_owned())]),
            short: BTreeMap::from([("USD".to_owned(), "1205.00".to_owned())]),
            owed: vec![Owed {
                name: "Short",
                all: BTreeMap::from([("USD".to_owned(), "1205.00".to_owned())]),
                new: BTreeMap::from([("USD".to_owned(), "5.00".to_owned())]),
            }],
            own_verdict: "discrepancy",
            open: OpenCounts { new: 1, carried: 2, ..OpenCounts::default() },
            new_errors: vec![DiscrepancyLine {
                discrepancy_id: "d1".to_owned(),
                code: "DEPOSIT_NET_MISMATCH".to_owned(),
                severity: "error",
                status: "new",
                merchant_id: "4525644354".into(),
                currency: Some("USD".to_owned()),
                difference: Some("-5.00".to_owned()),
                age_days: 0,
                explanation: "Deposit 99 paid 365.00 USD net, <not> 370.00.".to_owned(),
                action: "Ask the processor.".to_owned(),
                merchant_name: String::new(),
                assigned: String::new(),
            }],
            page: Some("https://reports.example.com/2026-11-20/report.html".to_owned()),
            records: 1234,
            error: None,
            verdict: "discrepancy",
            ..DateNotice::failed("2026-11-20".parse().unwrap(), String::new())
        },
        DateNotice::failed("2026-11-21".parse().unwrap(), "a <disk> & no room".to_owned()),
    ];
    notice.titled()
}

#[tokio::test]
async fn asks_again_where_that_helps_and_nowhere_else() {
    for (statuses, is_delivered, requests) in [
        (vec![], true, 1),
        (vec![500, 429, 408], true, 4),
        (vec![503, 503, 503, 503], false, 4),
        (vec![404], false, 1),
        (vec![302], false, 1),
    ] {
        let (url, seen) = receiver(statuses.clone()).await;
        let delivered = Courier::hasty().post(&url, b"{}".to_vec(), None).await;
        assert_eq!(delivered.is_ok(), is_delivered, "{statuses:?}");
        assert_eq!(seen.lock().unwrap().len(), requests, "{statuses:?}");
        if let Err(error) = delivered {
            assert!(!error.to_string().contains("very-secret-path"), "{error}");
        }
    }
}

#[tokio::test]
async fn signs_what_the_receiver_gets() {
    let folder = tempfile::tempdir().unwrap();
    let secret_file = folder.path().join("secret");
    std::io::Write::write_all(&mut std::fs::File::create(&secret_file).unwrap(), b"s3cret\n")
        .unwrap();
    let (url, seen) = receiver(vec![]).await;
    let settings = NotifySettings {
        webhook_url: Some(url.clone()),
        webhook_secret_file: Some(secret_file),
        heartbeat_url: Some(url),
        ..NotifySettings::default()
    };
    tell(&settings, &notice(Exit::Partial)).await;
    let seen = seen.lock().unwrap();
    let (headers, body) = &seen[0];
    let expected = signature(&Secret::new("s3cret".to_owned()), body);
    assert_eq!(headers[SIGNATURE_HEADER], expected.as_str());
    let json: serde_json::Value = serde_json::from_slice(body).unwrap();
    assert_eq!(json["outcome"], "partial");
    assert_eq!(json["exit_code"], 4);
    assert_eq!(json["dates"][0]["money_at_risk"]["USD"], "12.00");
    assert_eq!(json["dates"][1]["verdict"], "failed");
    assert_eq!(seen.len(), 2, "the heartbeat follows");
    assert!(seen[1].1.is_empty());
}

#[tokio::test]
async fn tells_each_new_error_where_that_is_wanted() {
    let (url, seen) = receiver(vec![]).await;
    for (webhook_format, tells_each_error) in
        [(WebhookFormat::Json, false), (WebhookFormat::Json, true), (WebhookFormat::Slack, true)]
    {
        let settings = NotifySettings {
            webhook_url: Some(url.clone()),
            webhook_format,
            tells_each_error,
            ..NotifySettings::default()
        };
        tell(&settings, &notice(Exit::Discrepancies)).await;
    }
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1 + 2 + 2);
    let json = |at: usize| serde_json::from_slice::<serde_json::Value>(&seen[at].1).unwrap();
    assert_eq!(json(1)["outcome"], "discrepancies");
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(2)).unwrap());
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(4)).unwrap());
}

#[test]
fn the_first_line_says_what_is_newly_missing() {
    let title = |exit, change: fn(&mut DateNotice)| {
        let mut notice = notice(exit);
        change(&mut notice.dates[0]);
        notice.titled().title
    };
    for (exit, change, expected) in [
        (Exit::Done, (|_| ()) as fn(&mut DateNotice), "tieout: Short new: 5.00 USD (2026-11-20)"),
        (Exit::Partial, |_| (), "tieout: done in part; Short new: 5.00 USD (2026-11-20)"),
        (Exit::Done, |date| date.owed.clear(), "tieout: 1 finding new (2026-11-20)"),
        (
            Exit::Done,
            |date| {
                date.owed[0].name = "Accepted";
                date.open.new = 0;
            },
            "tieout: nothing new",
        ),
        (Exit::Refused, |_| (), "tieout: settlement run refused by the API"),
    ] {
        assert_eq!(title(exit, change), expected);
    }
}

#[test]
fn counts_the_new_errors_that_a_message_does_not_list() {
    let mut notice = notice(Exit::Discrepancies);
    let date = &mut notice.dates[0];
    date.discrepancies[0].new = 30;
    date.new_errors = vec![date.new_errors[0].clone(); MAX_NEW_ERRORS];
    let message = slack::payload(&notice).to_string();
    assert_eq!(message.matches("• new: ").count(), 5, "{message}");
    assert!(message.contains("• and 25 more"), "{message}");
}

#[test]
fn signs_as_rfc_4231_says() {
    let found = signature(&Secret::new("Jefe".to_owned()), b"what do ya want for nothing?");
    assert_eq!(found, "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

#[tokio::test]
async fn a_failed_run_tells_the_webhook_and_lets_the_heartbeat_stay_out() {
    let (url, seen) = receiver(vec![]).await;
    let settings = NotifySettings {
        webhook_url: Some(format!("{url}/webhook")),
        webhook_format: WebhookFormat::Slack,
        heartbeat_url: Some(format!("{url}/heartbeat")),
        ..NotifySettings::default()
    };
    tell(&settings, &notice(Exit::Failed)).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    let json: serde_json::Value = serde_json::from_slice(&seen[0].1).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn keeps_the_last_success_when_a_run_fails() {
    let first = metrics_text(&notice(Exit::Discrepancies), "");
    insta::assert_snapshot!(first);
    let mut failed =
        Notice::new(Exit::Refused, moment("2026-11-22T05:30:00Z"), moment("2026-11-22T05:30:01Z"));
    failed.error = Some("the api key was refused".to_owned());
    let second = metrics_text(&failed, &first);
    let value = |text: &str, metric: &str| {
        text.lines().find(|line| line.starts_with(metric)).map(str::to_owned)
    };
    for metric in ["tieout_last_success", "tieout_discrepancies", "tieout_money_at_risk"] {
        assert!(value(&first, metric).is_some(), "{metric}");
        assert_eq!(value(&first, metric), value(&second, metric));
    }
    assert_eq!(value(&second, "tieout_last_run_exit_code").unwrap(), "tieout_last_run_exit_code 5");
    assert_eq!(metrics_text(&failed, &second), second);
}

#[cfg(unix)]
#[tokio::test]
async fn other_users_may_read_the_metrics_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tieout.prom");
    let settings = NotifySettings { metrics_file: Some(path.clone()), ..NotifySettings::default() };
    tell(&settings, &notice(Exit::Done)).await;
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    assert!(std::fs::read_to_string(&path).unwrap().contains("tieout_last_run_exit_code 0"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
