//! Names, numbers and words that could become formulas, markup or control characters, and very many
//! rows. With `REPORT_PAGES=<folder>` the files are kept, for a look with a browser.

use std::path::PathBuf;

use super::sample::{deposit, discrepancy, empty, period, summary, transit};
use super::*;
use tieout_model::{
    DepositRow, DiscrepancyStatus, NotEvaluated, RecordIds, ReportedCheck, SummaryRow, TransitRow,
};

/// Each kind of text that has ever broken a spreadsheet, a page or a terminal.
const TEXTS: [&str; 24] = [
    "=HYPERLINK(\"http://example.com\",\"click\")",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1",
    "\r=1",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "]]><!-- & &amp; &#60;",
    "javascript:alert(1)",
    "{{7*7}} ${7*7} <%= 7 %>",
    "\u{202e}000,01 DSU\u{202c}",
    "مرحبا بالعالم",
    "שלום עולם",
    "👩‍👩‍👧‍👦 🇨🇦 e\u{301}\u{323}",
    "\u{1b}[2J\u{7}\u{0}\u{b}\u{fffe}\u{ffff}",
    "a\nb\r\nc\td",
    "_x0041_ _x000D_",
    "1E5",
    "00012345678901234567890",
    "  leading and trailing  ",
];

fn hostile() -> DateReport<'static> {
    let mut report = empty();
    for (number, text) in (1..).zip(TEXTS) {
        let row = Discrepancy {
            merchant_id: text.into(),
            merchant_name: text.to_owned(),
            ids: RecordIds {
                order_id: text.to_owned(),
                ledger_id: text.to_owned(),
                ..RecordIds::default()
            },
            explanation: text.to_owned(),
            action: text.to_owned(),
            ..discrepancy(&format!("{number:016x}"), "AMOUNT_MISMATCH", Severity::Error)
        };
        report.discrepancies.to_mut().push(row);
        let name = text.to_owned();
        let line = summary(text, "USD", Verdict::Discrepancy);
        report.summary.to_mut().push(SummaryRow { merchant_name: name.clone(), ..line });
        report
            .deposits
            .to_mut()
            .push(DepositRow { merchant_name: name.clone(), ..deposit(number, "USD") });
        report
            .in_transit
            .to_mut()
            .push(TransitRow { merchant_name: name, ..transit("batch", text, 1) });
        let check = ReportedCheck { means: "Two amounts differ.".to_owned(), ..Default::default() };
        report.checks.0.insert("AMOUNT_MISMATCH".to_owned(), check);
        report.run.warnings.push(text.to_owned());
        report.run.checks.not_evaluated.push(NotEvaluated {
            code: text.to_owned(),
            merchant_id: text.into(),
            scope: text.to_owned(),
            reason: text.to_owned(),
            remedy: String::new(),
        });
    }
    let long = "long ".repeat(20_000);
    let row = discrepancy("ffffffffffffffff", "AMOUNT_MISMATCH", Severity::Error);
    report.run.sign_off = sample::signed_off();
    let ids = (0..5_000).map(|id| id.to_string()).collect::<Vec<_>>().join(";");
    let ids = RecordIds { transaction_id: ids, ..row.ids.clone() };
    let row = Discrepancy { merchant_name: long.clone(), ids, ..row };
    report.discrepancies.to_mut().push(Discrepancy { explanation: long, ..row });
    report
}

/// Ten thousand discrepancies of one merchant.
fn many() -> DateReport<'static> {
    let row = |number: i64| Discrepancy {
        difference: Some(number),
        status: if number % 3 == 0 { DiscrepancyStatus::New } else { DiscrepancyStatus::Open },
        ..discrepancy(&format!("{number:016x}"), "MISSING_IN_LEDGER", Severity::Error)
    };
    DateReport {
        discrepancies: (1..=10_000).map(row).collect::<Vec<_>>().into(),
        ..sample::sample()
    }
}

/// The output folder: a temporary one, or a lasting one if the variable names it.
fn folder(name: &str) -> (Option<tempfile::TempDir>, PathBuf) {
    if let Some(folder) = std::env::var_os("REPORT_PAGES") {
        return (None, PathBuf::from(folder).join(name));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    (Some(folder), path)
}

/// Every tag of a page, without the text between them.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).filter_map(|rest| rest.split('>').next()).collect()
}

#[test]
fn lets_no_text_become_a_formula_or_markup() {
    let (_kept, folder) = folder("hostile");
    let written = write_date(&folder, &hostile(), &sample::matches(), &every_format()).unwrap();
    let html = fs::read_to_string(written.folder.join(PAGE_FILE)).unwrap();
    // The page has no script, picture, link or handler but its own.
    assert_eq!(html.matches("<script").count(), 1);
    assert_eq!(html.matches("</script").count(), 1);
    for tag in tags(&html) {
        let name = tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap_or_default();
        assert!(!["img", "iframe", "link", "object", "base"].contains(&name), "{tag}");
        let own_link = tag.starts_with("a href=\"#") || !tag.starts_with("a ");
        assert!(own_link || tag.contains(".csv\"") || tag.contains(".xlsx\""), "{tag}");
        // Every second part is between quotation marks.
        let names: String = tag.split('"').step_by(2).collect();
        assert!(!names.contains(" on") && !names.contains('\''), "{tag}");
    }
    assert!(html.chars().all(|c| !c.is_control() || c == '\n'), "control characters");
    for file in ["discrepancies.csv", "summary.csv", "in_transit.csv", "deposits.csv"] {
        let mut reader = csv::Reader::from_path(written.folder.join(file)).unwrap();
        for record in reader.records().map(Result::unwrap) {
            for cell in record.iter().filter(|cell| cell.parse::<f64>().is_err()) {
                assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{file}: {cell:?}");
            }
        }
    }
}

