//! Measures reading and storing a night's authorizations, including evidence, without network,
//! checks and reports. Run by hand, in a release build: `cargo test --release --lib -- --ignored
//! --nocapture measures_what`.

use std::time::{Duration, Instant};

use crate::api::pages;
use tieout_model::{Listing, Resource, Selector};
use tieout_store::{Freshness, PageContent, PageNumber, Store, Writer, sessions};

/// Tick of the kernel's clock, in which `/proc` counts.
const TICK: Duration = Duration::from_millis(10);

/// Five pages of a hundred authorizations: 200 batches in all.
const PAGES_PER_BATCH: u64 = 5;

/// Authorizations of the size that the API sends, 100 to a page.
fn page(number: u64) -> String {
    let record = |index: u64| {
        let id = number * 100 + index;
        let batch = number / PAGES_PER_BATCH;
        format!(
            r#"{{"authorizationId":{id},"createdDate":"2026-03-15","lastModifiedDate":"2026-03-16","authorizationResponse":"approved","preauthorizationRequestAmount":{amount},"currency":"USD","batch":{{"batchId":{batch},"date":"2026-03-16","cycle":"am","link":{{"rel":"batch","method":"get","href":"https://api.example.com/v1/batches/{batch}"}}}},"card":{{"cardNumber":"411773******2045","type":"visa","cvvPresenceIndicator":true,"avsRequest":true,"avsResponse":"Y"}},"merchant":{{"merchantId":"7300419926","doingBusinessAs":"Harbor Lane Books","processingAccountId":51877,"link":{{"rel":"processingAccount","method":"get","href":"https://api.example.com/v1/processing-accounts/51877"}}}},"transaction":{{"transactionId":{id},"type":"capture","date":"2026-03-15","entryMethod":"contactlessChip","amount":{amount},"link":{{"rel":"transaction","method":"get","href":"https://api.example.com/v1/transactions/{id}"}}}}}}"#,
            amount = 100 + id % 90_000,
        )
    };
    let records: Vec<_> = (0..100).map(record).collect();
    format!(
        r#"{{"limit":100,"count":100,"hasMore":false,"links":[],"data":[{}]}}"#,
        records.join(",")
    )
}

/// Processor time of all threads so far; `None` on other systems than Linux.
fn processor() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may contain anything; the state follows it.
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    Some(TICK * (ticks()? + ticks()?))
}

#[tokio::test]
#[ignore = "a measurement, for release builds"]
async fn measures_what_a_hundred_thousand_authorizations_cost() {
    let date = "2026-03-16".parse().unwrap();
    let listing = Listing::new(Resource::Authorizations, Selector::Date(date));
    let bodies: Vec<_> = (0..1_000).map(page).collect();
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tieout.db");
        let session = sessions::begin(
            &mut Store::open(&path).unwrap(),
            date,
            "2026-03-17T00:00:00Z".parse().unwrap(),
        )
        .unwrap();
        let (started, began) = (Instant::now(), processor());
        let (writer, thread) = Writer::start(&path).unwrap();
        let freshness = Freshness::ThisSession;
        let reading = writer.begin(&listing, session.number, freshness).await.unwrap().unwrap();
        let mut records = 0;
        for (number, body) in (1..).zip(&bodies) {
            let (content, evidence) =
                pages::read_and_keep(&listing, number, body.as_bytes()).unwrap();
            records += content.records.len() as u64;
            let content = PageContent {
                number: PageNumber::first_part(number),
                after: (number > 1).then(|| number.to_string()),
                next: (number < 1_000).then(|| (number + 1).to_string()),
                records: content.records,
                fault: None,
                received_bytes: body.len() as u64,
            };
            writer.page(&reading, content, evidence).await.unwrap();
        }
        assert_eq!(writer.end(&reading, records, None).await.unwrap(), None);
        writer.settle().await.unwrap();
        drop(writer);
        thread.join().unwrap();
        let processor = processor().zip(began).map(|(now, began)| now.saturating_sub(began));
        println!("{records} records: {:?}, processor {processor:?}", started.elapsed());
    }
}
