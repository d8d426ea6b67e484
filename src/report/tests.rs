//! What the files hold, to the byte, and that their dictionary says so.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::config::CheckLevel;
use crate::model::{DiscrepancyStatus, Figure, Verdict};
use crate::money::{Currency, Minor};

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn currency(code: &str) -> Option<Currency> {
    Currency::from_code(code)
}

fn discrepancy(id: &str, code: &str, severity: CheckLevel) -> DiscrepancyRow {
    DiscrepancyRow {
        discrepancy_id: id.to_owned(),
        code: code.to_owned(),
        severity,
        status: DiscrepancyStatus::New,
        business_date: date("2026-11-20"),
        first_seen: date("2026-11-19"),
        age_days: 1,
        merchant_id: "4525644354".to_owned(),
        merchant_name: "=Pizza \"Doe\", Inc".to_owned(),
        currency: currency("USD"),
        figure: Figure::Amount,
        expected: Some(37_000),
        actual: Some(36_500),
        difference: Some(-500),
        batch_date: Some(date("2026-11-18")),
        batch_id: "12;13".to_owned(),
        ach_deposit_id: "99".to_owned(),
        authorization_id: String::new(),
        transaction_id: String::new(),
        payment_id: String::new(),
        refund_id: String::new(),
        order_id: "-7".to_owned(),
        ledger_id: "@sum".to_owned(),
        explanation: "Deposit 99 paid 365.00 USD net, but its components add up to 370.00 USD."
            .to_owned(),
        action: "Ask the processor.".to_owned(),
    }
}

fn discrepancies() -> Vec<DiscrepancyRow> {
    let counted = DiscrepancyRow {
        figure: Figure::Count,
        expected: Some(12),
        actual: Some(13),
        difference: Some(1),
        status: DiscrepancyStatus::Open,
        ..discrepancy("b2", "BATCH_COUNT_MISMATCH", CheckLevel::Warning)
    };
    let unknown = DiscrepancyRow {
        currency: None,
        batch_date: None,
        status: DiscrepancyStatus::Cleared,
        ..discrepancy("a1", "STATUS_MISMATCH", CheckLevel::Error)
    };
    vec![
        discrepancy("f1", "FUNDS_HELD", CheckLevel::Info),
        counted,
        unknown,
        discrepancy("d2", "DEPOSIT_NET_MISMATCH", CheckLevel::Error),
        discrepancy("d1", "DEPOSIT_NET_MISMATCH", CheckLevel::Error),
    ]
}

fn deposit(id: i64, code: &str) -> DepositRow {
    DepositRow {
        ach_deposit_id: id,
        merchant_id: "0525644354".to_owned(),
        merchant_name: "Pizza Doe".to_owned(),
        currency: currency(code),
        association_date: Some(date("2026-11-18")),
        ach_date: Some(date("2026-11-19")),
        payment_date: Some(date("2026-11-20")),
        transactions: Some(20),
        sales: Some(Minor(50_000)),
        returns: Some(Minor(10_000)),
        daily_fees: Some(Minor(1_000)),
        held_sales: Some(Minor(1_000)),
        ach_adjustment: Some(Minor(1_000)),
        holdback: Some(Minor(1_000)),
        reserve_release: Some(Minor(500)),
        net_amount: Some(Minor(-36_500)),
        net_expected: Some(Minor(36_500)),
        batch_sales: Some(Minor(50_000)),
        batch_returns: Some(Minor(10_000)),
        batch_transactions: Some(20),
        fees_total: None,
        returned_amount: Some(Minor(1_000)),
        unexplained: Some(Minor(0)),
        verdict: Verdict::Tied,
    }
}

fn batch(id: i64) -> BatchRow {
    BatchRow {
        batch_id: id,
        merchant_id: "0525644354".to_owned(),
        merchant_name: String::new(),
        currency: currency("KWD"),
        batch_date: date("2026-11-20"),
        transaction_count: Some(2),
        sale_amount: Some(Minor(1_500)),
        return_amount: Some(Minor(0)),
        items_count: None,
        items_sales: None,
        items_returns: None,
        ach_deposit_id: "9;10".to_owned(),
        verdict: Verdict::NotEvaluated,
    }
}