#[test]
fn shows_hostile_text_as_it_is_in_the_workbook() {
    use calamine::{Data, Reader, Xlsx, open_workbook};
    let folder = tempfile::tempdir().unwrap();
    let report = hostile();
    let written = write_date(folder.path(), &report, &sample::matches(), &every_format()).unwrap();
    let mut workbook: Xlsx<_> = open_workbook(written.folder.join(WORKBOOK_FILE)).unwrap();
    let sheet = workbook.worksheet_range("discrepancies").unwrap();
    let shown: BTreeSet<String> = sheet
        .rows()
        .filter_map(|row| match &row[8] {
            Data::String(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    for text in TEXTS {
        let guarded = Cell::text(text).to_csv().into_owned();
        let expected: String = guarded
            .chars()
            .map(|c| match c {
                '\n' | '\t' => c,
                '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
                control if control.is_control() => '\u{fffd}',
                plain => plain,
            })
            .collect();
        assert!(shown.contains(&expected), "{text:?}, expected {expected:?}");
    }
    assert!(shown.iter().any(|name| name.ends_with('…') && name.len() > 30_000));
    for name in workbook.sheet_names() {
        let formulas = workbook.worksheet_formula(&name).unwrap();
        assert!(formulas.used_cells().next().is_none(), "{name} computes something");
    }
}

#[test]
fn lets_no_text_steer_a_terminal() {
    let shown = terminal::render(
        [terminal::summarize(&hostile(), Path::new("r"))],
        terminal::Detail::All,
        false,
    );
    let steers = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!shown.contains(steers));
}

#[test]
fn summarises_ten_thousand_discrepancies_and_points_at_the_rest() {
    let (_kept, folder) = folder("many");
    let written = write_date(&folder, &many(), &sample::matches(), &every_format()).unwrap();
    let html = fs::read_to_string(written.folder.join(PAGE_FILE)).unwrap();
    assert!(html.len() < 400_000, "the page takes {} bytes", html.len());
    assert!(html.contains("100 rows are shown here, new ones and the largest first; all 10,000"));
    // New ones are the multiples of three; the largest of them comes first.
    assert!(html.contains(&format!("id=\"{:016x}\"", 9_999)));
    assert!(!html.contains(&format!("id=\"{:016x}\"", 10_000)));
    // Rows that are not shown are in the sums: 1 + … + 10,000 cents.
    assert!(html.contains("500,050.00"), "the sum of all");
}

#[test]
fn shows_every_row_of_a_thousand_discrepancies() {
    let row = |number: i64| {
        let code = format!("CODE_{}", number % 10);
        Discrepancy {
            difference: Some(number),
            ..discrepancy(&format!("{number:016x}"), &code, Severity::Error)
        }
    };
    let report = DateReport {
        discrepancies: (1..=1_000).map(row).collect::<Vec<_>>().into(),
        ..sample::sample()
    };
    // A browser opens it within a second: tests/reports.
    let (_kept, folder) = folder("thousand");
    let written = write_date(&folder, &report, &sample::matches(), &every_format()).unwrap();
    let html = fs::read_to_string(written.folder.join(PAGE_FILE)).unwrap();
    assert!((1..=1_000).all(|number| html.contains(&format!("id=\"{number:016x}\""))));
    assert!(!html.contains("shown here"));
}

#[test]
fn says_in_a_period_what_its_days_hide() {
    let mut report = period();
    report.days[0].figures = None;
    report.days[0].verdict = Verdict::NotEvaluated;
    let (_kept, folder) = folder("gap");
    let written = write_period(&folder, &report, &every_format()).unwrap();
    let html = fs::read_to_string(written.folder.join(PAGE_FILE)).unwrap();
    assert!(html.contains("1 date was never reconciled and left out here: 2026-11-19."));
    assert!(html.contains("not everything could be checked"));
}

#[cfg(unix)]
#[test]
fn is_private_and_leaves_nothing_beside_its_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let written = write_period(folder.path(), &period(), &every_format()).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&written.folder), 0o700);
    assert_eq!(mode(written.folder.parent().unwrap()), 0o700);
    let present: BTreeSet<String> = fs::read_dir(&written.folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(present, written.files.keys().cloned().collect());
    for name in &present {
        assert_eq!(mode(&written.folder.join(name)), 0o600, "{name}");
    }
}
