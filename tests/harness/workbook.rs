//! Reads a workbook with another library than the one that wrote it, and compares every cell with
//! the CSV files beside it.
#![allow(
    clippy::float_arithmetic,
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "a workbook knows no other numbers"
)]

use std::collections::BTreeMap;
use std::path::Path;

use calamine::{Data, Reader, Xlsx, open_workbook};

/// The differences between the sheets of `report.xlsx` in `folder` and its CSV files, cell by cell;
/// empty when they agree.
pub fn differences(folder: &Path) -> Vec<String> {
    let mut workbook: Xlsx<_> = open_workbook(folder.join("report.xlsx")).unwrap();
    let mut wrong = Vec::new();
    let mut sheets = workbook.sheet_names();
    assert_eq!(sheets.remove(0), "overview");
    // A sheet of the workbook alone.
    sheets.retain(|sheet| sheet != "chain");
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
        let records = records(&folder.join(format!("{sheet}.csv")));
        check_headings(&sheet, &range, &records[0], &mut wrong);
        // The rows of the file follow the headings.
        let below = |row: usize| if row == 0 { 0 } else { row + 1 };
        for (row, record) in records.iter().enumerate() {
            for (column, expected) in record.iter().enumerate() {
                let found = range.get((below(row), column)).unwrap_or(&Data::Empty);
                if !is_same(found, expected) {
                    let name = &records[0][column];
                    wrong.push(format!("{sheet} row {row} {name}: {found:?}, not {expected:?}"));
                }
            }
        }
        let beside = range.rows().skip(2).flat_map(|cells| &cells[records[0].len()..]);
        if beside.into_iter().any(|cell| *cell != Data::Empty) {
            wrong.push(format!("{sheet}: more than headings beside the columns of the file"));
        }
        let after: Vec<&[Data]> = range.rows().skip(records.len() + 1).collect();
        wrong.extend(
            check_totals(&after, &records).into_iter().map(|one| format!("{sheet}: {one}")),
        );
    }
    wrong
}

fn records(path: &Path) -> Vec<csv::StringRecord> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).unwrap();
    reader.records().map(Result::unwrap).collect()
}

/// The first row holds the names of the CSV file, the second words; columns for manual entries have
/// both.
fn check_headings(
    sheet: &str,
    range: &calamine::Range<Data>,
    names: &csv::StringRecord,
    wrong: &mut Vec<String>,
) {
    let row = |number: usize| -> Vec<String> {
        range.rows().nth(number).unwrap_or_default().iter().map(ToString::to_string).collect()
    };
    let (first, headings) = (row(0), row(1));
    if !first.iter().map(String::as_str).zip(names).all(|(one, other)| one == other) {
        wrong.push(format!("{sheet}: the first row is {first:?}"));
    }
    let is_word = |text: &String| {
        text.starts_with(|first: char| first.is_uppercase() || first.is_ascii_digit())
            && !text.contains('_')
    };
    if headings.len() != first.len() || !headings.iter().all(is_word) {
        wrong.push(format!("{sheet}: headings {headings:?}"));
    }
}

/// Below a blank row each column of amounts is added up by currency. Columns without a total hold
/// amounts of several dates or kinds.
fn check_totals(after: &[&[Data]], records: &[csv::StringRecord]) -> Vec<String> {
    const APART: [&str; 7] = [
        "expected",
        "actual",
        "in_transit_amount",
        "opening_amount",
        "closing_amount",
        "items_due_amount",
        "items_matched_amount",
    ];
    let mut wrong = Vec::new();
    let (names, rows) = (&records[0], &records[1..]);
    let Some(place) = names.iter().position(|name| name == "currency") else {
        return if after.is_empty() { wrong } else { vec![format!("{after:?} after the rows")] };
    };
    if after.first().is_some_and(|row| row.iter().any(|cell| *cell != Data::Empty)) {
        wrong.push("no blank row before the totals".to_owned());
    }
    for row in after.iter().skip(1) {
        let label = row[0].to_string();
        let code =
            label.strip_prefix("Total ").map(|rest| &rest[..3]).unwrap_or_default().to_owned();
        for (column, name) in names.iter().enumerate().skip(1) {
            let own = rows.iter().filter(|record| record[place] == code);
            let amounts: Vec<&str> =
                own.map(|record| &record[column]).filter(|text| !text.is_empty()).collect();
            match row[column] {
                Data::Float(found) => {
                    let expected: f64 =
                        amounts.iter().map(|text| text.parse::<f64>().unwrap()).sum();
                    if (found - expected).abs() > 0.000_5 {
                        wrong.push(format!("{label} of {name}: {found}, {expected} in CSV"));
                    }
                }
                Data::String(ref text) if text == "of known amounts" => {}
                _ => {
                    let is_money = amounts.iter().any(|text| text.contains('.'))
                        && amounts.iter().all(|text| text.parse::<f64>().is_ok());
                    if is_money
                        && !APART.contains(&name)
                        // Of the steps of a bridge.
                        && !names.iter().any(|name| name == "step")
                        && !name.contains("rate")
                        && name != "threshold"
                    {
                        wrong.push(format!("{label} of {name} is missing"));
                    }
                }
            }
        }
    }
    let with_money = rows.iter().any(|record| record.iter().any(|text| text.ends_with(".00")));
    if with_money && after.len() < 2 {
        wrong.push("no totals".to_owned());
    }
    wrong
}

/// A number is a number in the workbook, and a date a date; ids of digits alone stay text.
fn is_same(found: &Data, expected: &str) -> bool {
    match found {
        Data::Empty => expected.is_empty(),
        Data::String(text) => text == expected,
        // The text is the nearest number, and so must the cell be.
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

/// The values on the first sheet by their labels, in small letters.
pub fn overview(folder: &Path) -> BTreeMap<String, String> {
    let mut workbook: Xlsx<_> = open_workbook(folder.join("report.xlsx")).unwrap();
    let range = workbook.worksheet_range("overview").unwrap();
    let rows = range.rows().filter(|row| row.len() > 1);
    rows.map(|row| (row[0].to_string().to_lowercase(), row[1].to_string())).collect()
}

/// The kinds of the cells of one column below its header, each once.
pub fn kinds(folder: &Path, sheet: &str, column: &str) -> Vec<&'static str> {
    let mut workbook: Xlsx<_> = open_workbook(folder.join("report.xlsx")).unwrap();
    let range = workbook.worksheet_range(sheet).unwrap();
    let mut rows = range.rows();
    let header = rows.next().unwrap();
    let position = header.iter().position(|cell| *cell == Data::String(column.to_owned())).unwrap();
    // Up to the blank row before the totals.
    let rows = rows.skip(1).take_while(|row| row.iter().any(|cell| *cell != Data::Empty));
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
