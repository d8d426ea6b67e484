//! Compares a disturbed run with the undisturbed one: the same rows, or fewer where the run says
//! so; never an additional row, never another figure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::NaiveDate;
use serde_json::Value;
use tieout_sandbox::{Fault, Outcome};

use crate::harness::{Ended, reports};
use crate::scenario::Scenario;

type Row = reports::Row;

/// Two report folders over the same dates.
pub struct Nights<'a> {
    pub whole: &'a Path,
    pub other: &'a Path,
    pub days: &'a [NaiveDate],
}

/// The violations, in words.
pub fn faults(nights: &Nights<'_>, scenario: &Scenario, ended: &Ended) -> Vec<String> {
    match ended.code {
        Some(0) => differences(nights, scenario),
        Some(1 | 4 | 5) => Judge::new(nights).faults(ended),
        code => vec![format!("ended with {code:?}")],
    }
}

/// The open discrepancies of `day` that a sound night after disturbed ones does not report.
pub fn unsaid(whole: &Path, other: &Path, day: NaiveDate) -> Vec<String> {
    let open = |root| -> BTreeMap<String, [String; 3]> {
        let rows = reports::table(root, day, "discrepancies.csv").into_iter();
        rows.filter(|row| row["status"] != "cleared" && reports::is_carried(row))
            .map(|row| {
                let figures = ["expected", "actual", "difference"].map(|name| row[name].clone());
                (row["discrepancy_id"].clone(), figures)
            })
            .collect()
    };
    let said = open(other);
    let missing = open(whole).into_iter().filter(|(id, figures)| said.get(id) != Some(figures));
    missing.map(|(id, figures)| format!("{day}: {id} of {figures:?} is not said")).collect()
}

/// A run that ends with 0 states that nothing is missing: then every file is the same, except
/// figures of merchants for which nothing is checked.
fn differences(nights: &Nights<'_>, scenario: &Scenario) -> Vec<String> {
    let (whole, other) = (reports::tables(nights.whole), reports::tables(nights.other));
    let mut wrong = Vec::new();
    let mut with_less = BTreeSet::new();
    for (name, content) in &whole {
        if other.get(name) == Some(content) {
            continue;
        }
        let day = name.strip_suffix("/deposits.csv").and_then(|day| day.parse().ok());
        if let Some(day) = day.filter(|day| is_less_than_nobody_checks(nights, *day)) {
            with_less.insert(day);
            continue;
        }
        let found = other.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        wrong.push(format!(
            "{name} differs:\n{}\nfound\n{}",
            String::from_utf8_lossy(content),
            found.unwrap_or_default()
        ));
    }
    if !wrong.is_empty() {
        return wrong;
    }
    for day in nights.days {
        let [mut left, mut right] = [nights.whole, nights.other]
            .map(|root| comparable(reports::manifest(root, *day), scenario));
        if with_less.contains(day) {
            if right["warnings"].as_array().unwrap().is_empty() {
                wrong.push(format!("{day}: a listing is not complete and nobody says so"));
            }
            for key in ["listings", "records", "warnings", "results_digest", "files"] {
                left[key].take();
                right[key].take();
            }
        }
        if left != right {
            wrong.push(format!("{day}/run.json differs:\n{}", lines_apart(&left, &right)));
        }
    }
    wrong
}

/// Whether the deposits of a day lack only the fees of unconfigured merchants: those merchants are
/// a finding, and their unreadable fees do not make the run partial.
fn is_less_than_nobody_checks(nights: &Nights<'_>, day: NaiveDate) -> bool {
    let [whole, other] =
        [nights.whole, nights.other].map(|root| reports::table(root, day, "deposits.csv"));
    let findings = reports::table(nights.whole, day, "discrepancies.csv");
    let is_unchecked = |row: &Row| {
        let mut unknown = findings.iter().filter(|found| found["code"] == "UNKNOWN_MERCHANT");
        unknown.any(|found| found["merchant_id"] == row["merchant_id"])
    };
    whole.len() == other.len()
        && whole.iter().zip(&other).all(|(expected, found)| {
            differing(expected, found, &[]).into_iter().all(|column| {
                let follows = ["fees_total", "unexplained"].contains(&column.as_str());
                follows && found[&column].is_empty() && is_unchecked(expected)
            })
        })
}