fn matched(item_id: &str, ledger_id: &str) -> MatchRow {
    MatchRow {
        item_type: "capture".to_owned(),
        item_id: item_id.to_owned(),
        ledger_id: ledger_id.to_owned(),
        merchant_id: "0525644354".to_owned(),
        currency: currency("JPY").unwrap(),
        item_date: date("2026-11-20"),
        ledger_date: date("2026-11-19"),
        item_amount: Some(Minor(1_200)),
        ledger_amount: Some(Minor(1_100)),
        difference: Some(Minor(100)),
        pass: "reference".to_owned(),
        order_id: String::new(),
    }
}

fn transit(kind: &str, id: &str, amount: i64) -> TransitRow {
    TransitRow {
        kind: kind.to_owned(),
        id: id.to_owned(),
        merchant_id: "0525644354".to_owned(),
        merchant_name: "Pizza Doe".to_owned(),
        currency: currency("CAD"),
        date: date("2026-11-20"),
        due_date: date("2026-11-24"),
        amount: Some(Minor(amount)),
    }
}

fn summary(merchant_id: &str, code: &str, verdict: Verdict) -> SummaryRow {
    SummaryRow {
        merchant_id: merchant_id.to_owned(),
        merchant_name: "Pizza\u{1b}[2J Doe".to_owned(),
        currency: currency(code),
        deposits: Some(1),
        deposited_net: Some(Minor(36_500)),
        batches: Some(2),
        items: None,
        items_amount: Some(Minor(40_000)),
        ledger_records: Some(3),
        matched: Some(2),
        in_transit_amount: Some(Minor(-1_200)),
        opening: 1,
        new: 3,
        cleared: 1,
        closing: 3,
        closing_amount: Some(Minor(1_000)),
        verdict,
    }
}

fn run_record() -> RunRecord {
    let usd = currency("USD").unwrap();
    let total = |count, minor| Total::of(count).with(usd, Minor(minor));
    RunRecord {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        business_date: date("2026-11-20"),
        started: "2026-11-21T05:30:00Z".parse().unwrap(),
        ended: "2026-11-21T05:30:09Z".parse().unwrap(),
        clock_substitute: None,
        stages: [("fetch".to_owned(), StageRecord { duration_ms: 1_234 })].into(),
        configuration_digest: "c0ffee".to_owned(),
        listings: vec![ListingRecord {
            resource: "batches".to_owned(),
            selector: "date".to_owned(),
            scope: String::new(),
            date: Some(date("2026-11-20")),
            verdict: "complete".to_owned(),
            pages: 2,
            records: 104,
            bytes: 54_321,
            digest: "abcd".to_owned(),
            error: None,
        }],
        records: RecordTotals { received: total(7, -1_200), stored: total(7, -1_200) },
        items: ItemTotals {
            total: total(3, 600),
            matched: total(2, 500),
            unmatched: total(1, 100),
            ambiguous: Total::default(),
        },
        ledger: LedgerTotals { quarantined: Total::of(1), ..LedgerTotals::default() },
        discrepancies: DiscrepancyTotals {
            opening: Count { count: 1 },
            new: Count { count: 2 },
            reopened: Count { count: 1 },
            cleared: Count { count: 1 },
            accepted: Count { count: 0 },
            closing: Count { count: 3 },
        },
        checks: ChecksRecord {
            evaluated: vec!["BATCH_COUNT_MISMATCH".to_owned()],
            not_evaluated: vec![NotEvaluated {
                code: "DEPOSIT_FEES_MISMATCH".to_owned(),
                merchant_id: "4525644354".to_owned(),
                scope: "deposit 99".to_owned(),
                reason: "the fees of the deposit were not read".to_owned(),
            }],
        },
        warnings: vec!["today is not over".to_owned()],
        files: BTreeMap::new(),
    }
}

fn sample() -> DateReport {
    DateReport {
        business_date: date("2026-11-20"),
        discrepancies: discrepancies(),
        deposits: vec![deposit(100, "USD"), deposit(9, "USD"), deposit(20, "???")],
        batches: vec![batch(13), batch(2)],
        matches: vec![matched("10", "B"), matched("9", "B"), matched("9", "=A")],
        in_transit: vec![transit("payment", "p2", 500), transit("batch", "12", 100_000)],
        summary: vec![
            summary("4525644354", "USD", Verdict::Discrepancy),
            summary("0525644354", "JPY", Verdict::Tied),
            summary("0525644354", "", Verdict::NotEvaluated),
        ],
        run: run_record(),
    }
}

