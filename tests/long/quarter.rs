//! A quarter of nights, from a seed: the past is restated, records vanish and come back, listings
//! fail, nights are missed and run late, dates are run again, people accept, reopen and sign off.
//! Always, the discrepancies add up, none is lost, and every report can be proved.
//!
//! `TIEOUT_QUARTERS=1..20 cargo test --test long quarter` runs more of them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};
use rusqlite::Connection;
use serde_json::Value;
use tieout_sandbox::{WorldOptions, plant_codes};

use crate::dice::Dice;
use crate::harness::reports::{self, Files};
use crate::harness::{Ended, Served, Site, clean, seeds};
use crate::rolling;
use crate::shifting::{Name, Shift, Shifting};

/// Checks that have nothing to say before a ledger is there, or that change the merchants.
const NOT_PLANTED: [&str; 1] = ["UNKNOWN_MERCHANT"];

/// The number of nights after which all dates are checked, not only the newest.
const EVERYTHING_EVERY: u64 = 15;

/// A person's decision on a discrepancy: from when, until when, and whether it is accepted.
type Said = (NaiveDate, Option<NaiveDate>, bool);

struct Quarter<'run> {
    seed: u64,
    dice: Dice,
    shifting: &'run Shifting,
    site: Site,
    today: NaiveDate,
    /// Dates that were never run.
    missed: BTreeSet<NaiveDate>,
    run: BTreeSet<NaiveDate>,
    closed: BTreeMap<NaiveDate, Files>,
    said: BTreeMap<String, Vec<Said>>,
    /// Ids of records that ever differed from their first content.
    shifted: BTreeSet<String>,
    log: Vec<String>,
}

#[test]
fn a_quarter_of_nights_adds_up_and_can_be_proved() {
    for seed in seeds("TIEOUT_QUARTERS", "1") {
        quarter(seed);
    }
}

fn quarter(seed: u64) {
    let plants = plant_codes()
        .into_iter()
        .filter(|code| !NOT_PLANTED.contains(code) && !is_for_ledger(code))
        .map(str::to_owned)
        .collect();
    let options = WorldOptions { plants, ..clean(seed, "2026-08-03", "2026-10-31", 3, 3) };
    let served = Served::new(&options);
    let shifting = Shifting::new(&served);
    let site = shifting.site(&served);
    let mut quarter = Quarter {
        seed,
        dice: Dice::new(seed),
        shifting: &shifting,
        site,
        today: options.from,
        missed: BTreeSet::new(),
        run: BTreeSet::new(),
        closed: BTreeMap::new(),
        said: BTreeMap::new(),
        shifted: BTreeSet::new(),
        log: Vec::new(),
    };
    for (count, date) in (1..).zip(served.dates()) {
        quarter.night(date);
        quarter.check(count % EVERYTHING_EVERY == 0);
    }
    quarter.heal(options.to);
}

fn is_for_ledger(code: &str) -> bool {
    code.contains("LEDGER")
        || [
            "MISSING_AT_PROCESSOR",
            "AMOUNT_MISMATCH",
            "CURRENCY_MISMATCH",
            "STATUS_MISMATCH",
            "AMBIGUOUS_MATCH",
        ]
        .contains(&code)
}

