//! How fast pages are converted and scrubbed. Run by hand, in a release build:
//! `cargo test --release --lib -- --ignored --nocapture measures_the_speed`.

use std::time::Instant;

use crate::api::{evidence, wire};
use crate::model::{Listing, Resource, Selector};

/// Authorizations of the size that the API sends, 100 to a page.
fn page(number: u64) -> String {
    let record = |index: u64| {
        let id = number * 100 + index;
        format!(
            r#"{{"authorizationId":{id},"createdDate":"2026-03-15","lastModifiedDate":"2026-03-16","authorizationResponse":"approved","preauthorizationRequestAmount":{amount},"currency":"USD","batch":{{"batchId":{number},"date":"2026-03-16","cycle":"am","link":{{"rel":"batch","method":"get","href":"https://api.example.com/v1/batches/{number}"}}}},"card":{{"cardNumber":"411773******2045","type":"visa","cvvPresenceIndicator":true,"avsRequest":true,"avsResponse":"Y"}},"merchant":{{"merchantId":"7300419926","doingBusinessAs":"Harbor Lane Books","processingAccountId":51877,"link":{{"rel":"processingAccount","method":"get","href":"https://api.example.com/v1/processing-accounts/51877"}}}},"transaction":{{"transactionId":{id},"type":"capture","date":"2026-03-15","entryMethod":"contactlessChip","amount":{amount},"link":{{"rel":"transaction","method":"get","href":"https://api.example.com/v1/transactions/{id}"}}}}}}"#,
            amount = 100 + id % 90_000,
        )
    };
    let records: Vec<_> = (0..100).map(record).collect();
    format!(
        r#"{{"limit":100,"count":100,"hasMore":false,"links":[],"data":[{}]}}"#,
        records.join(",")
    )
}

#[test]
#[ignore = "a measurement, for release builds"]
fn measures_the_speed_of_a_hundred_thousand_authorizations() {
    let listing =
        Listing::new(Resource::Authorizations, Selector::Date("2026-03-16".parse().unwrap()));
    let pages: Vec<_> = (0..1_000).map(page).collect();
    let bytes: usize = pages.iter().map(String::len).sum();
    for _ in 0..3 {
        let started = Instant::now();
        let records: usize = pages
            .iter()
            .map(|page| wire::read(&listing, 1, page.as_bytes()).unwrap().records.len())
            .sum();
        let converted = started.elapsed();
        let started = Instant::now();
        let kept: usize = pages
            .iter()
            .map(|page| evidence::scrub(&listing, page.as_bytes()).unwrap().len())
            .sum();
        let scrubbed = started.elapsed();
        println!(
            "{records} records, {bytes} bytes: converted {converted:?}, scrubbed {scrubbed:?} ({kept} kept)"
        );
    }
}