fn empty() -> DateReport {
    DateReport {
        business_date: date("2026-11-20"),
        discrepancies: Vec::new(),
        deposits: Vec::new(),
        batches: Vec::new(),
        matches: Vec::new(),
        in_transit: Vec::new(),
        summary: Vec::new(),
        run: run_record(),
    }
}

fn every_format() -> BTreeSet<ReportFormat> {
    [ReportFormat::Csv, ReportFormat::Json, ReportFormat::Html, ReportFormat::Xlsx].into()
}

#[test]
fn writes_every_file_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let written = write_date(folder.path(), &sample(), &every_format()).unwrap();
    assert_eq!(written.folder, folder.path().join("2026-11-20"));
    let mut shown = Vec::new();
    for (name, sha256) in &written.files {
        let content = fs::read(written.folder.join(name)).unwrap();
        assert_eq!(crate::digest::sha256_hex(&content), *sha256, "{name}");
        shown.push(format!("=== {name}\n{}", String::from_utf8(content).unwrap()));
    }
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn writes_headers_without_rows_when_there_is_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let written = write_date(folder.path(), &empty(), &every_format()).unwrap();
    assert_eq!(written.files.len(), 7);
    for name in written.files.keys().filter(|name| *name != MANIFEST_FILE) {
        let content = fs::read_to_string(written.folder.join(name)).unwrap();
        assert_eq!(content.lines().count(), 1, "{name}");
    }
}

#[test]
fn writes_the_same_bytes_whatever_the_order_of_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let first = write_date(folder.path(), &sample(), &every_format()).unwrap();
    let mut reversed = sample();
    reversed.discrepancies.reverse();
    reversed.deposits.reverse();
    reversed.batches.reverse();
    reversed.matches.reverse();
    reversed.in_transit.reverse();
    reversed.summary.reverse();
    assert_eq!(write_date(folder.path(), &reversed, &every_format()).unwrap(), first);
}

#[test]
fn writes_the_manifest_whatever_the_formats() {
    let folder = tempfile::tempdir().unwrap();
    let written = write_date(folder.path(), &sample(), &BTreeSet::new()).unwrap();
    assert_eq!(written.files.keys().collect::<Vec<_>>(), [MANIFEST_FILE]);
    assert_eq!(fs::read_dir(&written.folder).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn lets_only_the_owner_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("reports");
    let written = write_date(&root, &sample(), &every_format()).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&root), mode(&written.folder)), (0o700, 0o700));
    for name in written.files.keys() {
        assert_eq!(mode(&written.folder.join(name)), 0o600, "{name}");
    }
}

#[test]
fn leaves_the_earlier_file_whole_when_writing_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    atomic::write_file(&path, b"whole").unwrap();
    let broken = StagedFile::write(folder.path(), "a.csv", |out| {
        out.write_all(b"half")?;
        Err(io::Error::other("the disk is full"))
    });
    assert!(broken.unwrap_err().to_string().contains("a.csv"));
    let unpublished = StagedFile::write(folder.path(), "a.csv", |out| out.write_all(b"x")).unwrap();
    drop(unpublished);
    assert_eq!(fs::read(&path).unwrap(), b"whole");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn replaces_what_a_crash_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let leftover = folder.path().join(".a.csv.new");
    fs::File::create(&leftover).unwrap();
    atomic::write_file(&folder.path().join("a.csv"), b"whole").unwrap();
    assert!(!leftover.exists());
}

#[test]
fn names_the_folder_that_cannot_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    atomic::write_file(&file, b"").unwrap();
    let error = write_date(&file, &sample(), &every_format()).unwrap_err();
    assert!(error.to_string().starts_with("cannot create the report folder"), "{error}");
}