impl Quarter<'_> {
    fn tieout(&mut self, arguments: &[&str]) -> Ended {
        self.log.push(format!("{} {}", self.today, arguments.join(" ")));
        let mut command = self.site.command(arguments);
        command.env("TIEOUT_NOW", format!("{}T12:00:00Z", self.today));
        Ended::from(command.output().unwrap())
    }

    #[track_caller]
    fn must(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let last = self.log.len().saturating_sub(25);
            panic!("seed {}: {}\n{}", self.seed, what(), self.log[last..].join("\n"));
        }
    }

    /// Done, or done in part if a listing or file could not be read.
    #[track_caller]
    fn work(&mut self, arguments: &[&str]) {
        let ended = self.tieout(arguments);
        let is_done = ended.code == Some(0) || ended.code == Some(4);
        self.must(is_done, || format!("{:?} {}", ended.code, ended.stderr));
    }

    fn night(&mut self, date: NaiveDate) {
        self.today = date.checked_add_days(Days::new(1)).unwrap();
        self.shift_the_past(date);
        if self.dice.one_in(10) && date != self.today {
            self.missed.insert(date);
        }
        if !self.missed.contains(&date) {
            self.work(&["run", "-q", "--date", &date.to_string()]);
            self.run.insert(date);
            self.shifting.shift.lock().unwrap().broken.clear();
        }
        if self.dice.one_in(8) {
            self.run_late();
        }
        if self.dice.one_in(6) {
            self.run_again(date);
        }
        self.decide(date);
    }

    /// Changes a few records of the last two weeks, and some nights a listing fails.
    fn shift_the_past(&mut self, date: NaiveDate) {
        let recent = self.recent(date);
        let shift = self.shifting.shift.clone();
        let mut shift = shift.lock().unwrap();
        if self.dice.one_in(3)
            && let Some(name) = self.dice.pick(&recent)
        {
            self.shifted.insert(name.1.clone());
            shift.more.insert(name.clone(), 1 + i64::try_from(self.dice.roll(500)).unwrap());
        }
        if self.dice.one_in(5)
            && let Some(name) = self.dice.pick(&recent)
        {
            shift.gone.insert(name.clone());
        }
        if self.dice.one_in(4) {
            let Shift { more, gone, .. } = &mut *shift;
            more.pop_first();
            gone.pop_last();
        }
        shift.broken.clear();
        if self.dice.one_in(9) {
            let resources = ["ach-deposits", "batches", "authorizations", "bank-transfer-payments"];
            shift.broken.insert(resources[self.dice.roll(resources.len())].to_owned());
        }
        drop(shift);
        let shift = self.shifting.shift.lock().unwrap().clone();
        self.log.push(format!("{date} the world: {shift:?}"));
    }

    fn recent(&self, date: NaiveDate) -> Vec<Name> {
        if self.run.is_empty() {
            return Vec::new();
        }
        let from = date.checked_sub_days(Days::new(14)).unwrap().to_string();
        let store = Connection::open(self.site.store()).unwrap();
        let sql = "select 'ach-deposits', ach_deposit_id from deposit where day >= ?1 \
                   union all select 'batches', batch_id from batch where day >= ?1 \
                   union all select 'authorizations', authorization_id from authorization \
                   where day >= ?1 \
                   union all select 'bank-transfer-' || kind || 's', transfer_id \
                   from bank_transfer where run_at >= ?1 order by 1, 2";
        let mut statement = store.prepare(sql).unwrap();
        let names = statement.query_map([from], |row| {
            let id: rusqlite::types::Value = row.get(1)?;
            let id = match id {
                rusqlite::types::Value::Integer(id) => id.to_string(),
                rusqlite::types::Value::Text(id) => id,
                other => panic!("{other:?}"),
            };
            Ok((row.get(0)?, id))
        });
        names.unwrap().map(Result::unwrap).collect()
    }

    /// A missed date is run after newer ones.
    fn run_late(&mut self) {
        let Some(date) = self.missed.pop_first() else { return };
        self.work(&["run", "-q", "--date", &date.to_string()]);
        self.run.insert(date);
        self.work(&["reconcile", "-q", "--stale"]);
    }

    /// A date that is run twice in the same world gives the same result.
    fn run_again(&mut self, newest: NaiveDate) {
        let back = u64::try_from(self.dice.roll(6)).unwrap();
        let date = newest.checked_sub_days(Days::new(back)).unwrap();
        if !self.run.contains(&date) {
            return;
        }
        let text = date.to_string();
        self.work(&["run", "-q", "--date", &text]);
        let tables = |site: &Site| {
            let mut files = reports::files(&site.reports().join(&text));
            files.remove("run.json");
            files
        };
        let before = tables(&self.site);
        self.work(&["run", "-q", "--date", &text]);
        reports::assert_same(&before, &tables(&self.site), &format!("seed {}, {text}", self.seed));
        self.work(&["reconcile", "-q", "--stale"]);
    }

    fn decide(&mut self, date: NaiveDate) {
        if self.dice.one_in(3) {
            let open = self.listed("new,open");
            if let Some(id) = self.dice.pick(&open).cloned() {
                let until = self.dice.one_in(2).then(|| {
                    let days = u64::try_from(2 + self.dice.roll(5)).unwrap();
                    self.today.checked_add_days(Days::new(days)).unwrap()
                });
                let text = until.map(|until| until.to_string());
                let mut arguments =
                    vec!["discrepancies", "accept", &id, "--by", "Anna", "--note", "x"];
                arguments.extend(text.iter().flat_map(|text| ["--until", text.as_str()]));
                self.say(&id, &arguments, until, true);
            }
        }
        if self.dice.one_in(8) {
            let accepted = self.listed("accepted");
            if let Some(id) = self.dice.pick(&accepted).cloned() {
                let arguments = ["discrepancies", "reopen", &id, "--by", "Ben", "--note", "y"];
                self.say(&id, &arguments, None, false);
            }
        }
        if self.dice.one_in(9) {
            let old = date.checked_sub_days(Days::new(4)).unwrap();
            if self.run.contains(&old) && !self.closed.contains_key(&old) {
                let text = old.to_string();
                let arguments = ["close", &text, "--by", "Anna", "--force", "--note", "quarter"];
                let ended = self.tieout(&arguments);
                self.must(ended.code == Some(0), || ended.stderr.clone());
                self.closed.insert(old, reports::files(&self.site.reports().join(&text)));
            }
        }
    }

    fn listed(&mut self, status: &str) -> Vec<String> {
        let ended = self.tieout(&["discrepancies", "list", "--status", status, "--json"]);
        let rows: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
        rows.iter()
            // It is shown on one date only and cannot be accepted.
            .filter(|row| reports::is_carried_code(row["code"].as_str().unwrap()))
            .map(|row| row["discrepancy_id"].as_str().unwrap().to_owned())
            .collect()
    }

    fn say(&mut self, id: &str, arguments: &[&str], until: Option<NaiveDate>, accepts: bool) {
        let ended = self.tieout(arguments);
        self.must(ended.code == Some(0), || ended.stderr.clone());
        let (_, rest) = ended.stdout.split_once("from business date ").unwrap();
        let from = rest.get(..10).unwrap().parse().unwrap();
        self.said.entry(id.to_owned()).or_default().push((from, until, accepts));
    }

    fn is_accepted(&self, id: &str, date: NaiveDate) -> bool {
        let mut said = self.said.get(id).into_iter().flatten();
        said.rfind(|(from, ..)| *from <= date)
            .is_some_and(|(_, until, accepts)| *accepts && until.is_none_or(|until| date <= until))
    }

    /// The invariants after every night.
    fn check(&mut self, is_everything: bool) {
        let status = self.tieout(&["status", "--json"]);
        let days: Vec<Value> = serde_json::from_str(&status.stdout).unwrap();
        let days: Vec<(NaiveDate, bool, bool)> = days
            .iter()
            .filter(|day| day["is_reconciled"] == true)
            .map(|day| {
                let date = day["business_date"].as_str().unwrap().parse().unwrap();
                (date, day["is_stale"] == true, day["is_closed"] == true)
            })
            .collect();
        let first = if is_everything { 0 } else { days.len().saturating_sub(2) };
        for pair in days[first..].windows(2) {
            let ((before, ..), (date, is_stale, is_closed)) = (pair[0], pair[1]);
            // A closed date stays as it was, even if the date before it changed.
            if !is_stale && !is_closed {
                self.follows(before, date);
            }
        }
        for (date, files) in &self.closed {
            let now = reports::files(&self.site.reports().join(date.to_string()));
            self.must(*files == now, || format!("{date} is closed, and its files changed"));
        }
        if is_everything {
            self.adds_up_a_period(&days);
            let ended = self.tieout(&["verify", "reports"]);
            self.must(ended.code == Some(0), || ended.stdout.clone());
        }
    }

    /// The newest dates in a row that are neither stale nor closed, reported as a period.
    fn adds_up_a_period(&mut self, days: &[(NaiveDate, bool, bool)]) {
        let is_fresh = |day: &&(NaiveDate, bool, bool)| !day.1 && !day.2;
        let newest = days.iter().rev().take_while(is_fresh).map(|day| day.0);
        let mut dates: Vec<NaiveDate> = newest.collect();
        dates.reverse();
        let (Some(first), Some(last)) = (dates.first(), dates.last()) else { return };
        let name = format!("{first}..{last}");
        self.work(&["report", "-q", "--date", &name]);
        let root = self.site.reports();
        let folder = root.join("periods").join(&name);
        let wrong = rolling::period_faults(&root, &folder, &dates);
        // A date that is run again would leave it stale.
        std::fs::remove_dir_all(&folder).unwrap();
        self.must(wrong.is_empty(), || format!("{name}: {}", wrong.join("\n")));
    }

    /// A date continues the one before it: nothing is lost, nothing appears without a cause.
    fn follows(&self, before: NaiveDate, date: NaiveDate) {
        let root = self.site.reports();
        let count = |date, name: &str| {
            let record = reports::manifest(&root, date);
            record["discrepancies"][name]["count"].as_i64().unwrap()
        };
        let of = |name| count(date, name);
        let rolled = of("opening") + of("new") + of("reopened") - of("cleared") - of("accepted");
        self.must(rolled == of("closing"), || format!("{date} does not roll forward"));
        self.must(of("opening") == count(before, "closing"), || {
            format!(
                "{date} opens with {}, {before} closed with {}",
                of("opening"),
                count(before, "closing")
            )
        });
        let wrong = rolling::faults(&root, Some(before), date);
        self.must(wrong.is_empty(), || wrong.join("\n"));
        let carried = |date, statuses: &[&str]| -> BTreeMap<String, String> {
            reports::table(&root, date, "discrepancies.csv")
                .into_iter()
                .filter(reports::is_carried)
                .filter(|row| statuses.contains(&row["status"].as_str()))
                .map(|row| (row["discrepancy_id"].clone(), row["first_seen"].clone()))
                .collect()
        };
        let was_open = carried(before, &["new", "open"]);
        let went_on = carried(date, &["open", "cleared"]);
        for (id, first_seen) in &was_open {
            let is_kept = went_on.contains_key(id) || self.is_accepted(id, date);
            self.must(is_kept, || format!("{id}, open on {before}, is lost on {date}"));
            let now = went_on.get(id).unwrap_or(first_seen);
            self.must(now <= first_seen, || format!("{id} is younger on {date}: {now}"));
        }
        for id in went_on.keys() {
            self.must(was_open.contains_key(id), || format!("{id} on {date} from nowhere"));
        }
        for id in carried(date, &["new", "open"]).keys() {
            self.must(!self.is_accepted(id, date), || format!("{id} is accepted, listed {date}"));
        }
    }

    /// The world is as at first: no record is missing, and only records that had already changed
    /// when first reconciled are restated.
    fn heal(&mut self, last: NaiveDate) {
        *self.shifting.shift.lock().unwrap() = Shift::default();
        while !self.missed.is_empty() {
            self.run_late();
        }
        let first = *self.run.first().unwrap();
        self.work(&["run", "-q", "--date", &format!("{first}..{last}")]);
        self.work(&["reconcile", "-q", "--stale"]);
        self.check(true);
        for row in reports::table(&self.site.reports(), last, "discrepancies.csv") {
            let ids = ["ach_deposit_id", "batch_id", "authorization_id", "payment_id", "refund_id"];
            let was_shifted = || ids.iter().any(|id| self.shifted.contains(&row[*id]));
            let is_wrong = match row["code"].as_str() {
                "RESTATED_AFTER_RECONCILED" => !was_shifted(),
                "VANISHED_AFTER_RECONCILED" => true,
                _ => false,
            };
            let is_there = row["status"] != "cleared";
            self.must(!(is_there && is_wrong), || format!("{last}: {row:?}"));
        }
    }
}
