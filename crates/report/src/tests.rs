//! The contents of the files, to the byte, and their agreement with the dictionary.

use std::fs;

use proptest::prelude::*;

use super::table::Table;
use super::terminal::Detail;
use super::*;
use tieout_model::money::Minor;
use tieout_model::{
    Amount, BankBridgeRow, BankMatchRow, BatchRow, ChecksRecord, Count, DayAmountsRow, DayRow,
    DepositRow, DisputeRow, FeeRateRow, MerchantPeriodRow, ReturnCodeRow, ReturnRateRow, Severity,
    StoreStamp, SummaryRow, Total, TransitRow, Verdict,
};

mod hostile;
pub(super) mod sample;

use sample::{currency, discrepancy, empty, run_record, sample, summary, transit};

fn every_format() -> BTreeSet<ReportFormat> {
    [ReportFormat::Csv, ReportFormat::Json, ReportFormat::Html, ReportFormat::Xlsx].into()
}

/// Writes every format; a report without rows has no matches either.
fn write(dir: &Path, report: &DateReport<'_>) -> Result<WrittenFiles, ReportError> {
    let matches = if report.summary.is_empty() { Vec::new() } else { sample::matches() };
    write_date(dir, report, &matches, &every_format())
}

#[test]
fn writes_every_file_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    // The page and the workbook have tests of their own.
    let formats = [ReportFormat::Csv].into();
    let written = write_date(folder.path(), &sample(), &sample::matches(), &formats).unwrap();
    assert_eq!(written.folder, folder.path().join("2026-11-20"));
    let mut shown = Vec::new();
    for (name, sha256) in &written.files {
        let content = fs::read(written.folder.join(name)).unwrap();
        assert_eq!(tieout_model::digest::sha256_hex(&content), *sha256, "{name}");
        shown.push(format!("=== {name}\n{}", String::from_utf8(content).unwrap()));
    }
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn writes_headers_without_rows_when_there_is_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let written = write(folder.path(), &empty()).unwrap();
    assert_eq!(written.files.len(), 11);
    for name in written
        .files
        .keys()
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "csv"))
    {
        let content = fs::read_to_string(written.folder.join(name)).unwrap();
        assert_eq!(content.lines().count(), 1, "{name}");
    }
}

#[test]
fn writes_the_same_bytes_whatever_the_order_of_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path(), &sample()).unwrap();
    let mut reversed = sample();
    reversed.discrepancies.to_mut().reverse();
    reversed.deposits.to_mut().reverse();
    reversed.batches.to_mut().reverse();
    reversed.in_transit.to_mut().reverse();
    reversed.summary.to_mut().reverse();
    assert_eq!(write(folder.path(), &reversed).unwrap(), first);
}

#[test]
fn writes_the_manifest_whatever_the_formats() {
    let folder = tempfile::tempdir().unwrap();
    let written =
        write_date(folder.path(), &sample(), &sample::matches(), &BTreeSet::new()).unwrap();
    assert_eq!(written.files.keys().collect::<Vec<_>>(), [MANIFEST_FILE]);
    assert_eq!(fs::read_dir(&written.folder).unwrap().count(), 1);
}

#[test]
fn leaves_no_file_of_a_format_that_is_not_written_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let written = write(folder.path(), &sample()).unwrap();
    fs::File::create(written.folder.join("note.txt")).unwrap();
    let formats = [ReportFormat::Csv].into();
    let fewer = write_date(folder.path(), &sample(), &sample::matches(), &formats).unwrap();
    assert!(!fewer.files.contains_key(PAGE_FILE) && !fewer.files.contains_key(WORKBOOK_FILE));
    let mut expected: Vec<_> = fewer.files.into_keys().chain(["note.txt".to_owned()]).collect();
    expected.sort();
    let entries = fs::read_dir(&written.folder).unwrap();
    let mut found: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, expected);
}

