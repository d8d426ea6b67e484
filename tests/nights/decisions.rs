//! Inspection and decisions by people: lists of discrepancies with every filter and in every form,
//! one with its evidence, and typing errors, which are named and change nothing.
#![expect(clippy::disallowed_methods, reason = "a test plays the person who spoils files by hand")]

use std::collections::BTreeSet;

use serde_json::Value;

use super::dice::Dice;
use super::pages::all_planted;
use super::shifting::Shifting;
use crate::harness::reports::{self, Row, table};
use crate::harness::{Ended, Served, Site, clean, day, page, workbook};

const DATE: &str = "2026-11-06";

/// Combinations of filters that are drawn.
const DRAWS: usize = 40;

/// A world with all plants, and its nights up to `last`.
pub fn planted(seed: u64, last: &str) -> (Served, Site) {
    let served = Served::new(&all_planted(seed));
    let site = served.site();
    site.run_range(day("2026-11-02"), day(last)).expect(0);
    (served, site)
}

fn list(site: &Site, arguments: &[&str]) -> Ended {
    site.run(&[&["discrepancies", "list"], arguments].concat())
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["discrepancy_id"].as_str().unwrap()).collect()
}

/// Filters of a list, and which rows they let through.
#[derive(Debug, Default)]
struct Filters {
    arguments: Vec<String>,
    codes: Vec<String>,
    merchants: Vec<String>,
    statuses: Vec<String>,
    severity: Option<&'static str>,
    least: Option<&'static str>,
}

impl Filters {
    fn draw(rows: &[Row], dice: &mut Dice) -> Self {
        let mut filters = Self::default();
        let mut some = |column: &str, name: &str, dice: &mut Dice| {
            let mut drawn: Vec<String> = Vec::new();
            if dice.one_in(2) {
                for _ in 0..=dice.roll(2) {
                    drawn.push(dice.pick(rows).unwrap()[column].clone());
                }
                filters.arguments.extend([format!("--{name}"), drawn.join(",")]);
            }
            drawn
        };
        let codes = some("code", "code", dice);
        let merchants = some("merchant_id", "merchant", dice);
        let statuses = some("status", "status", dice);
        (filters.codes, filters.merchants, filters.statuses) = (codes, merchants, statuses);
        if dice.one_in(3) {
            filters.severity = dice.pick(&["info", "warning", "error"]).copied();
            filters.arguments.extend(["--severity".to_owned(), filters.severity.unwrap().into()]);
        }
        if dice.one_in(3) {
            filters.least = dice.pick(&["0", "0.01", "12.5", "100.00", "5000"]).copied();
            filters.arguments.extend(["--min-amount".to_owned(), filters.least.unwrap().into()]);
        }
        filters
    }

    fn lets_through(&self, row: &Row) -> bool {
        const LEVELS: [&str; 3] = ["info", "warning", "error"];
        let level = |name: &str| LEVELS.iter().position(|known| *known == name);
        let has = |wanted: &[String], found: &String| wanted.is_empty() || wanted.contains(found);
        let status = if self.statuses.is_empty() {
            row["status"] != "cleared"
        } else {
            self.statuses.contains(&row["status"])
        };
        let is_large = self.least.is_none_or(|least| {
            !row["difference"].is_empty()
                && !row["currency"].is_empty()
                && thousandths(&row["difference"]).abs() >= thousandths(least)
        });
        status
            && is_large
            && has(&self.codes, &row["code"])
            && has(&self.merchants, &row["merchant_id"])
            && self.severity.is_none_or(|least| level(&row["severity"]) >= level(least))
    }
}

fn thousandths(text: &str) -> i128 {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{decimals:0<3}").parse().unwrap()
}

