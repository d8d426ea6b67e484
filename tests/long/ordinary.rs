//! Ordinary nights end with 0: a month of nights over clean worlds, with statements and books that
//! come a day late at random, weekends, holidays and a slow service. `ORDINARY_SEEDS=1..40` runs more
//! months.
#![expect(clippy::disallowed_methods, reason = "a test plays the bank that delivers files")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use chrono::{Datelike, Days, NaiveDate, Weekday};
use tieout::exit::Exit;
use tieout::night::{Run, Stages, execute};
use tieout_model::clock::Clock;
use tieout_sandbox::ServeOptions;

use crate::dice::Dice;
use crate::harness::reports::table;
use crate::harness::{self, Served, Site, clean, lively};

/// Seeds of a run without `ORDINARY_SEEDS`.
const SEEDS: &str = "1..2";

/// Months with the holidays of both countries.
const MONTHS: [(&str, &str); 4] = [
    ("2026-11-02", "2026-12-01"),
    ("2026-12-14", "2027-01-12"),
    ("2026-10-05", "2026-11-03"),
    ("2027-03-15", "2027-04-13"),
];

/// A file of a bank or of the books, and the night of its arrival.
struct Coming {
    path: PathBuf,
    content: Vec<u8>,
    by: NaiveDate,
}

/// Removes the files of a day until their night: that of their day or, for one in three, the next
/// working day.
fn hold_back(served: &Served, site: &Site, dice: &mut Dice) -> Vec<Coming> {
    let first = served.world.options().from;
    let mut coming = Vec::new();
    for file in served.world.files(&served.sandbox.base_url()) {
        let path = site.path().join(&file.path);
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_file = file.path.starts_with("bank/") || file.path.starts_with("ledger/");
        let Some(day) = name.get(..10).and_then(|day| day.parse::<NaiveDate>().ok()) else {
            continue;
        };
        // Books without any file are another case.
        if !is_file || day < first || (day == first && file.path.starts_with("ledger/")) {
            continue;
        }
        let is_late = dice.one_in(3);
        let next = day.iter_days().skip(1).find(|day| {
            file.path.starts_with("ledger/")
                || !matches!(day.weekday(), Weekday::Sat | Weekday::Sun)
        });
        let by = if is_late { next.unwrap() } else { day };
        std::fs::remove_file(&path).unwrap();
        coming.push(Coming { path, content: file.content, by });
    }
    assert!(!coming.is_empty(), "no file comes day by day");
    coming
}

/// The faults of a month of nights, a line each.
fn month(seed: u64) -> Vec<String> {
    let mut dice = Dice::new(seed);
    let (from, to) = MONTHS[usize::try_from(seed).unwrap() % MONTHS.len()];
    let plain = clean(seed, from, to, 5, 30);
    // Findings that other kinds of life cause while books are late are allowed for one.
    let is_lively = seed % 2 == 0;
    let options = if is_lively { lively(plain) } else { plain };
    let slowly = |morning| ServeOptions {
        now: Some(morning),
        delay_ms: 1 + seed % 4,
        transactions: seed % 3 == 0,
        ..ServeOptions::default()
    };
    let morning = |date: NaiveDate| {
        let next = date.checked_add_days(Days::new(1)).unwrap();
        next.and_hms_opt(9, 0, 0).unwrap().and_utc()
    };
    let mut served = Served::serving(&options, slowly(morning(options.from)));
    let site = served.site_with_books();
    // Books of the next day hold some of its sales, and may be a day late themselves.
    let path = site.path().join("tieout.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("settlement.ledger_days = 2\n{text}")).unwrap();
    let coming = hold_back(&served, &site, &mut dice);
    let settings = site.settings();
    let mut wrong = Vec::new();
    for date in served.dates() {
        for file in coming.iter().filter(|file| file.by == date) {
            std::fs::write(&file.path, &file.content).unwrap();
        }
        served = served.again(slowly(morning(date)));
        let run = Run::new(&settings, Clock::at(morning(date))).unwrap();
        let night = served.runtime.block_on(execute(&run, &[date], Stages::NIGHT)).unwrap();
        let exit = night.exit(None);
        if exit != Exit::Done {
            wrong.push(format!("{date} ended with {}", exit.code()));
        }
        let Some(outcome) = night.outcome(date).unwrap() else { continue };
        for one in &outcome.not_evaluated {
            wrong.push(format!("{date}: {} {} {}", one.code, one.merchant_id, one.reason));
        }
        for one in outcome.discrepancies.iter().filter(|_| !is_lively) {
            wrong.push(format!("{date}: {} {}", one.code, one.explanation));
        }
    }
    wrong.extend(never_found(&site, &served.dates(), is_lively));
    wrong
}

/// Deposits that waited for a statement and that no later date shows as found.
fn never_found(site: &Site, dates: &[NaiveDate], is_lively: bool) -> Vec<String> {
    let (mut awaited, mut ever, mut wrong) = (BTreeSet::new(), 0, Vec::new());
    for date in dates {
        for row in table(&site.reports(), *date, "bank_matches.csv") {
            let id = row["ach_deposit_id"].clone();
            match row["verdict"].as_str() {
                "awaiting_statement" => ever += usize::from(awaited.insert(id)),
                "found" | "late" => {
                    awaited.remove(&id);
                }
                "due" => {}
                _ if is_lively => {
                    awaited.remove(&id);
                }
                other => wrong.push(format!("{date}: deposit {id} is {other}")),
            }
        }
    }
    // A statement of the last days may still come.
    let last = table(&site.reports(), dates[dates.len() - 1], "bank_matches.csv");
    for row in last.iter().filter(|row| row["verdict"] == "awaiting_statement") {
        awaited.remove(&row["ach_deposit_id"]);
    }
    wrong.extend(awaited.into_iter().map(|id| format!("deposit {id} was awaited for good")));
    if ever == 0 {
        wrong.push("no statement was awaited".to_owned());
    }
    wrong
}

#[test]
fn a_month_of_ordinary_nights_ends_with_0() {
    for seed in harness::seeds("ORDINARY_SEEDS", SEEDS) {
        let wrong = month(seed);
        assert!(wrong.is_empty(), "seed {seed}:\n  {}", wrong.join("\n  "));
    }
}