#[cfg(unix)]
#[test]
fn lets_only_the_owner_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("reports");
    let written = write(&root, &sample()).unwrap();
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
fn says_that_the_disk_is_full_in_whichever_row_that_happens() {
    struct Disk {
        bytes_left: usize,
    }
    impl io::Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.bytes_left = self
                .bytes_left
                .checked_sub(bytes.len())
                .ok_or_else(|| io::Error::from(io::ErrorKind::StorageFull))?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let rows: Vec<_> = (0..2_000).map(|n| sample::matched(&n.to_string(), "L1")).collect();
    for bytes_left in [0, 10_000, 60_000] {
        let error = table::Table::streamed(&rows).write_csv(&mut Disk { bytes_left }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{bytes_left}");
        let folder = tempfile::tempdir().unwrap();
        let tables = [table::Table::streamed(&rows)];
        let (title, date) = (String::new(), "2026-11-20".parse().unwrap());
        let (overview, sheets, folder) = (Vec::new(), &[][..], folder.path());
        let tables = &tables[..];
        let workbook = xlsx::WorkbookContent { title, date, overview, sheets, tables, folder };
        let error = workbook.write(&mut Disk { bytes_left }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{bytes_left}");
    }
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
    let error = write(&file, &sample()).unwrap_err();
    assert!(error.to_string().starts_with("cannot create the report folder"), "{error}");
}

#[test]
fn reads_its_own_manifest_back() {
    let record = run_record();
    let mut text = Vec::new();
    manifest::write(&record, &mut text).unwrap();
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
        summary: vec![summary("1", "USD", Verdict::Tied)].into(),
        run: RunRecord { checks: ChecksRecord::default(), warnings: Vec::new(), ..run_record() },
        ..empty()
    };
    let folder = Path::new("reports/2026-11-20");
    let dates = [terminal::summarize(&sample(), folder), terminal::summarize(&quiet, folder)];
    insta::assert_snapshot!("terminal", terminal::render(dates.clone(), Detail::All, false));
    insta::assert_snapshot!("terminal_new", terminal::render(dates.clone(), Detail::New, false));
    insta::assert_snapshot!("terminal_json", serde_json::to_string_pretty(&dates).unwrap());
    assert!(
        !terminal::render(dates.clone(), Detail::All, false).contains('\u{1b}'),
        "text cannot steer a terminal"
    );
    let coloured = terminal::render(dates.clone(), Detail::All, true);
    assert!(coloured.contains("\u{1b}[31mDEPOSIT_NET_MISMATCH\u{1b}[0m"));
}

#[test]
fn lists_no_more_discrepancies_than_a_person_reads() {
    let rows = (0..60).map(|n| discrepancy(&format!("d{n:02}"), "FUNDS_HELD", Severity::Info));
    let report = DateReport { discrepancies: rows.collect::<Vec<_>>().into(), ..empty() };
    let shown =
        terminal::render([terminal::summarize(&report, Path::new("r"))], Detail::New, false);
    assert!(shown.contains("… and 10 more in discrepancies.csv"));
}

/// The names in the first column of the tables below a heading of the dictionary.
fn dictionary(file: &str) -> Vec<String> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports/README.md"));
    let text = text.unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with(&format!("`{file}`")));
    let section = section.unwrap_or_else(|| panic!("no section about {file}"));
    // Other tables of a section explain the words of a column.
    section
        .lines()
        .skip_while(|line| !line.starts_with("| column ") && !line.starts_with("| key "))
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The columns of a file; each heading is unique.
fn columns<R: Row>() -> (&'static str, Vec<String>) {
    let mut seen = BTreeSet::new();
    let heads: Vec<Column> = R::columns().iter().map(|column| column.head).collect();
    for heading in heads.iter().map(Column::heading) {
        let is_first = |first: char| first.is_uppercase() || first.is_ascii_digit();
        assert!(heading.starts_with(is_first) && !heading.contains('_'), "{}: {heading}", R::FILE);
        assert!(seen.insert(heading.clone()), "{}: {heading} twice", R::FILE);
    }
    (R::FILE, heads.iter().map(|column| column.name.to_owned()).collect())
}

#[test]
fn names_every_file_in_its_dictionary_that_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let date = write(folder.path(), &sample()).unwrap();
    let period = write_period(folder.path(), &sample::period(), &every_format()).unwrap();
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports/README.md"));
    let text = text.unwrap();
    for name in date.files.keys().chain(period.files.keys()) {
        assert!(text.contains(&format!("\n## `{name}`\n")), "{name}");
    }
}

#[test]
fn has_every_column_in_its_dictionary_and_no_other() {
    let tables = [
        columns::<Discrepancy>(),
        columns::<DepositRow>(),
        columns::<BatchRow>(),
        columns::<MatchRow>(),
        columns::<BankMatchRow>(),
        columns::<DisputeRow>(),
        columns::<TransitRow>(),
        columns::<SummaryRow>(),
        columns::<DayRow>(),
        columns::<DayAmountsRow>(),
        columns::<MerchantPeriodRow>(),
        columns::<FeeRateRow>(),
        columns::<ReturnRateRow>(),
        columns::<ReturnCodeRow>(),
        columns::<BankBridgeRow>(),
    ];
    for (file, columns) in tables {
        assert_eq!(dictionary(file), columns, "{file}");
    }
    let mut text = Vec::new();
    let standing = Some(index::standing_of(&sample()));
    let store = Some(StoreStamp::default());
    let sign_off = sample::signed_off();
    let shard = Some("1/4".to_owned());
    let of_a_shard = RunRecord { shard, standing, sign_off, store, ..run_record() };
    manifest::write(&of_a_shard, &mut text).unwrap();
    assert_eq!(dictionary(MANIFEST_FILE), keys_of(text));
    let folder = tempfile::tempdir().unwrap();
    let written = write_period(folder.path(), &sample::period(), &every_format()).unwrap();
    let text = fs::read(written.folder.join(PERIOD_MANIFEST_FILE)).unwrap();
    assert_eq!(dictionary(PERIOD_MANIFEST_FILE), keys_of(text));
}

/// The keys on the first level of an indented JSON file, in their order.
fn keys_of(text: Vec<u8>) -> Vec<String> {
    let written = String::from_utf8(text).unwrap();
    let keys = written.lines().filter_map(|line| line.strip_prefix("  \"")?.split_once('"'));
    keys.map(|(name, _)| name.to_owned()).collect()
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
        Table::of(rows.iter().collect()).write_csv(&mut written).unwrap();
        let mut reader = csv::Reader::from_reader(written.as_slice());
        let read: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        prop_assert_eq!(read.len(), rows.len());
        for (record, text) in read.iter().zip(&texts) {
            prop_assert_eq!(record.len(), TransitRow::columns().len());
            let cell = &record[3];
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']));
            let shown = visible::visible(text);
            let plain = cell.strip_prefix('\'').filter(|rest| *rest == shown);
            prop_assert_eq!(plain.unwrap_or(cell), shown);
        }
    }
}
