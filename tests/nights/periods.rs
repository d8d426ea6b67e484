//! The report of a period adds up its dates, and names the missing ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::bridges::{check_bridges, check_words};
use super::figures;
use super::pages::{all_planted, check_rows, check_waterfall, shown, sums};
use super::shares::check_trend;
use crate::harness::reports::{self, Row, assert_same, files, manifest, table};
use crate::harness::{Served, Site, page, workbook};

fn folder_of(site: &Site, first: NaiveDate, last: NaiveDate) -> PathBuf {
    site.reports().join("periods").join(format!("{first}..{last}"))
}

pub fn read(folder: &Path, file: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(folder.join(file)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// A week with every kind of plant, reported as a period.
fn reported(seed: u64) -> (Served, Site, PathBuf) {
    let served = Served::new(&all_planted(seed));
    let site = served.site();
    let (from, to) = (served.world.options().from, served.world.options().to);
    site.run_range(from, to).expect(0);
    assert!(!site.reports().join("periods").exists(), "run writes dates alone");
    let ended = site.run(&["report", "--date", &format!("{from}..{to}")]).expect(0);
    assert!(ended.stdout.contains("report of the period: "), "{}", ended.stdout);
    let folder = folder_of(&site, from, to);
    (served, site, folder)
}

#[test]
fn adds_up_what_its_dates_say() {
    for seed in [60, 61] {
        let (served, site, folder) = reported(seed);
        let about = format!("seed {seed}");
        let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
        check_days(&served, &site.reports(), &folder, &about);
        check_amounts(&served, &site.reports(), &folder, &about);
        check_merchants(&served, &site.reports(), &folder, &about);
        check_discrepancies(&served, &site.reports(), &folder, &about);
        check_waterfall(&read(&folder, "deposits.csv"), &html, &about);
        check_rows(&read(&folder, "discrepancies.csv"), &html, &about);
        check_day_lines(&folder, &html, &about);
        check_returns(&folder, &html, &about);
        figures::check_fees(&folder, &html, &about);
        let wrong = workbook::differences(&folder);
        assert!(wrong.is_empty(), "{about}:\n{}", wrong.join("\n"));
        check_digests(&folder);
    }
}

fn check_days(served: &Served, root: &Path, folder: &Path, about: &str) {
    let days = read(folder, "days.csv");
    assert_eq!(days.len(), served.dates().len(), "{about}");
    for (day, date) in days.iter().zip(served.dates()) {
        assert_eq!(day["business_date"], date.to_string(), "{about}");
        let run = manifest(root, date);
        for key in ["opening", "new", "reopened", "cleared", "accepted", "closing"] {
            let expected = run["discrepancies"][key]["count"].to_string();
            assert_eq!(day[key], expected, "{about}, {date}: {key}");
        }
        let found = table(root, date, "discrepancies.csv");
        let open = |level: &str| {
            let is_meant = |row: &&Row| row["status"] != "cleared" && row["severity"] == level;
            found.iter().filter(is_meant).count().to_string()
        };
        assert_eq!(day["errors"], open("error"), "{about}, {date}");
        assert_eq!(day["warnings"], open("warning"), "{about}, {date}");
        assert_eq!(day["notes"], open("info"), "{about}, {date}");
        let ages: u64 = day
            .iter()
            .filter(|(name, _)| name.starts_with("age_"))
            .map(|(_, count)| count.parse::<u64>().unwrap())
            .sum();
        let open = found.iter().filter(|row| row["status"] != "cleared").count() as u64;
        assert_eq!(ages, open, "{about}, {date}");
    }
}

fn check_amounts(served: &Served, root: &Path, folder: &Path, about: &str) {
    let amounts = read(folder, "day_amounts.csv");
    for date in served.dates() {
        let summary = table(root, date, "summary.csv");
        let of_date = || amounts.iter().filter(|row| row["business_date"] == date.to_string());
        for column in [
            "deposited_net",
            "items_amount",
            "in_transit_amount",
            "closing_amount",
            "opening_amount",
            "new_amount",
            "cleared_amount",
            "accepted_amount",
            "changed_amount",
        ] {
            let (found, expected) = (sums(of_date(), column, false), sums(&summary, column, false));
            assert_eq!(found, expected, "{about}, {date}: {column}");
        }
        let total = |rows: &mut dyn Iterator<Item = &Row>, column: &str| -> i64 {
            rows.map(|row| row[column].parse::<i64>().unwrap()).sum()
        };
        for column in ["deposits", "batches", "items", "closing"] {
            let expected = total(&mut summary.iter(), column);
            assert_eq!(total(&mut of_date(), column), expected, "{about}, {date}: {column}");
        }
    }
}

fn check_merchants(served: &Served, root: &Path, folder: &Path, about: &str) {
    let merchants = read(folder, "merchants.csv");
    for merchant in &merchants {
        let rows: Vec<Row> = served
            .dates()
            .into_iter()
            .flat_map(|date| table(root, date, "summary.csv"))
            .filter(|row| {
                row["merchant_id"] == merchant["merchant_id"]
                    && row["currency"] == merchant["currency"]
            })
            .collect();
        for column in ["deposits", "batches", "items", "new", "cleared", "accepted"] {
            let sum: i64 = rows.iter().map(|row| row[column].parse::<i64>().unwrap()).sum();
            assert_eq!(merchant[column], sum.to_string(), "{about}: {column}");
        }
        for column in [
            "deposited_net",
            "items_amount",
            "new_amount",
            "cleared_amount",
            "accepted_amount",
            "changed_amount",
        ] {
            let found = sums([merchant], column, false);
            assert_eq!(found, sums(&rows, column, false), "{about}: {column}");
        }
        let (first, last) = (&rows[0], &rows[rows.len() - 1]);
        for column in ["opening", "opening_amount"] {
            assert_eq!(merchant[column], first[column], "{about}: {column}");
        }
        for column in ["closing", "closing_amount", "verdict"] {
            assert_eq!(merchant[column], last[column], "{about}: {column}");
        }
        let days = |verdict: &str| rows.iter().filter(|row| row["verdict"] == verdict).count();
        for verdict in ["tied", "in_transit", "discrepancy", "not_evaluated"] {
            let found = &merchant[&format!("days_{verdict}")];
            assert_eq!(*found, days(verdict).to_string(), "{about}: {verdict}");
        }
    }
}

/// Each discrepancy is listed once, as on the last date that lists it.
fn check_discrepancies(served: &Served, root: &Path, folder: &Path, about: &str) {
    let mut last: BTreeMap<String, Row> = BTreeMap::new();
    for date in served.dates() {
        for row in table(root, date, "discrepancies.csv") {
            last.insert(row["discrepancy_id"].clone(), row);
        }
    }
    let mut found = BTreeMap::new();
    for row in read(folder, "discrepancies.csv") {
        assert!(found.insert(row["discrepancy_id"].clone(), row).is_none(), "{about}: twice");
    }
    assert_eq!(found, last, "{about}");
}

fn check_day_lines(folder: &Path, html: &str, about: &str) {
    let lines = page::table_called(html, "A line for each date of the period");
    let days = read(folder, "days.csv");
    let amounts = read(folder, "day_amounts.csv");
    for (line, day) in lines.by_name().iter().zip(&days) {
        assert_eq!(line["Date"], day["business_date"], "{about}");
        for (head, column) in [("Errors", "errors"), ("Warnings", "warnings"), ("Open", "closing")]
        {
            assert_eq!(line[head], day[column], "{about}: {head}");
        }
        let of_day = || amounts.iter().filter(|row| row["business_date"] == day["business_date"]);
        assert_eq!(
            shown(line["Paid out (net)"]),
            sums(of_day(), "deposited_net", false),
            "{about}"
        );
        let open = of_day().filter(|row| row["closing"] != "0");
        assert_eq!(shown(line["Open differences"]), sums(open, "closing_amount", false), "{about}");
    }
}

/// The rates of returns, and the returns by code.
fn check_returns(folder: &Path, html: &str, about: &str) {
    let rates = read(folder, "return_rates.csv");
    if rates.is_empty() {
        assert!(html.contains("No merchant debited a bank account"), "{about}");
        return;
    }
    let picture = page::table_called(html, "Return rates and their thresholds");
    assert_eq!(picture.rows.len(), rates.len(), "{about}");
    for (line, row) in picture.by_name().iter().zip(&rates) {
        assert!(line["Merchant"].ends_with(&row["merchant_id"]), "{about}: {line:?}");
        let (came_back, debits): (i64, i64) =
            (row["returned"].parse().unwrap(), row["debits"].parse().unwrap());
        assert_eq!(line["Returned"], row["returned"], "{about}");
        assert_eq!(line["Debits"], row["debits"], "{about}");
        let known = if row["rate"].is_empty() { "unknown" } else { &row["rate"] };
        assert_eq!(line["Rate in percent"], known, "{about}: {row:?}");
        if debits > 0 {
            let hundredths = (came_back * 10_000 + debits / 2) / debits;
            let rate = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            assert_eq!(row["rate"], rate, "{about}: {row:?}");
        }
        assert_eq!(line["Threshold"], row["threshold"], "{about}");
        assert!(
            line["Standing"].ends_with(&row["standing"].replace('_', " ")),
            "{about}: {line:?}"
        );
        let read_days = line["Days read"].split(' ').next();
        assert_eq!(read_days, Some(row["days_read"].as_str()), "{about}");
    }
    let codes = read(folder, "return_codes.csv");
    if codes.is_empty() {
        return;
    }
    let picture = page::table_called(html, "Returned debits, by code");
    assert_eq!(picture.rows.len(), codes.len(), "{about}");
    for (line, row) in picture.by_name().iter().zip(&codes) {
        assert!(line["Merchant"].ends_with(&row["merchant_id"]), "{about}: {line:?}");
        assert_eq!(line["Code"], row["code"], "{about}");
        assert_eq!(line["Returned"], row["returned"], "{about}");
        let one = [row.clone()];
        assert_eq!(shown(line["Amount"]), sums(&one, "amount", false), "{about}: {row:?}");
    }
    // Every code of a merchant counts to its rate over all codes, and to no other merchant's.
    for row in rates.iter().filter(|row| row["measure"] == "overall") {
        let of_merchant = codes.iter().filter(|code| code["merchant_id"] == row["merchant_id"]);
        let sum: i64 = of_merchant.map(|code| code["returned"].parse::<i64>().unwrap()).sum();
        assert_eq!(sum.to_string(), row["returned"], "{about}: {}", row["merchant_id"]);
    }
}

fn check_digests(folder: &Path) {
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("period.json")).unwrap()).unwrap();
    let named = record["files"].as_object().unwrap();
    let mut present = files(folder);
    assert!(present.remove("period.json").is_some());
    assert_eq!(named.len(), present.len());
    for (name, content) in present {
        assert_eq!(named[&name], tieout_model::digest::sha256_hex(&content), "{name}");
    }
}

