//! How long the reports of one date take, and how much memory: the program over a store that
//! this benchmark fills, in a process of its own. Prints medians; it asserts nothing.
//!
//! ```text
//! cargo bench --bench report -- 10k 100k 1m     # pairs of the date; 1,000 discrepancies
//! ```
//!
//! The peak memory comes from /proc, so elsewhere than on Linux it is left out.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and fails loudly"
)]

#[allow(dead_code, reason = "each benchmark uses its part")]
mod program;

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use chrono::NaiveDate;
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    Assignment, Discrepancy, DiscrepancyStatus, Figure, MatchRow, RecordIds, Severity,
};
use tieout_model::{RunRecord, SCHEMA_VERSION};
use tieout_store::{DayOutcome, Store, results};

use program::{Cost, tieout, watch};

const DATE: &str = "2026-11-18";
const DISCREPANCIES: u32 = 1_000;
const RUNS: usize = 5;

fn main() {
    let mut sizes: Vec<u32> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .map(|text| {
            let unit = if text.ends_with('m') { 1_000_000 } else { 1_000 };
            text.trim_end_matches(['k', 'm']).parse::<u32>().unwrap() * unit
        })
        .collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000];
    }
    println!("{:>9} {:>16} {:>9} {:>9} {:>9}", "pairs", "formats", "wall ms", "cpu ms", "peak MiB");
    for pairs in sizes {
        let folder = std::env::temp_dir().join(format!("tieout-report-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        fill(&folder.join("tieout.db"), pairs);
        for formats in ["csv,html,xlsx", "csv", "html", "xlsx"] {
            let mut runs: Vec<(u128, Cost)> = (0..RUNS).map(|_| run(&folder, formats)).collect();
            runs.sort_unstable_by_key(|(_, cost)| cost.cpu_ms);
            let (wall_ms, cost) = runs[RUNS / 2];
            let (cpu_ms, peak_mib) = (cost.cpu_ms, cost.peak_kib / 1_024);
            println!("{pairs:>9} {formats:>16} {wall_ms:>9} {cpu_ms:>9} {peak_mib:>9}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Measures `tieout report`: wall time in milliseconds, processor time and peak memory.
fn run(folder: &Path, formats: &str) -> (u128, Cost) {
    let began = Instant::now();
    let mut child = tieout("2026-12-01T12:00:00Z")
        .args(["report", "--date", DATE, "--json", "-q"])
        .current_dir(folder)
        .env("TIEOUT_REPORTS__FORMATS", formats)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let cost = watch(child.id());
    let ended = child.wait().unwrap();
    assert!(ended.success(), "the report ended with {ended}");
    (began.elapsed().as_millis(), cost)
}

/// A store with one reconciled date.
fn fill(path: &Path, pairs: u32) {
    let mut store = Store::open(path).unwrap();
    let matches: Vec<MatchRow> = (0..pairs).map(pair).collect();
    let record = RunRecord {
        schema_version: SCHEMA_VERSION,
        tool_version: "bench".to_owned(),
        business_date: date(),
        ..RunRecord::default()
    };
    let outcome = DayOutcome {
        discrepancies: (0..DISCREPANCIES).map(discrepancy).collect(),
        run_record: record,
        ..DayOutcome::default()
    };
    let now = "2026-12-01T12:00:00Z".parse().unwrap();
    results::save(&mut store, date(), &outcome, &matches, "", now).unwrap();
}

fn date() -> NaiveDate {
    DATE.parse().unwrap()
}

fn usd() -> Currency {
    Currency::from_code("USD").unwrap()
}

fn pair(number: u32) -> MatchRow {
    MatchRow {
        item_type: "capture".to_owned().into(),
        item_id: (6_000_000 + number).to_string().into(),
        ledger_id: format!("INV-2026-{number:07}").into(),
        merchant_id: "4525644354".into(),
        currency: usd(),
        item_date: date(),
        ledger_date: date(),
        item_amount: Some(Minor(i64::from(number % 90_000) + 100)),
        ledger_amount: Some(Minor(i64::from(number % 90_000) + 100)),
        difference: Some(Minor(0)),
        pass: "reference".to_owned().into(),
        order_id: format!("ORD-{number:08}").into(),
        note: String::new().into(),
    }
}

fn discrepancy(number: u32) -> Discrepancy {
    Discrepancy {
        discrepancy_id: format!("{number:016x}"),
        code: ["MISSING_IN_LEDGER", "DEPOSIT_NET_MISMATCH", "AMOUNT_MISMATCH"][number as usize % 3]
            .to_owned(),
        severity: Severity::Error,
        status: DiscrepancyStatus::New,
        business_date: date(),
        first_seen: date(),
        age_days: 0,
        merchant_id: (4_525_644_000 + u64::from(number % 50)).to_string().into(),
        subject: number.to_string(),
        merchant_name: "Pizza Doe".to_owned(),
        currency: Some(usd()),
        figure: Figure::Amount,
        expected: Some(0),
        actual: Some(i64::from(number) + 1),
        difference: Some(i64::from(number) + 1),
        batch_date: Some(date()),
        ids: RecordIds {
            authorization_id: number.to_string(),
            transaction_id: number.to_string(),
            ..RecordIds::default()
        },
        explanation: format!("Capture {number} of 12.00 USD has no record in the ledger."),
        action: "Book it, or ask the processor what it is.".to_owned(),
        is_carried: true,
        is_reopened: false,
        has_difference: true,
        expected_currency: None,
        also_near: String::new(),
        assigned: Assignment::default(),
    }
}
