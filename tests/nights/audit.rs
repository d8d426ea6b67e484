//! Invariants of the reports of any run: totals roll forward, records are conserved, and every
//! derived figure can be derived again from its row.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::NaiveDate;
use serde_json::Value;

use crate::harness::reports::{Row, is_carried, manifest, minor, table};

/// The violations in the reports of `dates`, which were run in order.
pub fn faults(root: &Path, dates: &[NaiveDate]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut closing_before = 0;
    let mut groups = Groups::new();
    for &date in dates {
        let record = manifest(root, date);
        closing_before = roll_forward(date, &record, closing_before, &mut wrong);
        summary(date, root, &record, &mut wrong);
        deposits(date, root, &mut groups, &mut wrong);
        batches(date, root, &mut wrong);
        digests(date, root, &record, &mut wrong);
    }
    wrong
}

fn count(record: &Value, part: &str, name: &str) -> i64 {
    record[part][name]["count"].as_i64().unwrap()
}

fn roll_forward(date: NaiveDate, record: &Value, before: i64, wrong: &mut Vec<String>) -> i64 {
    let of = |name| count(record, "discrepancies", name);
    if of("opening") != before {
        wrong
            .push(format!("{date}: opening {} is not the closing before, {before}", of("opening")));
    }
    if of("opening") + of("new") + of("reopened") - of("cleared") - of("accepted") != of("closing")
    {
        wrong.push(format!("{date}: {} does not roll forward", record["discrepancies"]));
    }
    if record["records"]["received"] != record["records"]["stored"] {
        wrong.push(format!("{date}: received is not stored: {}", record["records"]));
    }
    of("closing")
}

/// The columns of the summary add up to the manifest and to the other tables.
fn summary(date: NaiveDate, root: &Path, record: &Value, wrong: &mut Vec<String>) {
    let rows = table(root, date, "summary.csv");
    let sum = |column: &str| rows.iter().map(|row| row[column].parse::<i64>().unwrap_or(0)).sum();
    let of = |name| count(record, "discrepancies", name);
    let listed = table(root, date, "discrepancies.csv");
    let is_carried = |row: &&Row| is_carried(row);
    let with = |status: &str| {
        i64::try_from(
            listed.iter().filter(is_carried).filter(|row| row["status"] == status).count(),
        )
        .unwrap()
    };
    let lines = |file| i64::try_from(table(root, date, file).len()).unwrap();
    let pairs: [(&str, i64, i64); 9] = [
        ("opening", sum("opening"), of("opening")),
        ("new and reopened", sum("new"), of("new") + of("reopened")),
        ("cleared", sum("cleared"), of("cleared")),
        ("closing", sum("closing"), of("closing")),
        ("new rows", with("new"), sum("new")),
        ("cleared rows", with("cleared"), sum("cleared")),
        ("new and open rows", with("new") + with("open"), sum("closing")),
        ("deposits", lines("deposits.csv"), sum("deposits")),
        ("batches", lines("batches.csv"), sum("batches")),
    ];
    for (what, left, right) in pairs {
        if left != right {
            wrong.push(format!("{date}: summary: {what}: {left} is not {right}"));
        }
    }
    in_transit(date, root, &rows, wrong);
}

fn in_transit(date: NaiveDate, root: &Path, summary: &[Row], wrong: &mut Vec<String>) {
    let mut sums: BTreeMap<(String, String), i64> = BTreeMap::new();
    for row in table(root, date, "in_transit.csv") {
        let key = (row["merchant_id"].clone(), row["currency"].clone());
        *sums.entry(key).or_default() += minor(&row["amount"]).unwrap_or(0);
    }
    for row in summary.iter().filter(|row| row["verdict"] != "not_evaluated") {
        let key = (row["merchant_id"].clone(), row["currency"].clone());
        let sum = sums.remove(&key).unwrap_or(0);
        if minor(&row["in_transit_amount"]).unwrap_or(0) != sum {
            wrong.push(format!("{date}: in transit adds up to {sum}, but {row:?}"));
        }
    }
}

/// Deposits so far by merchant and association date: the paid net amount less the stated one.
type Groups = BTreeMap<(String, String), i64>;

