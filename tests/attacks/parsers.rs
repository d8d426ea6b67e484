//! Every parser of foreign files, driven by the targets of the fuzzer: with samples that are
//! damaged at random, and with random bytes. `PROPTEST_CASES=10000` for more.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};

#[path = "../../fuzz/targets.rs"]
mod targets;

/// Cases of each parser, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 48;

/// Separators of fields, records and values in the various formats.
const MARKS: &[u8] = b"\"'\n\r\t,;:|/<>&=-+.{}[]()09aZ \x00\x1a\x1f\x8b\xc3\xff";

/// The place, kind, byte and length of a damage.
type Damage = (Index, u8, u8, usize);

fn damaged(sample: &[u8], damages: &[Damage]) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for (place, kind, mark, length) in damages {
        let at = place.index(bytes.len() + 1);
        let end = (at + length).min(bytes.len());
        match kind {
            0 => bytes.insert(at, *mark),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at),
            3 => bytes[at..end].fill(*mark),
            // The piece once more, at its own place or at the end.
            4 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            _ => bytes.extend_from_within(at..end),
        }
    }
    bytes
}

/// Drives a parser with its samples as they are, and with `CASES` damaged variants.
fn drive(target: fn(&[u8]), samples: Vec<Vec<u8>>) {
    for sample in &samples {
        target(sample);
    }
    let is_told = std::env::var_os("PROPTEST_CASES").is_some();
    let mut config = Config::default();
    config.cases = if is_told { config.cases } else { CASES };
    config.source_file = Some(file!());
    let mark = select(MARKS).boxed();
    let damages = vec((any::<Index>(), 0..6_u8, mark.clone(), 1..40_usize), 1..5);
    let spoiled =
        (select(samples), damages).prop_map(|(sample, damages)| damaged(&sample, &damages));
    let bytes = prop_oneof![
        6 => spoiled,
        1 => vec(mark, 0..200),
        1 => vec(any::<u8>(), 0..600),
    ];
    TestRunner::new(config)
        .run(&bytes, |bytes| {
            target(&bytes);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn statements_are_read_or_refused() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/corpus");
    let mut files: Vec<_> =
        std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    drive(targets::statement, files.iter().map(|file| std::fs::read(file).unwrap()).collect());
}

#[test]
fn ledgers_are_read_or_refused() {
    let samples = [
        "Name,Created at,Total,Currency,Financial Status\n#1001,2026-11-12 22:05:00 -0500,70.50,usd,paid\n",
        "id;date;amount\n1;12.11.2026;\"1.070,50\"\n2;13.11.2026;-5,00\nTotal;;1.065,50\n",
        "date\tamount\treference\n2026-11-12\t70.50\t\"two\nlines\"\n",
    ];
    let samples = texts(&samples);
    drive(targets::ledger, samples);
}

#[test]
fn pages_are_read_or_refused() {
    let records = [
        r#"{"achDepositId":5,"associationDate":"2026-11-18","paymentDate":"2026-11-20","transactions":3,"sales":10000,"returns":-0,"dailyFees":12,"netAmount":9988,"merchant":{"merchantId":"4525434572"}}"#,
        r#"{"batchId":11,"date":"2026-11-18","saleAmount":1,"returnAmount":0,"transactionCount":1,"currency":"USD","new":{"deep":[1,2.5e3,{"x":"y"}]}}"#,
        r#"{"authorizationId":900001,"authorizationResponse":"approved","currency":"USD","batch":{"batchId":11},"card":{"cardNumber":"411773******2045","type":"visa"},"transaction":{"transactionId":77,"type":"capture","date":"2026-11-18","amount":4080}}"#,
        r#"{"paymentId":"T7WQ2LKD90","order":{"orderId":"HLB-42","amount":4080,"currency":"USD"},"customer":{"name":"Noor"},"bankAccount":{"accountNumber":"1234563307"},"returns":[{"paymentId":"R1","date":"2026-03-20"}]}"#,
    ];
    // The first byte chooses the listing.
    let samples = records.iter().flat_map(|record| {
        (0..12_u8).map(move |listing| {
            let body =
                format!(r#"{{"limit":9,"count":1,"hasMore":false,"links":[],"data":[{record}]}}"#);
            [&[listing], body.as_bytes()].concat()
        })
    });
    drive(targets::page, samples.collect());
}

#[test]
fn configurations_are_read_or_refused() {
    drive(
        targets::configuration,
        texts(&[
            "time_zone = \"America/New_York\"\n[api]\nbase_url = \"http://127.0.0.1:1/v1\"\n\
             auth_url = \"http://127.0.0.1:1\"\npage_size = 100\n[schedule]\ncron = \"0 30 5 * * *\"\n",
            "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nchecks = { FUNDS_HELD = \"off\" }\n\
             [journal.accounts]\ncash = \"1010 Bank\"\n[reports]\nformats = [\"csv\"]\n",
        ]),
    );
}

#[test]
fn dates_are_read_or_refused() {
    let samples = [
        "2026-11-20",
        "2026-11",
        "2026-11-01..2026-11-20",
        "-7d..yesterday",
        "today",
        "2026-11-01,2026-11-03",
    ];
    drive(targets::business_dates, texts(&samples));
}

#[test]
fn manifests_and_keys_are_read_or_refused() {
    let mut record = tieout_model::RunRecord::default();
    record.warnings.push("a warning".to_owned());
    let record = serde_json::to_vec_pretty(&record).unwrap();
    drive(targets::manifest, vec![record]);
    let key = "-----BEGIN PUBLIC KEY-----\n\
               MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
               -----END PUBLIC KEY-----\n";
    drive(targets::public_key, texts(&[key]));
}

#[test]
fn a_text_that_was_masked_needs_no_second_mask() {
    let samples = [
        "card 4111 1111 1111 1111, thanks",
        "4111-1111-1111-1111 5500005555555559",
        "2026 11 20 378282246310005",
    ];
    drive(targets::free_text, texts(&samples));
}
