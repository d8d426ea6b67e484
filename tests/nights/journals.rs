//! The journal: balanced, each deposit once, with the amounts that the deposits state.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::pages::all_planted;
use crate::harness::reports::{Row, table};
use crate::harness::{Served, Site, clean, lively};

/// Amounts of an account, or of a column, by merchant and currency.
type Sums = BTreeMap<(String, String), i128>;

fn minor(text: &str) -> i128 {
    text.replace('.', "").parse().unwrap_or_default()
}

/// Every line of the journal and every deposit of a world's dates.
fn posted(served: &Served, site: &Site) -> (Vec<Row>, Vec<Row>) {
    let read = |file: &str| -> Vec<Row> {
        served.dates().iter().flat_map(|date| table(&site.reports(), *date, file)).collect()
    };
    (read("journal.csv"), read("deposits.csv"))
}

fn debit(line: &Row) -> i128 {
    assert!(line["debit"].is_empty() != line["credit"].is_empty(), "{line:?}");
    minor(&line["debit"]) - minor(&line["credit"])
}

fn check(served: &Served, site: &Site, about: &str) -> BTreeSet<String> {
    let (lines, deposits) = posted(served, site);
    let mut entries: BTreeMap<&str, i128> = BTreeMap::new();
    let mut sources: BTreeMap<&str, &str> = BTreeMap::new();
    let mut accounts: BTreeMap<&str, Sums> = BTreeMap::new();
    for line in &lines {
        *entries.entry(&line["entry_id"]).or_default() += debit(line);
        sources.insert(&line["entry_id"], &line["source"]);
        let key = (line["merchant_id"].clone(), line["currency"].clone());
        *accounts.entry(&line["account"]).or_default().entry(key).or_default() += debit(line);
    }
    let odd: Vec<_> = entries.iter().filter(|(_, sum)| **sum != 0).collect();
    assert!(odd.is_empty(), "{about}: not balanced: {odd:?}");
    let all: Vec<String> =
        sources.values().flat_map(|ids| ids.split(';')).map(str::to_owned).collect();
    let once: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(all.len(), once.len(), "{about}: a deposit is posted once");
    let sum = |columns: &[(&str, i128)]| -> Sums {
        let mut sums = Sums::new();
        for row in deposits.iter().filter(|row| once.contains(&row["ach_deposit_id"])) {
            let key = (row["merchant_id"].clone(), row["currency"].clone());
            let amounts = columns.iter().map(|(name, sign)| sign * minor(&row[*name]));
            *sums.entry(key).or_default() += amounts.sum::<i128>();
        }
        sums
    };
    let stated = |account: &str| accounts.get(account).cloned().unwrap_or_default();
    let posts = |account: &str, columns: &[(&str, i128)]| {
        let (stated, mut expected) = (stated(account), sum(columns));
        expected.retain(|key, sum| *sum != 0 || stated.contains_key(key));
        assert_eq!(stated, expected, "{about}: {account}");
    };
    posts("1010 Bank", &[("net_amount", 1)]);
    posts("6100 Processing fees", &[("daily_fees", 1)]);
    posts("1210 Processor reserve", &[("held_sales", 1), ("holdback", 1), ("reserve_release", -1)]);
    once
}

#[test]
fn posts_what_ties_out_and_nothing_else() {
    let mut unconfigured = 0;
    for seed in [60, 61] {
        let served = Served::new(&all_planted(seed));
        let site = served.site_with_books();
        site.run_range(served.dates()[0], served.world.options().to);
        let about = format!("seed {seed}");
        let once = check(&served, &site, &about);
        assert!(!once.is_empty(), "{about}");
        for date in served.dates() {
            let found = table(&site.reports(), date, "discrepancies.csv");
            unconfigured += of_unconfigured(&site, date, &found);
            let open = found.iter().filter(|row| {
                row["status"] == "open"
                    && row["severity"] != "info"
                    && row["code"] != "DISPUTE_OPEN"
            });
            let today = table(&site.reports(), date, "journal.csv");
            let of_date: BTreeSet<&str> =
                today.iter().flat_map(|line| line["source"].split(';')).collect();
            for row in open {
                for id in row["ach_deposit_id"].split(';').filter(|id| !id.is_empty()) {
                    assert!(!of_date.contains(id), "{about}, {date}: {id} is in question");
                }
            }
        }
    }
    assert!(unconfigured > 0, "no deposit of a merchant that is not configured");
}

/// The deposits of merchants that are not configured: the page says that the merchant must be
/// configured, where nothing else keeps the date from being evaluated.
fn of_unconfigured(site: &Site, date: NaiveDate, found: &[Row]) -> usize {
    let unknown = found.iter().filter(|row| row["code"] == "UNKNOWN_MERCHANT");
    let unknown: BTreeSet<&str> = unknown.map(|row| row["merchant_id"].as_str()).collect();
    let deposits = table(&site.reports(), date, "deposits.csv");
    let is_one = |row: &&Row| unknown.contains(row["merchant_id"].as_str());
    let number = deposits.iter().filter(is_one).count();
    let folder = site.reports().join(date.to_string());
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let run: serde_json::Value = serde_json::from_str(&read("run.json")).unwrap();
    let open = run["checks"]["not_evaluated"].as_array().unwrap();
    if number == 0 || open.iter().any(|one| one["merchant_id"] == "") {
        return 0;
    }
    let page = read("report.html");
    assert!(page.contains(&format!("{number} of a merchant that is not configured")), "{date}");
    assert!(page.contains("once the merchant is configured"), "{date}");
    number
}

#[test]
fn posts_every_deposit_of_a_clean_world_that_the_bank_shows() {
    for seed in [1, 7] {
        let served = Served::new(&lively(clean(seed, "2026-11-02", "2026-11-13", 3, 40)));
        let site = served.site_with_books();
        site.run_range(served.dates()[0], served.world.options().to);
        let about = format!("seed {seed}");
        let once = check(&served, &site, &about);
        let (_, deposits) = posted(&served, &site);
        for row in deposits.iter().filter(|row| row["bank_verdict"] == "found") {
            assert!(once.contains(&row["ach_deposit_id"]), "{about}: {row:?}");
        }
    }
}

#[test]
fn a_journal_needs_all_its_accounts() {
    let served = Served::new(&clean(1, "2026-11-02", "2026-11-02", 1, 5));
    let site = served.site();
    let mut command = site.command(&["run", "--date", "2026-11-02"]);
    command.env("TIEOUT_JOURNAL__ACCOUNTS__CASH", "1010");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("journal.accounts.fees is required and missing"), "{said}");
    site.run_date(served.dates()[0]).expect(0);
    assert!(!site.reports().join("2026-11-02/journal.csv").exists());
}