/// The lines that only one of the two has.
fn lines_apart(left: &Value, right: &Value) -> String {
    let [left, right] = [left, right].map(|value| format!("{value:#}"));
    let less = |text: &str, from: &str, sign: char| -> Vec<String> {
        let lines: BTreeSet<&str> = from.lines().collect();
        text.lines()
            .filter(|line| !lines.contains(line))
            .map(|line| format!("{sign}{line}"))
            .collect()
    };
    [less(&left, &right, '-'), less(&right, &left, '+')].concat().join("\n")
}

/// A manifest without the parts that may differ: times, the size of a page whose links differ, and
/// the listings when records were shown differently at first.
fn comparable(mut manifest: Value, scenario: &Scenario) -> Value {
    let record = manifest.as_object_mut().unwrap();
    for key in ["started", "ended", "stages", "store"] {
        record.remove(key).unwrap();
    }
    if scenario.has(Outcome::Corrects) {
        record.remove("listings").unwrap();
        record.remove("records").unwrap();
        return manifest;
    }
    let other_bytes =
        [Fault::ForeignLinks, Fault::MisspeltLinks, Fault::OddMethods, Fault::DuplicateRecords];
    if scenario.faults.iter().any(|fault| other_bytes.contains(fault)) {
        for listing in record["listings"].as_array_mut().unwrap() {
            listing["bytes"].take();
            listing["digest"].take();
        }
    }
    if scenario.faults.contains(&Fault::DuplicateRecords) {
        for listing in record["listings"].as_array_mut().unwrap() {
            // A record that comes twice can hide for a page where two stretches meet.
            listing["pages"].take();
        }
    }
    manifest
}

/// The columns of a discrepancy that depend on the evaluation of earlier dates.
const LIFE: [&str; 3] = ["status", "first_seen", "age_days"];

/// The columns of a summary that follow from discrepancies.
const ROLL: [&str; 13] = [
    "opening",
    "new",
    "cleared",
    "closing",
    "closing_amount",
    "opening_amount",
    "new_amount",
    "cleared_amount",
    "accepted",
    "accepted_amount",
    "changed_amount",
    "overdue_amount",
    "final",
];

/// The columns of a summary that count records in scope.
const MATCHED: [&str; 2] = ["matched", "match_rate"];

/// The columns of a summary that need the currency of deposits.
const DEPOSITED: [&str; 3] = ["verdict", "deposits", "deposited_net"];

/// The files of one date and the checks that it could not evaluate.
struct Date {
    day: NaiveDate,
    whole: BTreeMap<&'static str, Vec<Row>>,
    other: BTreeMap<&'static str, Vec<Row>>,
    manifest: Value,
}

struct Judge {
    dates: Vec<Date>,
    missing: Vec<NaiveDate>,
    /// Whether the first date is missing: then the store, and its scope, begin later.
    begins_later: bool,
    /// Code and merchant (empty for all) with the first date on which they could not be evaluated.
    untold: BTreeMap<(String, String), NaiveDate>,
    wrong: Vec<String>,
}

const FILES: [&str; 6] = [
    "discrepancies.csv",
    "deposits.csv",
    "batches.csv",
    "in_transit.csv",
    "matches.csv",
    "summary.csv",
];

