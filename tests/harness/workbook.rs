//! Reads a workbook with another library than the one that wrote it, and holds every cell of
//! it against the CSV files beside it.
#![allow(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "a workbook knows no other numbers"
)]

use std::collections::BTreeMap;
use std::path::Path;

use calamine::{Data, Reader, Xlsx, open_workbook};

/// What differs between the sheets of `report.xlsx` in `folder` and its CSV files, cell by
/// cell; nothing when they say the same.
pub fn differences(folder: &Path) -> Vec<String> {
    let mut workbook: Xlsx<_> = open_workbook(folder.join("report.xlsx")).unwrap();
    let mut wrong = Vec::new();
    let mut sheets = workbook.sheet_names();
    assert_eq!(sheets.remove(0), "overview");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            entry.unwrap().file_name().to_str()?.strip_suffix(".csv").map(str::to_owned)
        })
        .collect();
    files.sort();
    let mut sorted = sheets.clone();
    sorted.sort();
    assert_eq!(sorted, files, "a sheet for each file");
    for sheet in sheets {
        let range = workbook.worksheet_range(&sheet).unwrap();
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_path(folder.join(format!("{sheet}.csv")))
            .unwrap();
        let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        if range.height() != records.len() {
            wrong.push(format!("{sheet}: {} rows, {} in CSV", range.height(), records.len()));
        }
        // What people fill in is empty.
        let by_hand: &[&str] = if sheet == "discrepancies" { &["owner", "comment"] } else { &[] };
        for (row, cells) in range.rows().enumerate() {
            let more = cells[records[0].len()..].iter();
            let more: Vec<String> = more.map(ToString::to_string).collect();
            let is_as_meant = if row == 0 { more == by_hand } else { more.concat().is_empty() };
            if !is_as_meant {
                wrong.push(format!("{sheet} row {row}: {more:?} beside the columns of the file"));
            }
        }
        for (row, record) in (0..).zip(&records) {
            for (column, expected) in (0..).zip(record.iter()) {
                let found = range.get_value((row, column)).unwrap_or(&Data::Empty);
                if !is_same(found, expected) {
                    let name = &records[0][column as usize];
                    wrong.push(format!("{sheet} row {row} {name}: {found:?}, not {expected:?}"));
                }
            }
        }
    }
    wrong
}

/// A number is a number in the workbook, and a date a date; ids of digits alone stay text.
fn is_same(found: &Data, expected: &str) -> bool {
    match found {
        Data::Empty => expected.is_empty(),
        Data::String(text) => text == expected,
        // What the text says is the nearest number, and so must the cell be.
        Data::Float(number) => {
            expected.parse::<f64>().is_ok_and(|value| value.to_bits() == number.to_bits())
        }
        Data::Int(number) => expected.parse::<i64>().is_ok_and(|value| value == *number),
        Data::DateTime(date) => {
            let days = chrono::NaiveDate::from_ymd_opt(1899, 12, 30).unwrap();
            let expected: chrono::NaiveDate = expected.parse().unwrap();
            let days = i32::try_from((expected - days).num_days()).unwrap();
            f64::from(days).to_bits() == date.as_f64().to_bits()
        }
        _ => false,
    }
}

/// The values on the first sheet by their labels.
pub fn overview(folder: &Path) -> BTreeMap<String, String> {
    let mut workbook: Xlsx<_> = open_workbook(folder.join("report.xlsx")).unwrap();
    let range = workbook.worksheet_range("overview").unwrap();
    let rows = range.rows().filter(|row| row.len() > 1);
    rows.map(|row| (row[0].to_string(), row[1].to_string())).collect()
}

/// The kinds of the cells of one column below its header, each once.
pub fn kinds(folder: &Path, sheet: &str, column: &str) -> Vec<&'static str> {
    let mut workbook: Xlsx<_> = open_workbook(folder.join("report.xlsx")).unwrap();
    let range = workbook.worksheet_range(sheet).unwrap();
    let mut rows = range.rows();
    let header = rows.next().unwrap();
    let position = header.iter().position(|cell| *cell == Data::String(column.to_owned())).unwrap();
    let mut kinds: Vec<&str> = rows
        .filter_map(|row| match &row[position] {
            Data::Empty => None,
            Data::String(_) => Some("text"),
            Data::Float(_) | Data::Int(_) => Some("number"),
            Data::DateTime(_) => Some("date"),
            _ => Some("other"),
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