#[test]
fn lists_what_the_filters_let_through_in_every_form() {
    for seed in [81, 82] {
        let (_served, site) = planted(seed, "2026-11-08");
        let rows = table(&site.reports(), day(DATE), "discrepancies.csv");
        let file = std::fs::read(site.reports().join(DATE).join("discrepancies.csv")).unwrap();
        let whole = list(&site, &["--date", DATE, "--status", "new,open,cleared", "--csv"]);
        assert_eq!(whole.expect(0).stdout.into_bytes(), file, "seed {seed}");
        let mut dice = Dice::new(seed);
        for _ in 0..DRAWS {
            let filters = Filters::draw(&rows, &mut dice);
            let about = format!("seed {seed}, {filters:?}");
            let expected: Vec<&Row> = rows.iter().filter(|row| filters.lets_through(row)).collect();
            let mut arguments = vec!["--date", DATE];
            arguments.extend(filters.arguments.iter().map(String::as_str));
            let json = list(&site, &[arguments.as_slice(), &["--json"]].concat()).expect(0).stdout;
            let json: Vec<Value> = serde_json::from_str(&json).unwrap();
            let expected_ids: Vec<&str> =
                expected.iter().map(|row| row["discrepancy_id"].as_str()).collect();
            assert_eq!(ids(&json), expected_ids, "{about}");
            for (found, row) in json.iter().zip(&expected) {
                for (name, text) in *row {
                    let value = match &found[name] {
                        Value::Null => String::new(),
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    assert_eq!(&value, text, "{about}: {name}");
                }
            }
            let csv = list(&site, &[arguments.as_slice(), &["--csv"]].concat()).expect(0).stdout;
            let mut read = csv::Reader::from_reader(csv.as_bytes());
            let found: Vec<Row> = read.deserialize().map(Result::unwrap).collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{about}");
            let text = list(&site, &arguments).expect(0).stdout;
            assert!(text.ends_with(&format!("{} on {DATE}\n", expected.len())), "{about}: {text}");
            for row in expected {
                let line = text.lines().find(|line| line.starts_with(&row["discrepancy_id"]));
                let line = line.unwrap_or_else(|| panic!("{about}: {row:?}")).replace(',', "");
                assert!(line.contains(&row["code"]) && line.contains(&row["difference"]), "{line}");
            }
        }
    }
}

#[test]
fn shows_each_with_its_records_pages_and_history() {
    let (_served, site) = planted(83, "2026-11-08");
    let mut codes = BTreeSet::new();
    for date in ["2026-11-04", "2026-11-08"] {
        for row in table(&site.reports(), day(date), "discrepancies.csv") {
            if row["status"] == "cleared" || !codes.insert(row["code"].clone()) {
                continue;
            }
            let id = &row["discrepancy_id"];
            let json = site.run(&["discrepancies", "show", id, "--json"]).expect(0).stdout;
            let shown: Value = serde_json::from_str(&json).unwrap();
            assert_eq!(shown["discrepancy"]["discrepancy_id"], id.as_str());
            assert_eq!(shown["discrepancy"]["code"], row["code"].as_str());
            let stem = row["code"].to_lowercase();
            assert_eq!(shown["decided_by"]["check"], stem.as_str());
            let history = shown["history"].as_array().unwrap();
            assert_eq!(history[0]["business_date"], row["first_seen"].as_str(), "{json}");
            assert_eq!(history[0]["status"], "new", "{json}");
            is_proved(&row, &shown);
            // A unique prefix is enough.
            let text = site.run(&["discrepancies", "show", &id[..12]]).expect(0).stdout;
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words(&text).contains(&words(&row["explanation"])), "{text}");
            assert!(text.contains(id.as_str()), "{text}");
            assert!(text.contains(&format!("{stem}.sql")), "{text}");
        }
    }
    assert!(codes.len() > 15, "{codes:?}");
}

/// Every record that the discrepancy names is shown, with its page and the API's own JSON.
fn is_proved(row: &Row, shown: &Value) {
    let records = shown["records"].as_array().unwrap();
    for (column, kind, property) in [
        ("ach_deposit_id", "deposit", "achDepositId"),
        ("batch_id", "batch", "batchId"),
        ("authorization_id", "authorization", "authorizationId"),
        ("payment_id", "payment", "paymentId"),
        ("refund_id", "refund", "refundId"),
    ] {
        for id in row[column].split(';').filter(|id| !id.is_empty()) {
            let record = records.iter().find(|one| one["kind"] == kind && one["id"] == id);
            // A record that is missing from the API has no evidence.
            let Some(record) = record else {
                let is_missing = ["WITHOUT", "UNKNOWN", "NOT_SETTLED"];
                assert!(is_missing.iter().any(|part| row["code"].contains(part)), "{row:?}");
                continue;
            };
            let stated = &record["json"][property];
            let stated = stated.as_str().map_or_else(|| stated.to_string(), str::to_owned);
            assert_eq!(stated, id, "{record}");
            assert_eq!(record["digest"].as_str().map(str::len), Some(64), "{record}");
            assert!(record["page"].as_i64() > Some(0), "{record}");
        }
    }
    for text in ["nameOnAccount", "routingNumber", "transitNumber", "contactMethods"] {
        assert!(!shown.to_string().contains(text), "{text} in {shown}");
    }
}