/// With books and banks: the period's bank figures and explained shares.
#[test]
fn is_judged_as_of_its_last_date() {
    let (mut closed, mut open) = (0, 0);
    for (seed, is_whole) in [(60, true), (61, true), (65, true), (65, false)] {
        let served = Served::new(&all_planted(seed));
        let site = served.site_with_books();
        if !is_whole {
            lose_statements(&site);
        }
        let dates = served.dates();
        site.run_range(dates[0], dates[dates.len() - 1]);
        // The whole range, its end, and a range that excludes the last dates.
        let end = dates.len() - 1;
        for (first, last) in [(0, end), (2, end), (1, 4)] {
            let (from, to) = (dates[first], dates[last]);
            site.run(&["report", "--date", &format!("{from}..{to}")]);
            let (folder, about) =
                (folder_of(&site, from, to), format!("seed {seed}, {from}..{to}"));
            let root = site.reports();
            check_words(&root, &dates[first..=last], &folder, &about);
            closed += check_bridges(&root, &dates[first..=last], &folder, &about);
            let rows = read(&folder, "bank_bridge.csv");
            open += rows.iter().filter(|row| row["step"] == "cannot_be_closed").count();
            let amounts = read(&folder, "day_amounts.csv");
            check_trend(&root, &dates[first..=last], &amounts, &about);
            let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
            check_waterfall(&read(&folder, "deposits.csv"), &html, &about);
        }
    }
    assert!(closed > 0, "no bridge was closed");
    assert!(open > 0, "no bridge was left open");
}

