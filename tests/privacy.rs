//! Customers' data and secrets that pass through a run are in none of its files and in no line of
//! its output; and its files are readable by their owner only.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::harness::gateway::{self, Exchange};
use crate::harness::reports;
use crate::harness::{Ended, Served, Site, clean};
use rusqlite::Connection;
use serde_json::Value;
use tieout_sandbox::{API_KEY, WorldOptions, plant_codes};

/// Fields of the API whose values belong to a customer.
const PRIVATE_FIELDS: [&str; 6] =
    ["nameOnAccount", "accountNumber", "routingNumber", "transitNumber", "cardNumber", "value"];

/// A shorter number occurs in any text by chance.
const TELLING_DIGITS: usize = 6;

/// A run over a world with all plants, and all private data that it received.
struct Told {
    served: Served,
    site: Site,
    ended: Ended,
    exchanges: Vec<Exchange>,
}

fn run_with(seed: u64, format: &str) -> Told {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    let served =
        Served::new(&WorldOptions { plants, ..clean(seed, "2026-11-02", "2026-11-08", 6, 30) });
    let gateway =
        gateway::start(&served.runtime, Some(served.sandbox.base_url()), Box::new(|_| None));
    let site = served.site_behind(&gateway.base);
    let arguments = ["run", "-vv", "--log-format", format, "--date", "2026-11-02..2026-11-08"];
    let mut command = site.command(&arguments);
    command.env("TIEOUT_STORE__PATH", site.path().join("var/store/tieout.db"));
    command.env("TIEOUT_REPORTS__DIR", site.path().join("var/out/reports"));
    let ended = Ended::from(command.output().unwrap()).expect(0);
    let exchanges = gateway.seen();
    Told { served, site, ended, exchanges }
}

/// Every private text in the answers: values as they came, the leading digits of a masked number,
/// and the parts of names and addresses.
fn private(exchanges: &[Exchange]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for exchange in exchanges {
        if let Ok(body) = serde_json::from_str(&exchange.body) {
            collect(&body, &mut found);
        }
    }
    found
}

fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if PRIVATE_FIELDS.contains(&name.as_str()) => {
                        add(text, found);
                    }
                    _ => collect(value, found),
                }
            }
        }
        _ => {}
    }
}

fn add(text: &str, found: &mut BTreeSet<String>) {
    let head: String = text.chars().take_while(char::is_ascii_digit).collect();
    if head.len() >= TELLING_DIGITS {
        found.insert(head);
    }
    if text.chars().filter(char::is_ascii_alphanumeric).count() >= TELLING_DIGITS {
        found.insert(text.to_owned());
    }
}

/// Every byte of the run's files and output, by place: files, evidence unpacked, and both streams.
/// Moments of the machine's clock are left out: their fractions may hold any six digits by chance.
fn left_behind(told: &Told) -> Vec<(String, String)> {
    let mut left: Vec<(String, Vec<u8>)> = reports::files(told.site.path())
        .into_iter()
        .filter(|(name, _)| !name.ends_with("run.json"))
        .collect();
    left.extend(
        reports::comparable(&told.site.path().join("var"))
            .into_iter()
            .filter(|(name, _)| name.ends_with("run.json")),
    );
    left.extend(
        evidence(&told.site.path().join("var/store/tieout.db"))
            .into_iter()
            .map(|(digest, content)| (format!("evidence {digest}"), content)),
    );
    left.push(("standard output".to_owned(), told.ended.stdout.clone().into_bytes()));
    let said: Vec<&str> = told.ended.stderr.lines().map(without_moment).collect();
    left.push(("standard error".to_owned(), said.join("\n").into_bytes()));
    // Bytes that are not text become marks; the texts in between stay as they are.
    left.into_iter()
        .map(|(place, content)| (place, String::from_utf8_lossy(&content).into_owned()))
        .collect()
}

fn without_moment(line: &str) -> &str {
    match line.strip_prefix(r#"{"timestamp":""#) {
        Some(rest) => rest.split_once('"').map_or(rest, |(_, rest)| rest),
        None => line.split_once(' ').map_or(line, |(_, rest)| rest),
    }
}

fn evidence(store: &Path) -> Vec<(String, Vec<u8>)> {
    let connection = Connection::open(store).unwrap();
    let mut statement = connection.prepare("select digest, content from page_body").unwrap();
    let rows = statement
        .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)))
        .unwrap();
    rows.map(|row| {
        let (digest, content) = row.unwrap();
        (digest, zstd::decode_all(content.as_slice()).unwrap())
    })
    .collect()
}

/// The standard library's search is compiled with optimisation, a loop in here is not.
fn holds(content: &str, text: &str) -> bool {
    content.contains(text)
}

#[test]
fn leaves_no_private_data_of_customers_anywhere() {
    for (seed, format) in [(81, "text"), (82, "json")] {
        let told = run_with(seed, format);
        let private = private(&told.exchanges);
        let names = private.iter().filter(|text| text.contains(' ')).count();
        let addresses = private.iter().filter(|text| text.contains('@')).count();
        let numbers = private.iter().filter(|text| text.starts_with(char::is_numeric)).count();
        assert!(names >= 4 && addresses >= 4 && numbers >= 10, "seed {seed}: {private:?}");
        let left = left_behind(&told);
        assert!(left.iter().any(|(place, _)| place.starts_with("evidence ")));
        for text in &private {
            for (place, content) in &left {
                assert!(!holds(content, text), "seed {seed}: {place} holds {text:?}");
            }
        }
    }
}

#[test]
fn keeps_the_last_four_digits_so_that_evidence_is_of_use() {
    let told = run_with(83, "text");
    let connection = Connection::open(told.site.path().join("var/store/tieout.db")).unwrap();
    for sql in [
        "select count(*) from authorization where card_last4 glob '[0-9][0-9][0-9][0-9]'",
        "select count(*) from bank_transfer where account_last4 glob '[0-9][0-9][0-9][0-9]'",
    ] {
        let kept: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert!(kept > 0, "{sql}");
    }
}

#[test]
fn leaves_no_key_and_no_token_anywhere() {
    let told = run_with(84, "text");
    let tokens: BTreeSet<String> = told
        .exchanges
        .iter()
        .filter(|exchange| exchange.path == "/authorize")
        .map(|exchange| {
            let body: Value = serde_json::from_str(&exchange.body).unwrap();
            body["access_token"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(!tokens.is_empty());
    for (place, content) in left_behind(&told) {
        assert!(!holds(&content, API_KEY), "{place} holds the key");
        for token in &tokens {
            assert!(!holds(&content, token), "{place} holds a token");
        }
    }
    assert!(told.served.sandbox.requests() > 0);
}

#[test]
fn leaves_files_and_folders_that_only_their_owner_reads() {
    let told = run_with(85, "text");
    let mut seen = 0;
    check_modes(&told.site.path().join("var"), &mut seen);
    assert!(seen > 50, "{seen} files and folders");
}

fn check_modes(path: &Path, seen: &mut u32) {
    *seen += 1;
    let metadata = std::fs::metadata(path).unwrap();
    let mode = metadata.permissions().mode() & 0o777;
    let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
    assert_eq!(mode, expected, "{} has mode {mode:o}, expected {expected:o}", path.display());
    if metadata.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            check_modes(&entry.unwrap().path(), seen);
        }
    }
}
