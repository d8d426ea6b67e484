//! Merges the files of one ledger. Rows that overlapping exports repeat count once.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::input::Record;
use super::order_by_id::compare_ids;

/// The records of a merchant, from its files in order of name.
///
/// Rows of two files that agree in everything are one record, as often as the file that holds it
/// most often; where only the status differs, that of the last file counts. Equal rows of one file
/// are as many records.
pub fn merge_exports(files: Vec<Vec<Record>>) -> Vec<Record> {
    let shared = shared_dates(&files);
    if shared.is_empty() {
        return files.into_iter().flatten().collect();
    }
    let mut merged = Vec::new();
    let mut overlapping: Vec<(usize, Record)> = Vec::new();
    for (file, records) in files.into_iter().enumerate() {
        for record in records {
            if shared.contains(&record.date) {
                overlapping.push((file, record));
            } else {
                merged.push(record);
            }
        }
    }
    overlapping.sort_by(|(file, one), (other_file, other)| {
        let by_place = || (file, one.line).cmp(&(other_file, other.line));
        compare_content(one, other).then_with(by_place)
    });
    for same in overlapping.chunk_by(|one, other| compare_content(&one.1, &other.1).is_eq()) {
        merged.extend(once(same).into_iter().cloned());
    }
    merged
}

/// The order of file names, in which numbers count as numbers: `books-9.csv` is before
/// `books-10.csv`.
#[must_use]
pub fn compare_names(one: &str, other: &str) -> Ordering {
    fn runs(name: &str) -> impl Iterator<Item = &str> {
        let runs = name.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
        runs.map(|run| std::str::from_utf8(run).unwrap_or_default())
    }
    let mut pairs = runs(one).zip(runs(other)).map(|(one, other)| compare_ids(one, other));
    pairs.find(|order| order.is_ne()).unwrap_or_else(|| one.cmp(other))
}

/// Dates that more than one file holds; rows of all other dates need no comparison.
fn shared_dates(files: &[Vec<Record>]) -> BTreeSet<NaiveDate> {
    let mut files_of: BTreeMap<NaiveDate, usize> = BTreeMap::new();
    for records in files {
        let dates: BTreeSet<NaiveDate> = records.iter().map(|record| record.date).collect();
        for date in dates {
            *files_of.entry(date).or_default() += 1;
        }
    }
    files_of.into_iter().filter(|(_, files)| *files > 1).map(|(date, _)| date).collect()
}

/// Among rows that agree in all but the status, by file: those of the last file, plus as many from
/// the file that holds most as it has more.
fn once(same: &[(usize, Record)]) -> Vec<&Record> {
    let by_file: Vec<&[(usize, Record)]> = same.chunk_by(|one, other| one.0 == other.0).collect();
    let Some(last) = by_file.last() else { return Vec::new() };
    // Among files that hold it equally often, the first.
    let fullest = by_file.iter().rev().max_by_key(|rows| rows.len()).unwrap_or(last);
    let more = fullest.iter().skip(last.len());
    last.iter().chain(more).map(|(_, record)| record).collect()
}

fn compare_content(one: &Record, other: &Record) -> Ordering {
    compare_ids(&one.ledger_id, &other.ledger_id)
        .then_with(|| one.date.cmp(&other.date))
        .then_with(|| one.amount.cmp(&other.amount))
        .then_with(|| one.kind.cmp(&other.kind))
        .then_with(|| one.currency.code().cmp(other.currency.code()))
        .then_with(|| one.order_id.cmp(&other.order_id))
        .then_with(|| one.reference.cmp(&other.reference))
        .then_with(|| one.last4.cmp(&other.last4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_model::money::{Currency, Minor};
    use tieout_model::{LedgerKind, LedgerStatus};

    #[test]
    fn numbers_in_file_names_count_as_numbers() {
        let names = [
            "2026/b.csv",
            "books-9.csv",
            "books-10.csv",
            "books-010.csv",
            "books-10b.csv",
            "books.csv",
        ];
        for (at, one) in names.iter().enumerate() {
            for (other_at, other) in names.iter().enumerate() {
                let expected = match (at, other_at) {
                    // Equal numbers are in order of their text.
                    (2, 3) => Ordering::Greater,
                    (3, 2) => Ordering::Less,
                    _ => at.cmp(&other_at),
                };
                assert_eq!(compare_names(one, other), expected, "{one} {other}");
            }
        }
    }

    /// Parses rows of a file, such as `A 5 paid; A 5 void`.
    fn file(rows: &str) -> Vec<Record> {
        let row = |(line, row): (u32, &str)| {
            let words: Vec<&str> = row.split_whitespace().collect();
            Record {
                ledger_id: words[0].into(),
                line,
                kind: LedgerKind::Payment,
                date: "2026-11-02".parse().unwrap(),
                amount: Minor(words[1].parse().unwrap()),
                currency: Currency::from_code("USD").unwrap(),
                order_id: None,
                reference: None,
                last4: None,
                status: LedgerStatus::from_name(words[2]).unwrap(),
                day_not_read: false,
            }
        };
        (2..).zip(rows.split(';').filter(|row| !row.trim().is_empty())).map(row).collect()
    }

    #[test]
    fn counts_a_row_of_overlapping_exports_once() {
        let cases: [(&[&str], &str); 7] = [
            (&["A 5 paid; A 5 paid"], "A 5 paid; A 5 paid"),
            (&["A 5 paid", "A 5 paid"], "A 5 paid"),
            (&["A 5 paid; A 5 paid", "A 5 paid"], "A 5 paid; A 5 paid"),
            (&["A 5 paid", "A 5 void"], "A 5 void"),
            (&["A 5 void", "A 5 paid; B 1 paid"], "A 5 paid; B 1 paid"),
            (&["A 5 paid; A 5 paid", "A 5 void"], "A 5 paid; A 5 void"),
            (&["A 5 paid", "A 6 paid"], "A 5 paid; A 6 paid"),
        ];
        for (files, expected) in cases {
            let merged = merge_exports(files.iter().map(|rows| file(rows)).collect());
            let mut rows: Vec<String> = merged
                .iter()
                .map(|one| format!("{} {} {}", one.ledger_id, one.amount.0, one.status.as_str()))
                .collect();
            rows.sort();
            assert_eq!(rows.join("; "), expected, "{files:?}");
        }
    }
}