#[test]
fn refuses_slips_of_the_pen_by_name_and_changes_nothing() {
    let (_served, site) = planted(84, "2026-11-08");
    let rows = table(&site.reports(), day("2026-11-08"), "discrepancies.csv");
    let open = rows.iter().find(|row| row["status"] == "open").unwrap();
    let held = rows.iter().find(|row| row["code"] == "FUNDS_HELD");
    let id = open["discrepancy_id"].as_str();
    // SQLite's files beside a store come and go with the processes that have it open.
    let kept = |site: &Site| {
        let mut files = reports::files(site.path());
        files.retain(|name, _| !["-wal", "-shm", ".lock"].iter().any(|end| name.ends_with(end)));
        files
    };
    let before = kept(&site);
    let accept = ["discrepancies", "accept"];
    let long = "x".repeat(1_001);
    let mut slips: Vec<(Vec<&str>, &str)> = vec![
        (vec!["discrepancies", "show", "ffffffffffffffff"], "ffffffffffffffff"),
        (vec!["discrepancies", "show", ""], "has the id"),
        ([&accept[..], &["ffff0000ffff0000", "--by", "Anna", "--note", "x"]].concat(), "ffff0000"),
        ([&accept[..], &[id, "--by", " ", "--note", "x"]].concat(), "--by"),
        ([&accept[..], &[id, "--note", "x"]].concat(), "--by"),
        ([&accept[..], &[id, "--by", "Anna", "--note", ""]].concat(), "--note"),
        ([&accept[..], &[id, "--by", "Anna"]].concat(), "--note"),
        (
            [&accept[..], &[id, "--by", "Anna", "--note", "x", "--until", "2026-11-01"]].concat(),
            "--until",
        ),
        (
            [&accept[..], &[id, "--by", "Anna", "--note", "x", "--until", "soon"]].concat(),
            "--until",
        ),
        ([&accept[..], &[id, "ffff0000", "--by", "Anna", "--note", "x"]].concat(), "ffff0000"),
        ([&accept[..], &[id, "--by", "A\u{1b}[2J", "--note", "x"]].concat(), "--by"),
        ([&accept[..], &[id, "--by", "Anna", "--note", &long]].concat(), "1000"),
        (vec!["discrepancies", "assign", id], "--to"),
        (vec!["discrepancies", "assign", id, "--to", " "], "--to"),
        (vec!["discrepancies", "assign", id, "--to", "A\u{7}"], "--to"),
        (vec!["discrepancies", "assign", id, "--to", "Anna", "--note", ""], "--note"),
        (vec!["discrepancies", "assign", id, "--ticket", &long], "--ticket"),
        (vec!["discrepancies", "assign", id, "--note", "nobody says it"], id),
        (vec!["discrepancies", "assign", id, "--clear"], id),
        (vec!["discrepancies", "assign", id, "--to", "Anna", "--due", "soon"], "--due"),
        (vec!["discrepancies", "assign", id, "ffff0000", "--to", "Anna"], "ffff0000"),
        (vec!["discrepancies", "reopen", id, "--by", "Anna", "--note", "x"], "not accepted"),
        (vec!["discrepancies", "list", "--min-amount", "ten"], "--min-amount"),
        (vec!["discrepancies", "list", "--min-amount", "-1"], "-1"),
        (vec!["discrepancies", "list", "--code", "BATCH_SALE_MISMATCH"], "BATCH_SALE_MISMATCH"),
        (vec!["discrepancies", "list", "--merchant", "4711"], "4711"),
        (vec!["discrepancies", "list", "--status", "closed"], "--status"),
        (vec!["discrepancies", "list", "--severity", "fatal"], "--severity"),
        (vec!["discrepancies", "list", "--date", "2026-11-31"], "2026-11-31"),
        (vec!["discrepancies", "list", "--date", "2026-11-02..2026-11-03"], "--date"),
        (vec!["discrepancies", "list", "--csv", "--json"], "--csv"),
        (vec!["close", "2026-10-01", "--by", "Anna"], "2026-10-01"),
        (vec!["close", "2026-11-08"], "--by"),
        (vec!["close", "2026-11-08", "--by", "Anna"], "--note"),
        (vec!["close", "2026-11-08", "--by", "Anna", "--note", " "], "--note"),
        (vec!["close", "2026-11-08", "2026-10-01", "--by", "Anna", "--note", "x"], "2026-10-01"),
        (vec!["reopen", "2026-11-08", "--by", "Anna", "--note", "x"], "not closed"),
        (vec!["verify", "nowhere"], "nowhere"),
        (vec!["prune", "--older-than", "0"], "--older-than"),
    ];
    if let Some(held) = held {
        let id = held["discrepancy_id"].as_str();
        slips.push(([&accept[..], &[id, "--by", "Anna", "--note", "x"]].concat(), id));
        slips.push((vec!["discrepancies", "assign", id, "--to", "Anna"], id));
    }
    for (arguments, named) in slips {
        let ended = site.run(&arguments);
        assert!(matches!(ended.code, Some(1 | 2)), "{arguments:?}: {}", ended.stdout);
        assert!(ended.stderr.contains(named), "{arguments:?}: {}", ended.stderr);
        reports::assert_same(&before, &kept(&site), &arguments.join(" "));
    }
    let never = list(&site, &["--date", "2026-10-01"]);
    assert!(never.code != Some(0) && never.stderr.contains("2026-10-01"), "{}", never.stderr);
}