/// Half of the files of each bank never come.
fn lose_statements(site: &Site) {
    for bank in std::fs::read_dir(site.path().join("bank")).unwrap() {
        let files = std::fs::read_dir(bank.unwrap().path()).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files.iter().step_by(2) {
            std::fs::remove_file(file).unwrap();
        }
    }
}

#[test]
fn gives_the_same_bytes_when_it_is_written_again() {
    let (served, site, folder) = reported(62);
    let before = files(&folder);
    let (from, to) = (served.world.options().from, served.world.options().to);
    site.run(&["report", "--date", &format!("{from}..{to}")]).expect(0);
    assert_same(&before, &files(&folder), "written twice");
}

#[test]
fn says_which_dates_are_missing() {
    let served = Served::new(&all_planted(63));
    let site = served.site();
    let dates = served.dates();
    site.run_range(dates[0], dates[2]).expect(0);
    let range = format!("{}..{}", dates[0], dates[4]);
    // The dates that were never reconciled make it partial, and do not stop the others.
    site.run(&["report", "--date", &range]).expect(4);
    let folder = folder_of(&site, dates[0], dates[4]);
    let days = read(&folder, "days.csv");
    assert_eq!(days.len(), 5);
    for day in &days[3..] {
        assert_eq!((day["verdict"].as_str(), day["closing"].as_str()), ("not_evaluated", ""));
    }
    let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
    let missing =
        format!("2 dates were never reconciled and left out here: {} and {}.", dates[3], dates[4]);
    assert!(page::text(&html).contains(&missing));
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("period.json")).unwrap()).unwrap();
    assert_eq!(record["verdict"], "not_evaluated");
    assert_eq!(record["last_reconciled"], dates[2].to_string());
}

#[test]
fn is_not_written_for_one_date_or_for_dates_with_a_gap() {
    let (served, site, folder) = reported(64);
    std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    let dates = served.dates();
    site.run(&["report", "--date", &dates[0].to_string()]).expect(0);
    site.run(&["report", "--date", &format!("{},{}", dates[0], dates[2])]).expect(0);
    assert!(!reports::files(&site.reports()).keys().any(|name| name.starts_with("periods")));
}