impl Judge {
    fn new(nights: &Nights<'_>) -> Self {
        let mut judge = Self {
            dates: Vec::new(),
            missing: Vec::new(),
            begins_later: false,
            untold: BTreeMap::new(),
            wrong: Vec::new(),
        };
        for &day in nights.days {
            if !nights.other.join(day.to_string()).join("run.json").exists() {
                judge.missing.push(day);
                continue;
            }
            let read = |root: &Path| {
                FILES.into_iter().map(|file| (file, reports::table(root, day, file))).collect()
            };
            let manifest = reports::manifest(nights.other, day);
            for entry in manifest["checks"]["not_evaluated"].as_array().unwrap() {
                let text = |name: &str| entry[name].as_str().unwrap().to_owned();
                judge.untold.entry((text("code"), text("merchant_id"))).or_insert(day);
            }
            judge.dates.push(Date {
                day,
                whole: read(nights.whole),
                other: read(nights.other),
                manifest,
            });
        }
        judge.begins_later = nights.days.first().is_some_and(|day| judge.missing.contains(day));
        judge
    }

    fn faults(mut self, ended: &Ended) -> Vec<String> {
        for day in self.missing.clone() {
            let is_said = ended
                .stderr
                .lines()
                .any(|line| line.starts_with("error: ") && line.contains(&day.to_string()));
            self.demand(is_said, || format!("{day} is missing and nobody says so"));
        }
        // A missing date leaves its findings to the next run of it.
        let first_missing = self.missing.first().copied();
        self.demand(!self.untold.is_empty() || first_missing.is_some(), || {
            "the run is partial and does not say why".to_owned()
        });
        for date in std::mem::take(&mut self.dates) {
            self.listings(&date);
            let is_after_gap = first_missing.is_some_and(|missing| missing < date.day);
            if !is_after_gap {
                self.discrepancies(&date);
            }
            self.rows(&date, "deposits.csv", "ach_deposit_id", "ach-deposits");
            self.rows(&date, "batches.csv", "batch_id", "batches");
            self.in_transit(&date, is_after_gap);
            if !is_after_gap {
                self.matches(&date);
            }
            self.summary(&date, is_after_gap);
        }
        self.wrong
    }