/// A record of a closed date changes: the latest open date of the run reports it, as of a prior
/// period, and no other date does.
#[test]
fn a_restatement_of_a_closed_date_is_reported_once_on_the_latest_open_date() {
    let served = Served::new(&clean(84, "2026-11-02", "2026-11-06", 2, 10));
    let shifting = Shifting::new(&served);
    let site = shifting.site(&served);
    let (first, last) = (day("2026-11-02"), day("2026-11-06"));
    site.run_range(first, last).expect(0);
    site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(0);
    let batch = table(&site.reports(), day("2026-11-03"), "batches.csv")[0]["batch_id"].clone();
    shifting.shift.lock().unwrap().more.insert(("batches".to_owned(), batch.clone()), 77);
    site.run_range(first, last).expect(0);
    for date in served.dates() {
        let rows = table(&site.reports(), date, "discrepancies.csv");
        let mut restated = rows
            .iter()
            .filter(|row| row["code"] == "RESTATED_AFTER_RECONCILED" && row["batch_id"] == batch);
        match restated.next() {
            Some(row) => {
                assert_eq!(date, last, "{row:?}");
                let text = "prior period of 2026-11-03";
                assert_eq!(row["explanation"].matches(text).count(), 1, "{row:?}");
            }
            None => assert!(date < last, "{rows:#?}"),
        }
    }
}

/// A reported date shows a restatement of an earlier date; when that date is closed later, all of
/// it can still be proved.
#[test]
fn a_restatement_of_a_date_that_is_closed_later_is_proved() {
    let served = Served::new(&clean(84, "2026-11-02", "2026-11-06", 2, 10));
    let shifting = Shifting::new(&served);
    let site = shifting.site(&served);
    site.run_range(day("2026-11-02"), day("2026-11-04")).expect(0);
    let batch = table(&site.reports(), day("2026-11-03"), "batches.csv")[0]["batch_id"].clone();
    shifting.shift.lock().unwrap().gone.insert(("batches".to_owned(), batch.clone()));
    site.run_date(day("2026-11-05")).expect(0);
    site.run(&["close", "2026-11-03", "--by", "Anna", "--force", "--note", "x"]).expect(0);
    site.run_date(day("2026-11-06")).expect(0);
    let rows = table(&site.reports(), day("2026-11-06"), "discrepancies.csv");
    let closed = |row: &&Row| row["explanation"].contains("prior period of 2026-11-03");
    assert!(rows.iter().find(closed).is_some_and(|row| row["status"] == "open"), "{rows:#?}");
    site.run(&["verify", "reports"]).expect(0);
}

/// The page, the workbook, the manifest and the index name who prepared and who closed the date.
#[track_caller]
fn says(site: &Site, sentence: &str, people: &[&str; 2]) {
    let folder = site.reports().join(DATE);
    let page = page::words(&std::fs::read_to_string(folder.join("report.html")).unwrap());
    assert!(page.contains(sentence), "{sentence}: {page}");
    let [prepared, closed] = people;
    let overview = workbook::overview(&folder);
    assert_eq!([&overview["prepared by"], &overview["closed by"]].map(String::as_str), *people);
    let by = |act: &str| {
        let who = reports::manifest(&site.reports(), day(DATE))["sign_off"][act]["who"].clone();
        who.as_str().unwrap_or("nobody").to_owned()
    };
    assert_eq!([by("prepared").as_str(), by("closed").as_str()], [*prepared, *closed]);
    let index = std::fs::read_to_string(site.reports().join("index.html")).unwrap();
    let dates = page::table_called(&index, "A line for each business date");
    let line = &dates.by_name()[0];
    let signed = if *closed == "nobody" { prepared } else { closed };
    assert!(line["Signed off by"].contains(signed), "{line:?}");
}