/// The figures of each deposit follow from its row, and `unexplained` from its group's.
fn deposits(date: NaiveDate, root: &Path, groups: &mut Groups, wrong: &mut Vec<String>) {
    let rows = table(root, date, "deposits.csv");
    let of = |row: &Row, column: &str| minor(&row[column]);
    let beside = beside(date, root, &rows);
    for row in &rows {
        let known = |column| minor(&row[column]).unwrap_or(0);
        let expected = known("sales")
            - known("returns")
            - known("daily_fees")
            - known("held_sales")
            - known("ach_adjustment")
            - known("holdback")
            + known("reserve_release");
        if of(row, "net_expected").is_some_and(|stated| stated != expected) {
            wrong.push(format!("{date}: net_expected should be {expected}: {row:?}"));
        }
        let key = (row["merchant_id"].clone(), row["association_date"].clone());
        *groups.entry(key.clone()).or_default() += paid(row);
        if row["verdict"] == "tied" {
            let tied =
                known("net_amount") == expected && known("fees_total") == known("daily_fees");
            if !tied || of(row, "unexplained").is_some_and(|rest| rest != 0) {
                wrong.push(format!("{date}: said to tie: {row:?}"));
            }
        }
        if row["verdict"] == "discrepancy" && row["unexplained"].is_empty() {
            continue;
        }
        // A group that began before the first date of the run may have been paid in part then.
        let is_whole = row["association_date"].as_str() >= first_date(root).as_str();
        if let Some(stated) = of(row, "unexplained").filter(|_| is_whole) {
            let explained = known("batch_sales")
                - known("batch_returns")
                - known("returned_amount")
                - known("disputed_amount");
            let rest = groups[&key] - explained;
            if rest != stated && !beside.contains(&(row["merchant_id"].clone(), rest - stated)) {
                wrong.push(format!("{date}: unexplained should be {rest}: {row:?}"));
            }
        }
    }
}

/// What a deposit pays, with what it states that it keeps.
fn paid(row: &Row) -> i64 {
    let known = |column: &str| minor(&row[column]).unwrap_or(0);
    known("net_amount") + known("held_sales") + known("holdback") + known("fees_total")
        - known("reserve_release")
}

/// The explained rests of a merchant's group: a balance that was carried into it, or its deposit
/// that the bank sent back and whose equal is paid on this date.
fn beside(date: NaiveDate, root: &Path, rows: &[Row]) -> BTreeSet<(String, i64)> {
    let mut found = BTreeSet::new();
    for entry in table(root, date, "discrepancies.csv") {
        let merchant = || entry["merchant_id"].clone();
        if entry["code"] == "DEPOSIT_CARRIED" {
            let figures = minor(&entry["expected"]).zip(minor(&entry["actual"]));
            found.extend(figures.map(|(balance, left)| (merchant(), balance - left)));
        }
        let is_equal = |row: &&Row| {
            entry["code"] == "DEPOSIT_NOT_IN_BANK"
                && row["merchant_id"] == entry["merchant_id"]
                && row["net_amount"] == entry["expected"]
        };
        found.extend(rows.iter().filter(is_equal).map(|row| (merchant(), paid(row))));
    }
    found
}

fn first_date(root: &Path) -> String {
    std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .min()
        .unwrap()
}

/// A tied batch equals its items, where it is alone on its merchant's day.
fn batches(date: NaiveDate, root: &Path, wrong: &mut Vec<String>) {
    let rows = table(root, date, "batches.csv");
    for row in &rows {
        if row["batch_date"] != date.to_string() {
            wrong.push(format!("{date}: a batch of another day: {row:?}"));
        }
        let is_alone =
            rows.iter().filter(|other| other["merchant_id"] == row["merchant_id"]).count() == 1;
        let header = [&row["transaction_count"], &row["sale_amount"], &row["return_amount"]];
        let items = [&row["items_count"], &row["items_sales"], &row["items_returns"]];
        let is_agreed = row["verdict"] == "tied" || row["verdict"] == "in_transit";
        if is_agreed && is_alone && header != items {
            wrong.push(format!("{date}: said to tie: {row:?}"));
        }
    }
}

/// The manifest names the other files and the digests of their content.
fn digests(date: NaiveDate, root: &Path, record: &Value, wrong: &mut Vec<String>) {
    let mut files = crate::harness::reports::files(&root.join(date.to_string()));
    files.remove("run.json");
    let named: BTreeMap<String, String> = serde_json::from_value(record["files"].clone()).unwrap();
    let found: BTreeMap<String, String> = files
        .into_iter()
        .map(|(name, content)| (name, tieout_model::digest::sha256_hex(&content)))
        .collect();
    if named != found {
        wrong.push(format!("{date}: the manifest names {named:?}, the folder holds {found:?}"));
    }
}