    fn demand(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(what());
        }
    }

    /// Whether the check could not be evaluated for the merchant on a date up to this one.
    fn is_untold(&self, code: &str, merchant: &str, day: NaiveDate) -> bool {
        ["", merchant].into_iter().any(|who| {
            self.untold.get(&(code.to_owned(), who.to_owned())).is_some_and(|first| *first <= day)
        })
    }

    fn is_anything_untold(&self, merchant: &str, day: NaiveDate) -> bool {
        self.untold
            .iter()
            .any(|((_, who), first)| (who.is_empty() || who == merchant) && *first <= day)
    }

    /// Every listing that is not complete says why, and where.
    fn listings(&mut self, date: &Date) {
        for listing in date.manifest["listings"].as_array().unwrap().clone() {
            let error = listing["error"].as_str().unwrap_or_default().to_owned();
            let is_complete = listing["verdict"] == "complete";
            self.demand(is_complete == error.is_empty(), || format!("{}: {listing}", date.day));
            self.demand(is_complete || error.contains("page "), || {
                format!("{}: names no page: {listing}", date.day)
            });
        }
    }

    fn discrepancies(&mut self, date: &Date) {
        let day = date.day;
        let by_id = |rows: &[Row]| -> BTreeMap<String, Row> {
            rows.iter().map(|row| (row["discrepancy_id"].clone(), row.clone())).collect()
        };
        let (whole, other) =
            (by_id(&date.whole["discrepancies.csv"]), by_id(&date.other["discrepancies.csv"]));
        for (id, row) in &other {
            let is_untold = self.is_untold(&row["code"], &row["merchant_id"], day);
            match whole.get(id) {
                // An open discrepancy that cannot be evaluated stays open, or is cleared later.
                None => self.demand(is_untold && row["status"] != "new", || {
                    format!("{day}: false accusation: {row:#?}")
                }),
                Some(_) if is_untold => {}
                Some(expected) => {
                    self.demand(row == expected, || {
                        format!("{day}: {row:#?} is not {expected:#?}")
                    });
                }
            }
            if let Some(expected) = whole.get(id).filter(|_| is_untold && row["status"] == "new") {
                let differing = differing(expected, row, &LIFE);
                self.demand(differing.is_empty(), || {
                    format!("{day}: {id} differs in {differing:?}: {row:#?}")
                });
            }
        }
        for (id, row) in whole.iter().filter(|(id, _)| !other.contains_key(*id)) {
            let is_untold = self.is_untold(&row["code"], &row["merchant_id"], day);
            self.demand(is_untold, || format!("{day}: {id} is missing silently: {row:#?}"));
        }
    }

    /// Deposits or batches: a row is equal or has empty fields; a missing row is stated.
    fn rows(&mut self, date: &Date, file: &'static str, key: &str, resource: &str) {
        let day = date.day;
        let by_key = |rows: &[Row]| -> BTreeMap<String, Row> {
            rows.iter().map(|row| (row[key].clone(), row.clone())).collect()
        };
        let (whole, other) = (by_key(&date.whole[file]), by_key(&date.other[file]));
        let is_read = is_listing_complete(&date.manifest, resource, day);
        for (id, expected) in &whole {
            let Some(row) = other.get(id) else {
                self.demand(!is_read, || format!("{day}: {file} lacks {id} silently"));
                continue;
            };
            for column in differing(expected, row, &["verdict"]) {
                self.demand(row[&column].is_empty(), || {
                    format!(
                        "{day}: {file} {id}: {column} is {:?}, not {:?}",
                        row[&column], expected[&column]
                    )
                });
            }
            let (verdict, wanted) = (&row["verdict"], &expected["verdict"]);
            let may_differ = verdict == "not_evaluated"
                || self.is_anything_untold(&row["merchant_id"], day)
                    && wanted == "discrepancy"
                    && day > self.first_untold();
            self.demand(verdict == wanted || may_differ, || {
                format!("{day}: {file} {id}: {verdict}, not {wanted}")
            });
            let empty: Vec<String> = differing(expected, row, &["verdict"]);
            self.demand(
                empty.is_empty() || verdict == "not_evaluated" || verdict == wanted,
                || format!("{day}: {file} {id}: {verdict} without {empty:?}"),
            );
        }
        for id in other.keys().filter(|id| !whole.contains_key(*id)) {
            self.demand(false, || format!("{day}: {file} invents {id}"));
        }
    }

    fn first_untold(&self) -> NaiveDate {
        self.untold.values().min().copied().unwrap_or(NaiveDate::MAX)
    }

    /// No row in transit depends on a missing listing; if one is left out, the sum is unknown, and
    /// the date is not evaluated in full.
    fn in_transit(&mut self, date: &Date, is_after_gap: bool) {
        let day = date.day;
        let set = |rows: &[Row]| -> BTreeSet<Row> { rows.iter().cloned().collect() };
        let (whole, other) =
            (set(&date.whole["in_transit.csv"]), set(&date.other["in_transit.csv"]));
        for row in other.difference(&whole) {
            self.demand(false, || format!("{day}: falsely in transit: {row:#?}"));
        }
        for row in whole.difference(&other) {
            let is_known = date.other["summary.csv"].iter().any(|summary| {
                summary["merchant_id"] == row["merchant_id"]
                    && summary["currency"] == row["currency"]
                    && !summary["in_transit_amount"].is_empty()
            });
            let not_evaluated = date.manifest["checks"]["not_evaluated"].as_array();
            let is_said = not_evaluated.unwrap().iter().any(|entry| {
                let merchant = entry["merchant_id"].as_str().unwrap_or("");
                merchant.is_empty() || merchant == row["merchant_id"]
            });
            let is_told = is_said || is_after_gap;
            self.demand(!is_known && is_told || self.begins_later, || {
                format!("{day}: silently not in transit: {row:#?}")
            });
        }
    }

    /// Pairs are those of the undisturbed run; if one is left out, the count is unknown.
    fn matches(&mut self, date: &Date) {
        let day = date.day;
        let set = |rows: &[Row]| -> BTreeSet<Row> { rows.iter().cloned().collect() };
        let (whole, other) = (set(&date.whole["matches.csv"]), set(&date.other["matches.csv"]));
        for row in other.difference(&whole) {
            self.demand(false, || format!("{day}: falsely matched: {row:#?}"));
        }
        for row in whole.difference(&other) {
            let is_known = !self.is_anything_untold(&row["merchant_id"], day);
            self.demand(!is_known, || format!("{day}: silently not matched: {row:#?}"));
        }
    }

    fn summary(&mut self, date: &Date, is_after_gap: bool) {
        let day = date.day;
        let by_key = |rows: &[Row]| -> BTreeMap<(String, String), Row> {
            rows.iter()
                .map(|row| ((row["merchant_id"].clone(), row["currency"].clone()), row.clone()))
                .collect()
        };
        let (whole, other) =
            (by_key(&date.whole["summary.csv"]), by_key(&date.other["summary.csv"]));
        for (key, expected) in &whole {
            let is_untold = is_after_gap || self.is_anything_untold(&key.0, day);
            let Some(row) = other.get(key) else {
                self.demand(is_untold, || format!("{day}: the summary lacks {key:?}"));
                continue;
            };
            // A deposit whose batches were not read has no currency: its row stands apart.
            let row_apart = other.get(&(key.0.clone(), String::new()));
            let apart: &[&str] = if row_apart.is_some() { &DEPOSITED } else { &["verdict"] };
            for column in differing(expected, row, apart) {
                // A deposit without a currency is counted in the row without one, if that row
                // exists.
                let is_counted_apart = row_apart.is_some_and(|apart| {
                    let count = |row: &Row| row[&column].parse::<u64>().ok();
                    let both = count(row).zip(count(apart)).map(|(one, other)| one + other);
                    both.is_some() && both == count(expected)
                });
                let is_rolled = ROLL.contains(&column.as_str()) && (is_untold || is_counted_apart);
                let is_out_of_scope = is_after_gap && MATCHED.contains(&column.as_str())
                    || self.begins_later && column == "in_transit_amount";
                self.demand(row[&column].is_empty() || is_rolled || is_out_of_scope, || {
                    format!(
                        "{day}: summary {key:?}: {column} is {:?}, not {:?}",
                        row[&column], expected[&column]
                    )
                });
            }
            let (verdict, wanted) = (&row["verdict"], &expected["verdict"]);
            let is_open = verdict == "not_evaluated" && row["in_transit_amount"].is_empty();
            self.demand(verdict == wanted || is_untold || is_open, || {
                format!("{day}: summary {key:?}: {verdict}, not {wanted}")
            });
        }
        for (key, row) in other.iter().filter(|(key, _)| !whole.contains_key(*key)) {
            let is_untold = key.1.is_empty()
                && (row["verdict"] == "not_evaluated" || self.is_anything_untold(&key.0, day));
            self.demand(is_untold, || format!("{day}: the summary invents {key:?}"));
        }
    }
}

fn is_listing_complete(manifest: &Value, resource: &str, day: NaiveDate) -> bool {
    manifest["listings"].as_array().unwrap().iter().any(|listing| {
        listing["resource"] == resource
            && listing["selector"] == "date"
            && listing["date"] == day.to_string()
            && listing["verdict"] == "complete"
    })
}

/// The columns in which two rows differ, except those of `less`.
fn differing(left: &Row, right: &Row, less: &[&str]) -> Vec<String> {
    left.iter()
        .filter(|(column, cell)| !less.contains(&column.as_str()) && right[*column] != **cell)
        .map(|(column, _)| column.clone())
        .collect()
}