#[test]
fn a_period_says_who_signed_each_of_its_dates_off() {
    let served = Served::new(&clean(3, "2026-11-02", DATE, 1, 10));
    let site = served.site();
    let range = format!("2026-11-02..{DATE}");
    site.run_range(day("2026-11-02"), day(DATE)).expect(0);
    site.run(&["close", "2026-11-02", "--by", "Anna", "--note", "seen"]).expect(0);
    site.run(&["report", "--date", &range]).expect(0);
    let folder = site.reports().join("periods").join(range);
    let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
    let words = page::words(&html);
    assert!(words.contains("1 of 5 dates signed off"), "{words}");
    let days = page::table_called(&html, "A line for each date of the period");
    let by: Vec<&str> = days.by_name().iter().map(|line| line["Signed off by"]).collect();
    assert_eq!(by, ["Anna", "nobody", "nobody", "nobody", "nobody"]);
    assert_eq!(workbook::overview(&folder)["dates signed off"], "1");
    let csv = std::fs::read_to_string(folder.join("days.csv")).unwrap();
    let mut lines = csv.lines();
    assert!(
        lines.next().unwrap().ends_with("closed_by,closed_at,closed_note,own_verdict"),
        "{csv}"
    );
    let first = lines.next().unwrap();
    assert!(first.contains(",,,,Anna,2") && first.ends_with("Z,seen,in_transit"), "{csv}");
}

#[test]
fn two_people_sign_a_date_off_where_two_are_asked_for() {
    let served = Served::new(&clean(3, DATE, DATE, 1, 10));
    let site = served.site();
    site.run_date(day(DATE)).expect(0);
    let close = |by: &str| {
        let mut command = site.command(&["close", DATE, "--by", by]);
        Ended::from(command.env("TIEOUT_SIGN_OFF__PEOPLE", "2").output().unwrap())
    };
    let prepared = close("Anna Example").expect(0);
    assert!(
        prepared.stdout.contains("is prepared: a second person closes it"),
        "{}",
        prepared.stdout
    );
    let again = close(" anna  example").expect(2);
    assert!(again.stderr.contains("was prepared by Anna Example"), "{}", again.stderr);
    says(&site, "Prepared by Anna Example on", &["Anna Example", "nobody"]);
    let closed = close("Ben").expect(0);
    assert!(closed.stdout.contains("is closed"), "{}", closed.stdout);
    says(&site, "Approved and closed by Ben on", &["Anna Example", "Ben"]);
    site.run(&["verify", "reports"]).expect(0);
    // The sign-off is written into the files once.
    let files = reports::files(&site.reports().join(DATE));
    site.run_date(day(DATE)).expect(0);
    site.run(&["report", "--date", DATE]).expect(0);
    assert_eq!(files, reports::files(&site.reports().join(DATE)));
    // A file that could not be written then is written with the next report.
    std::fs::remove_dir_all(site.reports().join(DATE)).unwrap();
    std::fs::write(site.reports().join(DATE), "no folder").unwrap();
    let unwritten = site.run(&["report", "--date", DATE]).expect(1);
    assert!(unwritten.stderr.contains("cannot create the report folder"), "{}", unwritten.stderr);
    std::fs::remove_file(site.reports().join(DATE)).unwrap();
    site.run(&["report", "--date", DATE]).expect(0);
    says(&site, "Approved and closed by Ben on", &["Anna Example", "Ben"]);
    // After it is withdrawn, the date is prepared again.
    site.run(&["reopen", DATE, "--by", "Ben", "--note", "a late fee"]).expect(0);
    says(&site, "Taken back by Ben on", &["nobody", "nobody"]);
    site.run_date(day(DATE)).expect(0);
    says(&site, "This date is neither prepared nor approved.", &["nobody", "nobody"]);
    assert!(close("Ben").expect(0).stdout.contains("is prepared"));
}