#[test]
fn reads_its_own_manifest_back() {
    let record = run_record();
    let mut text = Vec::new();
    record.write_to(&mut text).unwrap();
    assert_eq!(serde_json::from_slice::<RunRecord>(&text).unwrap(), record);
    for amount in ["\"1.5.0\"", "\"01.00\"", "\"-0.00\"", "\"x\"", "1"] {
        assert!(serde_json::from_str::<Amount>(amount).is_err(), "{amount}");
    }
}

#[test]
fn finds_totals_that_do_not_add_up() {
    let mut record = run_record();
    assert_eq!(record.imbalances(), Vec::<String>::new());
    record.items.matched = Total::of(2).with(currency("USD").unwrap(), Minor(499));
    record.ledger.total = Total::of(1);
    record.discrepancies.closing = Count { count: 2 };
    insta::assert_snapshot!(record.imbalances().join("\n"));
}

#[test]
fn shows_a_person_what_a_date_came_to() {
    let quiet = DateReport {
        summary: vec![summary("1", "USD", Verdict::Tied)],
        run: RunRecord { checks: ChecksRecord::default(), warnings: Vec::new(), ..run_record() },
        ..empty()
    };
    let folder = Path::new("reports/2026-11-20");
    let dates = [terminal::summarize(&sample(), folder), terminal::summarize(&quiet, folder)];
    insta::assert_snapshot!("terminal", terminal::render(&dates, false));
    insta::assert_snapshot!("terminal_json", serde_json::to_string_pretty(&dates).unwrap());
    assert!(!terminal::render(&dates, false).contains('\u{1b}'), "text cannot steer a terminal");
    let coloured = terminal::render(&dates, true);
    assert!(coloured.contains("\u{1b}[31merror\u{1b}[0m"));
}

#[test]
fn lists_no_more_discrepancies_than_a_person_reads() {
    let rows = (0..60).map(|n| discrepancy(&format!("d{n:02}"), "FUNDS_HELD", CheckLevel::Info));
    let report = DateReport { discrepancies: rows.collect(), ..empty() };
    let shown = terminal::render(&[terminal::summarize(&report, Path::new("r"))], false);
    assert!(shown.contains("… and 10 more in discrepancies.csv"));
}

/// The names in the first column of the tables below a heading of the dictionary.
fn dictionary(file: &str) -> Vec<String> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/reports/README.md"));
    let text = text.unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with(&format!("`{file}`")));
    let section = section.unwrap_or_else(|| panic!("no section about {file}"));
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn columns<R: Row>() -> (&'static str, Vec<String>) {
    (R::FILE, R::COLUMNS.iter().map(|column| column.name.to_owned()).collect())
}

#[test]
fn has_every_column_in_its_dictionary_and_no_other() {
    let tables = [
        columns::<DiscrepancyRow>(),
        columns::<DepositRow>(),
        columns::<BatchRow>(),
        columns::<MatchRow>(),
        columns::<TransitRow>(),
        columns::<SummaryRow>(),
    ];
    for (file, columns) in tables {
        assert_eq!(dictionary(file), columns, "{file}");
    }
    let mut text = Vec::new();
    run_record().write_to(&mut text).unwrap();
    let written = String::from_utf8(text).unwrap();
    let keys = written.lines().filter_map(|line| line.strip_prefix("  \"")?.split_once('"'));
    let keys: Vec<String> = keys.map(|(name, _)| name.to_owned()).collect();
    assert_eq!(dictionary(MANIFEST_FILE), keys);
}

proptest! {
    #[test]
    fn writes_csv_that_reads_back_as_it_was(
        texts in prop::collection::vec("[ -~\n\r\t\"',;=+@é\u{feff}-]{0,12}", 1..5),
    ) {
        let rows: Vec<TransitRow> = texts
            .iter()
            .map(|text| TransitRow { merchant_name: text.clone(), ..transit("batch", text, 1) })
            .collect();
        let mut written = Vec::new();
        write_table(&mut written, &rows).unwrap();
        let mut reader = csv::Reader::from_reader(written.as_slice());
        let read: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        prop_assert_eq!(read.len(), rows.len());
        for (record, text) in read.iter().zip(&texts) {
            prop_assert_eq!(record.len(), TransitRow::COLUMNS.len());
            let cell = &record[3];
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']));
            prop_assert_eq!(cell.strip_prefix('\'').filter(|rest| rest == text).unwrap_or(cell), text);
        }
    }
}
