//! Faults on request: each has the effect that its name says, and a seed hits the same requests
//! again.

use std::sync::Arc;

use serde_json::Value;

use super::week;
use crate::{
    API_KEY, Fault, FaultOptions, RunningSandbox, ServeOptions, World, WorldOptions,
    serve_with_faults,
};

const CANARY: &str = "http://127.0.0.1:9";
const PAGE: &str = "/v1/authorizations?date=2026-11-03&limit=5";

async fn start(faults: &[Fault], percent: u32, seed: u64) -> RunningSandbox {
    let world = WorldOptions { merchants: 2, transactions_per_day: 20, ..week(4) };
    let options = ServeOptions::default();
    let faults = FaultOptions {
        faults: faults.to_vec(),
        seed,
        percent,
        canary: CANARY.to_owned(),
        wait_seconds: 0,
    };
    let world = Arc::new(World::generate(&world).unwrap().0);
    serve_with_faults(world, options, Some(faults)).await.unwrap()
}

/// Status, location and body; status 0 for an answer that never came or broke off.
async fn get(sandbox: &RunningSandbox, token: &str, path: &str) -> (u16, String, String) {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .unwrap();
    let request = client.get(format!("{}{path}", sandbox.base_url())).bearer_auth(token);
    let Ok(answer) = request.send().await else { return (0, String::new(), String::new()) };
    let location = answer.headers().get("location").map(|value| value.to_str().unwrap().to_owned());
    let status = answer.status().as_u16();
    match answer.text().await {
        Ok(body) => (status, location.unwrap_or_default(), body),
        Err(_) => (0, String::new(), String::new()),
    }
}

async fn token(sandbox: &RunningSandbox) -> String {
    let client = reqwest::Client::new();
    // Transient faults hit here as well, at most three times in a row.
    for _ in 0..4 {
        let request = client.post(format!("{}/authorize", sandbox.base_url()));
        let Ok(answer) = request.header("x-api-key", API_KEY).send().await else { continue };
        let Ok(body) = answer.text().await else { continue };
        let token = serde_json::from_str(&body).ok();
        let token = token.and_then(|body: Value| Some(body["access_token"].as_str()?.to_owned()));
        if let Some(token) = token {
            return token;
        }
    }
    panic!("no token")
}

#[tokio::test]
async fn lets_a_request_through_after_three_failures_in_a_row() {
    use Fault::{CutBody, MalformedJson, Reset, ServerError, TooManyRequests};
    for fault in [ServerError, TooManyRequests, Reset, CutBody, MalformedJson] {
        let sandbox = start(&[fault], 100, 7).await;
        let token = token(&sandbox).await;
        for attempt in 1..=8 {
            let (status, _, body) = get(&sandbox, &token, PAGE).await;
            let is_good = status == 200 && serde_json::from_str::<Value>(&body).is_ok();
            assert_eq!(is_good, attempt % 4 == 0, "{fault:?}, attempt {attempt}: {status}");
        }
    }
}

#[tokio::test]
async fn spoils_a_page_in_the_way_that_the_fault_is_called() {
    let looks_wrong = |fault: Fault, status: u16, location: &str, body: &str| {
        let page: Value = serde_json::from_str(body).unwrap_or_default();
        let data = page["data"].as_array().cloned().unwrap_or_default();
        let count = page["count"].as_u64().unwrap_or_default();
        let is_counted = usize::try_from(count).unwrap() == data.len();
        let ids: Vec<&Value> = data.iter().map(|record| &record["authorizationId"]).collect();
        let is_twice = (1..ids.len()).any(|index| ids[..index].contains(&ids[index]));
        let links = page["links"].to_string();
        match fault {
            Fault::ForeignLinks => links.contains(CANARY) && is_counted,
            Fault::MisspeltLinks => links.contains("/v1//") && links.contains("&&"),
            Fault::OddMethods => !links.contains("\"method\":\"get\""),
            Fault::DuplicateRecords | Fault::TwoContents => is_twice && is_counted,
            Fault::MissingNext => page["hasMore"] == true && !links.contains("next"),
            Fault::WrongCount => !is_counted,
            Fault::OversizedBody => body.len() > 20 * 1024 * 1024 && is_counted,
            Fault::ForeignRedirect => (301..=308).contains(&status) && location.starts_with(CANARY),
            Fault::Outage => status == 503,
            Fault::Forbidden => [400, 403, 404].contains(&status),
            _ => false,
        }
    };
    for fault in Fault::ALL {
        let sandbox = start(&[fault], 100, 7).await;
        let token = token(&sandbox).await;
        let (status, location, body) = get(&sandbox, &token, PAGE).await;
        let again = get(&sandbox, &token, PAGE).await;
        if looks_wrong(fault, status, &location, &body) {
            // A persistent fault is the same for every sending.
            assert_eq!(again, (status, location, body), "{fault:?}");
        } else {
            let others = [
                Fault::ServerError,
                Fault::TooManyRequests,
                Fault::Reset,
                Fault::SlowBody,
                Fault::CutBody,
                Fault::MalformedJson,
                Fault::RevokedToken,
                Fault::ShortToken,
                Fault::OddContentType,
                Fault::RepeatedCursor,
                Fault::WrongTypes,
                Fault::ChangedRecord,
                Fault::LateRecord,
                Fault::VanishingRecord,
            ];
            assert!(others.contains(&fault), "{fault:?}: {status} {location} {body:.300}");
        }
    }
}

#[tokio::test]
async fn shows_a_record_otherwise_in_the_first_reading_only() {
    for fault in [Fault::ChangedRecord, Fault::LateRecord, Fault::VanishingRecord] {
        let sandbox = start(&[fault], 100, 7).await;
        let token = token(&sandbox).await;
        let first = get(&sandbox, &token, PAGE).await;
        let second = get(&sandbox, &token, PAGE).await;
        assert_ne!(first, second, "{fault:?}");
        assert_eq!(second, get(&sandbox, &token, PAGE).await, "{fault:?}");
    }
}

#[tokio::test]
async fn takes_tokens_back_after_a_few_requests() {
    let sandbox = start(&[Fault::ShortToken], 100, 7).await;
    for _ in 0..3 {
        let token = token(&sandbox).await;
        let mut statuses = Vec::new();
        for _ in 0..20 {
            statuses.push(get(&sandbox, &token, PAGE).await.0);
        }
        let good = statuses.iter().take_while(|status| **status == 200).count();
        assert!((5..=12).contains(&good), "{statuses:?}");
        assert!(statuses[good..].iter().all(|status| *status == 401), "{statuses:?}");
    }
}

#[tokio::test]
async fn strikes_the_same_requests_for_the_same_seed_in_any_order() {
    let faults = [Fault::Outage, Fault::WrongCount, Fault::MissingNext, Fault::TwoContents];
    let paths: Vec<String> = (2..=8)
        .flat_map(|day| {
            ["batches", "authorizations", "ach-deposits"]
                .map(|resource| format!("/v1/{resource}?date=2026-11-0{day}&limit=3"))
        })
        .collect();
    let mut nights = Vec::new();
    for (seed, is_reversed) in [(1, false), (1, true), (2, false)] {
        let sandbox = start(&faults, 30, seed).await;
        let token = token(&sandbox).await;
        let mut order = paths.clone();
        if is_reversed {
            order.reverse();
        }
        let mut answers = std::collections::BTreeMap::new();
        for path in order {
            let answer = get(&sandbox, &token, &path).await;
            answers.insert(path, answer);
        }
        nights.push(answers);
    }
    assert_eq!(nights[0], nights[1]);
    assert_ne!(nights[0], nights[2]);
}
