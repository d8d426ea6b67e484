//! The explained and verified share of a date, and the number of booked deposits, from the CSV
//! files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::NaiveDate;
use tieout_judge::{Finder, Registry};

use super::pages::{is_open, shown, thousandths};
use crate::harness::page;
use crate::harness::reports::{Row, manifest, table};

/// Due and verified; `None` where a part could not be evaluated.
type Share = (i128, Option<i128>);

/// By currency, of the deposits that were due at the bank on the date.
fn deposits(root: &Path, date: NaiveDate) -> BTreeMap<String, Share> {
    let mut shares: BTreeMap<String, Share> = BTreeMap::new();
    for row in table(root, date, "bank_matches.csv") {
        let is_due = !row["ach_deposit_id"].is_empty() && row["due_date"] == date.to_string();
        if !is_due || row["currency"].is_empty() {
            continue;
        }
        let amount = thousandths(&row["net_amount"]).abs();
        let (due, verified) = shares.entry(row["currency"].clone()).or_insert((0, Some(0)));
        *due += amount;
        let is_unknown = [&row["verdict"], &row["deposit_verdict"]]
            .iter()
            .any(|verdict| ["not_evaluated", "awaiting_statement"].contains(&verdict.as_str()));
        if is_unknown {
            *verified = None;
        }
        if ["found", "late"].contains(&row["verdict"].as_str()) && row["deposit_verdict"] == "tied"
        {
            *verified = verified.map(|sum| sum + amount);
        }
    }
    shares
}

/// By currency, of the items that the books must hold.
fn items(root: &Path, date: NaiveDate) -> BTreeMap<String, Share> {
    let run = manifest(root, date);
    let registry = Registry::built_in().unwrap();
    let is_of_books = |code: &str| registry.find(code).unwrap().finder == Finder::Ledger;
    let untold = run["checks"]["not_evaluated"].as_array().unwrap();
    let is_known = !untold.iter().any(|one| is_of_books(one["code"].as_str().unwrap()));
    let amount = |total: &str, code: &str| {
        let amount = run["items"][total]["amounts"][code].as_str();
        amount.map_or(0, thousandths)
    };
    let totals = run["items"]["total"]["amounts"].as_object().unwrap();
    let share = |code: &String| {
        let due = amount("total", code) - amount("not_due", code);
        (code.clone(), (due, is_known.then(|| amount("matched", code))))
    };
    totals.keys().map(share).filter(|(_, (due, _))| *due != 0).collect()
}

fn percent((due, verified): Share) -> String {
    match verified {
        None => "not evaluated".to_owned(),
        Some(verified) => {
            let tenths = (verified * 2_000 + due) / (due * 2);
            format!("{}.{} %", tenths / 10, tenths % 10)
        }
    }
}

/// The section of a date's page.
pub fn check(root: &Path, date: NaiveDate, html: &str, about: &str) {
    check_verdicts(root, date, about);
    let mut expected: BTreeMap<String, Share> = BTreeMap::new();
    for (words, shares) in [
        ("Deposits due at the bank", deposits(root, date)),
        ("Items that the books must hold", items(root, date)),
    ] {
        let named = |(code, share): (String, Share)| (format!("{words}, {code}"), share);
        expected.extend(shares.into_iter().filter(|one| one.1.0 != 0).map(named));
    }
    if expected.is_empty() {
        assert!(!html.contains("Due, explained and verified money"), "{about}");
        return;
    }
    let lines = page::table_called(html, "Due, explained and verified money");
    let mut found = BTreeMap::new();
    for line in lines.by_name() {
        let what = line["What"];
        let code = what.rsplit_once(' ').unwrap().1.to_owned();
        let share = expected[what];
        let due = BTreeMap::from([(code.clone(), share.0)]);
        assert_eq!(shown(line["Due"]), due, "{about}: {what}");
        let verified = line["Explained and verified"];
        match share.1 {
            None => assert_eq!(verified, "–", "{about}: {what}"),
            Some(sum) => {
                assert_eq!(shown(verified), BTreeMap::from([(code, sum)]), "{about}: {what}");
            }
        }
        assert_eq!(line["Share"], percent(share), "{about}: {what}");
        found.insert(what.to_owned(), share);
    }
    assert_eq!(found, expected, "{about}");
}

