//! Whole tables: no damage by a quote, a line break or a delimiter silently loses a row.

use super::*;
use tieout_config::TableSettings;

const WANTED: Wanted =
    Wanted { needed: &["id", "date"], optional: &["currency", "status"], is_split_whole: true };

fn open(text: &str, settings: &TableSettings) -> Result<Table, TableError> {
    let dates = DateReader::new(&settings.date_format, None);
    Table::open(Source::Text(text.to_owned()), settings, WANTED, dates)
}

/// The rows found whole, and those left out.
fn counts(text: &str) -> (u64, u64) {
    let mut table = open(text, &TableSettings::default()).unwrap();
    let (mut whole, mut broken) = (0, 0);
    while let Some(found) = table.next().unwrap() {
        match found {
            Found::Row => whole += u64::from(table.row().width_fault.is_none()),
            Found::Broken { rows, .. } => broken += rows,
            Found::Remark { .. } => {}
        }
    }
    (whole, broken)
}

/// Rows of five cells in the ways that programs write them.
fn documents() -> Vec<(String, u64)> {
    let rows = |count: u64, row: &dyn Fn(u64) -> String| (1..=count).map(row).collect::<Vec<_>>();
    let plain = rows(6, &|at| format!("A{at},2026-11-0{at},{at}0.00,J. Doe,paid\n")).concat();
    let quoted = rows(5, &|at| {
        format!("\"A{at}\",\"2026-11-0{at}\",\"1,{at}00.00\",\"Doe, \"\"Jo\"\"\",\"paid\"\n")
    })
    .concat();
    let lines =
        rows(5, &|at| format!("A{at},2026-11-0{at},{at}.00,\"one line\nand another\",paid\n"))
            .concat();
    let mixed = "A1,2026-11-01,1.00,\"Doe, J\",paid\nA2,2026-11-02,2.00,,\nA3,2026-11-03,3.00,5\" pipe,paid\n\
                 A4,2026-11-04,4.00,\"x\",\"void\"\n";
    [(plain, 6), (quoted, 5), (lines, 5), (mixed.to_owned(), 4)]
        .map(|(rows, count)| (rows, count))
        .to_vec()
}

const HEADER: &str = "id,date,amount,customer,status\n";

#[test]
fn counts_every_row_after_any_one_damage() {
    let mut wrong = Vec::new();
    for (rows, count) in documents() {
        assert_eq!(counts(&format!("{HEADER}{rows}")), (count, 0), "{rows}");
        let places: Vec<usize> = rows.char_indices().map(|(at, _)| at).collect();
        for &at in &places {
            let mut damaged = Vec::new();
            for mark in ["\"", "\n", ","] {
                damaged.push(format!("{}{mark}{}", &rows[..at], &rows[at..]));
                if rows[at..].starts_with(mark) {
                    damaged.push(format!("{}{}", &rows[..at], &rows[at + 1..]));
                }
            }
            for text in damaged {
                let (whole, broken) = counts(&format!("{HEADER}{text}"));
                if whole + broken != count {
                    wrong.push(format!("{whole} + {broken} of {count} at {at}:\n{text}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases, the first is {}", wrong.len(), wrong[0]);
}

#[test]
fn swallows_no_row_after_two_damages() {
    // Two damages may hide each other; the only row lost then is one that both touched.
    let (rows, count) = documents().swap_remove(1);
    let places: Vec<usize> = rows.char_indices().map(|(at, _)| at).collect();
    for (first, second) in places.iter().zip(places.iter().skip(60)).step_by(3) {
        let text = format!("{}\"{}\"{}", &rows[..*first], &rows[*first..*second], &rows[*second..]);
        let (whole, broken) = counts(&format!("{HEADER}{text}"));
        assert!(whole + broken + 1 >= count, "{whole} + {broken} of {count}:\n{text}");
    }
}

#[test]
fn finds_the_header_again_and_text_that_is_cut_off() {
    let text = format!("{HEADER}A1,2026-11-01,1.00,x,paid\n{HEADER}A2,2026-11-02,1.00,x,paid\n");
    assert_eq!(counts(&text), (2, 0));
    let long = format!("{HEADER}A1,2026-11-01,1.00,x,paid,more\n");
    assert_eq!(counts(&long), (0, 1));
    let blank = format!("{HEADER}A1,2026-11-01,1.00,x,paid,,\n,,,,\n");
    assert_eq!(counts(&blank), (1, 0));
}

#[test]
fn reads_a_sheet_with_what_its_cells_are() {
    use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books.xlsx");
    let mut book = Workbook::new();
    book.add_worksheet().set_name("Notes").unwrap();
    let sheet = book.add_worksheet().set_name("Books").unwrap();
    sheet.write(0, 0, "Export of today").unwrap();
    for (at, header) in ["id", "date", "amount", "status"].into_iter().enumerate() {
        sheet.write(2, u16::try_from(at).unwrap(), header).unwrap();
    }
    let format = Format::new().set_num_format("dd.mm.yyyy");
    let date = ExcelDateTime::from_ymd(2026, 11, 4).unwrap();
    sheet.write(3, 0, 6_137_600).unwrap();
    sheet.write_with_format(3, 1, &date, &format).unwrap();
    sheet.write(3, 2, 1234.5).unwrap();
    sheet.write(3, 3, "paid").unwrap();
    book.save(&path).unwrap();
    let mut settings = TableSettings { skip_lines: 2, ..TableSettings::default() };
    let open = |settings: &TableSettings| {
        let dates = DateReader::new("%d/%m/%Y", None);
        Table::open(Source::Workbook(path.clone()), settings, WANTED, dates)
    };
    let error = open(&settings).err().unwrap().to_string();
    assert_eq!(error, "sheet, expected one alone, found \"Notes\", \"Books\"");
    settings.sheet = Some("Books".to_owned());
    let mut table = open(&settings).unwrap();
    assert_eq!(table.next().unwrap(), Some(Found::Row));
    let row = table.row();
    let cells: Vec<&str> = row.cells.iter().collect();
    assert_eq!((row.line, cells), (4, vec!["6137600", "2026-11-04", "1234.5", "paid"]));
    let date = table.dates().read(row.cells.get(1), row.cells.kind(1)).unwrap();
    assert_eq!(date.to_string(), "2026-11-04");
    assert_eq!(table.next().unwrap(), None);
}