/// A deposit ties out in itself only while no open discrepancy names it, except those of the bank.
fn check_verdicts(root: &Path, date: NaiveDate, about: &str) {
    let registry = Registry::built_in().unwrap();
    let is_own = |row: &&Row| {
        let check = registry.find(&row["code"]).unwrap();
        is_open(row)
            && row["severity"] != "info"
            && check.decides_verdict
            && check.finder != Finder::Bank
    };
    let found = table(root, date, "discrepancies.csv");
    let named: BTreeSet<&str> =
        found.iter().filter(is_own).flat_map(|row| row["ach_deposit_id"].split(';')).collect();
    for row in table(root, date, "bank_matches.csv") {
        let id = row["ach_deposit_id"].as_str();
        match row["deposit_verdict"].as_str() {
            "" => assert!(id.is_empty(), "{about}: {row:?}"),
            "tied" | "in_transit" => assert!(!named.contains(id), "{about}: {row:?}"),
            "discrepancy" => assert!(named.contains(id), "{about}: {row:?}"),
            other => assert_eq!(other, "not_evaluated", "{about}: {row:?}"),
        }
    }
}

/// `Booked 12 of 15 deposits`, and as many lines for the others.
pub fn check_booked(root: &Path, date: NaiveDate, html: &str, about: &str) {
    let lines = table(root, date, "journal.csv");
    let booked: BTreeSet<&str> = lines.iter().flat_map(|row| row["source"].split(';')).collect();
    let deposits = table(root, date, "deposits.csv");
    let is_booked = |row: &&Row| booked.contains(row["ach_deposit_id"].as_str());
    let own = deposits.iter().filter(is_booked).count();
    let words = page::words(html);
    if deposits.is_empty() {
        assert!(words.contains("No deposit was paid on this date."), "{about}");
        return;
    }
    let plural = if deposits.len() == 1 { "" } else { "s" };
    let sentence = format!("Booked {own} of {} deposit{plural}", deposits.len());
    assert!(words.contains(&sentence), "{about}: {sentence}");
    let others = deposits.len() - own;
    if others > 0 {
        assert!(words.contains(&format!("{sentence}; {others} not: ")), "{about}: {sentence}");
        let lines = page::table_called(html, "Deposits of this date that are not booked");
        let sum: usize =
            lines.by_name().iter().map(|line| line["Deposits"].parse::<usize>().unwrap()).sum();
        assert_eq!(sum, others, "{about}");
    }
}

/// The trend of a period agrees with its dates.
pub fn check_trend(root: &Path, dates: &[NaiveDate], amounts: &[Row], about: &str) {
    for date in dates {
        for (shares, [due, verified, rate]) in [
            (deposits(root, *date), ["due_amount", "verified_amount", "verified_share"]),
            (
                items(root, *date),
                ["items_due_amount", "items_matched_amount", "items_matched_share"],
            ),
        ] {
            let of_date = amounts.iter().filter(|row| row["business_date"] == date.to_string());
            for row in of_date {
                let about = format!("{about}, {date}, {}", row["currency"]);
                let share = shares.get(&row["currency"]).copied();
                let cell = |column: &str| {
                    Some(&row[column]).filter(|text| !text.is_empty()).map(|one| thousandths(one))
                };
                assert_eq!(cell(due), share.map(|one| one.0), "{about}: {due}");
                assert_eq!(cell(verified), share.and_then(|one| one.1), "{about}: {verified}");
                let known = share.filter(|one| one.0 != 0 && one.1.is_some());
                let shown = known.map(|one| percent(one).trim_end_matches(" %").to_owned());
                assert_eq!(row[rate], shown.unwrap_or_default(), "{about}: {rate}");
            }
        }
    }
}
