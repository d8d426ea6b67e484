//! The merged reports of several shards equal the reports of one run, byte for byte.
//!
//! `TIEOUT_SHARDS=1..40 cargo test --test long shards` tries more worlds.
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chrono::{Days, NaiveDate};
use rusqlite::Connection;
use serde_json::Value;
use tieout_model::{MerchantId, Shard};
use tieout_sandbox::{WorldOptions, plant_codes};

use crate::dice::Dice;
use crate::harness::gateway::{self, Exchange};
use crate::harness::{Ended, Served, Site, clean, reports, seeds};
use crate::killed::kill_when_running;
use crate::shifting::Shifting;

/// Numbers of shards, by turns.
const COUNTS: [u32; 5] = [2, 3, 1, 5, 4];

fn all_planted(seed: u64, merchants: u32) -> WorldOptions {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    WorldOptions { plants, ..clean(seed, "2026-11-02", "2026-11-08", merchants, 40) }
}

fn store(site: &Site, shard: u32) -> PathBuf {
    site.path().join(format!("shard-{shard}.db"))
}

/// Runs a command in every shard.
fn each_shard(site: &Site, count: u32, arguments: &[&str]) -> Vec<Ended> {
    let run = |shard| {
        let (name, store) = (format!("{shard}/{count}"), store(site, shard));
        let mut all = arguments.to_vec();
        all.extend(["--shard", &name, "--db", store.to_str().unwrap(), "--out", "parts"]);
        site.run(&all)
    };
    (1..=count).map(run).collect()
}

/// The same, done.
fn in_shards(site: &Site, count: u32, arguments: &[&str]) {
    for ended in each_shard(site, count, arguments) {
        ended.expect(0);
    }
}

#[track_caller]
fn may_be_partial(ended: &Ended) {
    assert!(matches!(ended.code, Some(0 | 4)), "{ended:#?}");
}

fn merge(site: &Site, count: u32) {
    join(site, count).expect(0);
}

fn join(site: &Site, count: u32) -> Ended {
    let stores: Vec<PathBuf> = (1..=count).map(|shard| store(site, shard)).collect();
    let mut arguments = vec!["merge", "--out", "reports"];
    // The order in which they are named does not count.
    arguments.extend(stores.iter().rev().map(|path| path.to_str().unwrap()));
    site.run(&arguments)
}

/// All files except the manifests.
fn tables(site: &Site) -> reports::Files {
    let mut files = reports::files(&site.reports());
    files.retain(|name, _| !name.ends_with("run.json"));
    files
}

/// The results in the manifests: all but the time of the run, how the listings were read, and how
/// much was received (a date beside the run's own is read only for the shards that need it). The
/// digest of the results covers every row that the stores keep.
fn manifests(served: &Served, site: &Site) -> BTreeMap<String, Value> {
    let of = |date| {
        let mut record = reports::manifest(&site.reports(), date);
        for key in ["started", "ended", "stages", "store", "records"] {
            record.as_object_mut().unwrap().remove(key);
        }
        // Dates beside the run's own are read by the shards that need them.
        let listings = record["listings"].as_array_mut().unwrap();
        listings.retain(|listing| listing["date"] == date.to_string());
        for listing in listings {
            for key in ["pages", "bytes", "digest"] {
                listing.as_object_mut().unwrap().remove(key);
            }
        }
        record
    };
    served.dates().into_iter().map(|date| (date.to_string(), of(date))).collect()
}

#[track_caller]
fn assert_same(served: &Served, whole: &Site, merged: &Site, about: &str) {
    let (expected, found) = (manifests(served, whole), manifests(served, merged));
    let incomplete = |record: &Value| -> Vec<Value> {
        let listings = record["listings"].as_array().unwrap().iter();
        listings.filter(|listing| listing["verdict"] != "complete").cloned().collect()
    };
    for (date, record) in &found {
        assert_eq!(incomplete(&expected[date]), incomplete(record), "{about}, {date}");
    }
    reports::assert_same(&tables(whole), &tables(merged), about);
    for (date, expected) in &expected {
        assert_eq!(expected.as_object().unwrap().len(), found[date].as_object().unwrap().len());
        for (key, expected) in expected.as_object().unwrap() {
            let (expected, found) = (lines(expected), lines(&found[date][key]));
            let only = |left: &[String], right: &[String]| -> Vec<String> {
                left.iter().filter(|line| !right.contains(line)).cloned().collect()
            };
            let (lost, more) = (only(&expected, &found), only(&found, &expected));
            assert_eq!(expected, found, "{about}, {date}, {key}: {lost:#?} and {more:#?}");
        }
    }
}

/// A value as lines: of a list each element.
fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Array(elements) => elements.iter().map(ToString::to_string).collect(),
        _ => vec![value.to_string()],
    }
}

#[test]
fn what_ran_in_shards_is_what_ran_in_one() {
    for seed in seeds("TIEOUT_SHARDS", "1..3") {
        let count = COUNTS[usize::try_from(seed).unwrap() % COUNTS.len()];
        let options = all_planted(seed, 4 + u32::try_from(seed % 5).unwrap());
        let served = match seed % 2 {
            0 => Served::new(&options),
            _ => Served::linked(&options),
        };
        let (whole, shards) = (served.site_with_books(), served.site_with_books());
        let range = format!("{}..{}", options.from, options.to);
        whole.run_range(options.from, options.to).expect(0);
        if seed % 3 == 0 {
            for date in served.dates() {
                in_shards(&shards, count, &["run", "--date", &date.to_string()]);
            }
        } else {
            in_shards(&shards, count, &["run", "--date", &range]);
        }
        merge(&shards, count);
        assert_same(&served, &whole, &shards, &format!("seed {seed}, {count} shards"));
    }
}

/// A world that changes behind the backs of two sites: one that runs whole, one in shards.
struct Nights<'run> {
    served: &'run Served,
    whole: Site,
    shards: Site,
    count: u32,
    dice: Dice,
    about: String,
}

/// Runs the program in the night after a date.
fn on(site: &Site, date: NaiveDate, arguments: &[&str]) -> Ended {
    let tomorrow = date.checked_add_days(Days::new(1)).unwrap();
    let mut command = site.command(arguments);
    command.env("TIEOUT_NOW", format!("{tomorrow}T12:00:00Z"));
    Ended::from(command.output().unwrap())
}

impl Nights<'_> {
    /// The same in every shard.
    fn in_shards(&self, date: NaiveDate, arguments: &[&str]) -> Vec<Ended> {
        (1..=self.count).map(|shard| self.in_shard(date, shard, arguments)).collect()
    }

    fn in_shard(&self, date: NaiveDate, shard: u32, arguments: &[&str]) -> Ended {
        let store = store(&self.shards, shard);
        let mut all = arguments.to_vec();
        all.extend(["--db", store.to_str().unwrap(), "--out", "parts"]);
        let name = format!("{shard}/{}", self.count);
        if ["run", "reconcile"].contains(&arguments[0]) {
            all.extend(["--shard", &name]);
        }
        on(&self.shards, date, &all)
    }

    fn run(&self, date: NaiveDate) {
        let text = date.to_string();
        on(&self.whole, date, &["run", "-q", "--date", &text]).expect(0);
        for ended in self.in_shards(date, &["run", "-q", "--date", &text]) {
            ended.expect(0);
        }
        self.merge(date);
    }

    fn merge(&self, date: NaiveDate) {
        let text = date.to_string();
        let stores: Vec<PathBuf> =
            (1..=self.count).map(|shard| store(&self.shards, shard)).collect();
        let mut merge = vec!["merge", "--date", &text, "--out", "reports"];
        merge.extend(stores.iter().map(|path| path.to_str().unwrap()));
        on(&self.shards, date, &merge).expect(0);
    }

    /// Accepts a discrepancy of the date in both sites: in the shard that knows it.
    fn accept(&mut self, date: NaiveDate) {
        let rows = reports::table(&self.whole.reports(), date, "discrepancies.csv");
        let open: Vec<String> = rows
            .into_iter()
            .filter(|row| row["status"] != "cleared" && reports::is_carried(row))
            .map(|row| row["discrepancy_id"].clone())
            .collect();
        let Some(id) = self.dice.pick(&open).cloned() else { return };
        self.decide(date, &["discrepancies", "accept", &id, "--by", "Kim", "--note", "seen"]);
        let Some(id) = self.dice.pick(&open).cloned() else { return };
        self.decide(date, &["discrepancies", "assign", &id, "--to", "Ben", "--ticket", "F-1"]);
    }

    /// Says the same of a discrepancy in both; one shard knows it.
    fn decide(&self, date: NaiveDate, said: &[&str]) {
        on(&self.whole, date, said).expect(0);
        let ended = self.in_shards(date, said);
        let known = ended.iter().filter(|ended| ended.code == Some(0)).count();
        assert_eq!(known, 1, "{}: one shard knows {said:?}: {ended:#?}", self.about);
    }

    fn close(&self, date: NaiveDate) {
        let close = ["close", &date.to_string(), "--by", "Kim", "--note", "as found"];
        on(&self.whole, date, &close).expect(0);
        for ended in self.in_shards(date, &close) {
            ended.expect(0);
        }
        // The joined files name who has closed the date in every shard.
        self.merge(date);
    }

    fn compare(&self) {
        assert_same(self.served, &self.whole, &self.shards, &self.about);
    }
}

#[test]
fn stays_the_same_over_nights_with_decisions_and_a_past_that_changes() {
    for seed in seeds("TIEOUT_SHARDS", "1..2") {
        let count = COUNTS[usize::try_from(seed + 1).unwrap() % COUNTS.len()];
        let options = all_planted(seed + 500, 4);
        let options = WorldOptions { to: "2026-11-13".parse().unwrap(), ..options };
        let served = Served::new(&options);
        let shifting = Shifting::new(&served);
        let mut nights = Nights {
            served: &served,
            whole: shifting.site(&served),
            shards: shifting.site(&served),
            count,
            dice: Dice::new(seed),
            about: format!("seed {seed}, {count} shards"),
        };
        for date in served.dates() {
            if nights.dice.one_in(2) {
                shift(&mut nights, &shifting);
            }
            nights.run(date);
            if nights.dice.one_in(3) {
                nights.accept(date);
            }
            if nights.dice.one_in(5) {
                nights.close(date);
            }
        }
        nights.compare();
    }
}

/// Changes the amount of a stored record, removes one, or restores all.
fn shift(nights: &mut Nights<'_>, shifting: &Shifting) {
    let names: Vec<(String, String)> = match Connection::open(nights.whole.store()) {
        Ok(connection) if nights.whole.store().exists() => {
            let sql = "select 'ach-deposits', ach_deposit_id from deposit \
                       union all select 'batches', batch_id from batch \
                       union all select 'authorizations', authorization_id from authorization \
                       order by 1, 2";
            let Ok(mut statement) = connection.prepare(sql) else { return };
            let names = statement
                .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.to_string())))
                .unwrap();
            names.map(Result::unwrap).collect()
        }
        _ => return,
    };
    let mut shift = shifting.shift.lock().unwrap();
    match nights.dice.roll(4) {
        0 => {
            shift.more.clear();
            shift.gone.clear();
        }
        1 => shift.gone.extend(nights.dice.pick(&names).cloned()),
        _ => shift.more.extend(nights.dice.pick(&names).map(|name| (name.clone(), 77))),
    }
}

/// Known, in seed 1: a capture of a date that was run without the merchant is found by the shard that
/// had no merchant then, as it reads the listing for the first time; the whole had read it.
#[test]
fn a_merchant_that_joins_later_is_as_if_it_had_always_been_read() {
    for seed in seeds("TIEOUT_SHARDS", "2..3") {
        let count = COUNTS[usize::try_from(seed).unwrap() % COUNTS.len()];
        let served = Served::new(&all_planted(seed + 900, 6));
        let (whole, shards) = (served.site_with_books(), served.site_with_books());
        let about = format!("seed {seed}, {count} shards");
        for (night, date) in served.dates().into_iter().enumerate() {
            for site in [&whole, &shards] {
                configure(site, &served, if night < 3 { 2 } else { 6 });
            }
            let date = date.to_string();
            // Bank transfers of the days before are unknown, so that some books of the joining
            // merchants cannot be judged, in both sites.
            may_be_partial(&whole.run(&["run", "--date", &date]));
            for ended in each_shard(&shards, count, &["run", "--date", &date]) {
                may_be_partial(&ended);
            }
        }
        may_be_partial(&join(&shards, count));
        reports::assert_same(&csv(&whole), &csv(&shards), &about);
    }
}

#[test]
fn names_the_dates_that_were_run_without_a_merchant_that_joins_later() {
    let served = Served::new(&all_planted(906, 3));
    let (site, dates) = (served.site_with_books(), served.dates());
    let said = |date: NaiveDate| -> Vec<String> {
        let manifest = reports::manifest(&site.reports(), date);
        let warnings = manifest["warnings"].as_array().unwrap().iter().filter_map(Value::as_str);
        warnings.filter(|one| one.contains("was run without")).map(str::to_owned).collect()
    };
    let first = dates[0];
    for (night, date) in dates.iter().enumerate() {
        configure(&site, &served, if night < 3 { 2 } else { 3 });
        may_be_partial(&site.run_date(*date));
        let said = said(*date);
        assert_eq!(said.len(), usize::from(night >= 3), "{date}: {said:?}");
        let names_it = |one: &String| one.contains(&format!("tieout run --date {first}"));
        assert!(said.iter().all(names_it), "{date}: {said:?}");
    }
    may_be_partial(&site.run_range(first, dates[dates.len() - 1]));
    assert!(dates.iter().all(|date| said(*date).is_empty()));
}

fn csv(site: &Site) -> reports::Files {
    let mut files = tables(site);
    files.retain(|name, _| Path::new(name).extension().is_some_and(|kind| kind == "csv"));
    files
}

/// Writes the configuration with the first merchants only. The API still lists the others, which
/// must not be a finding here: the shard that finds them does not keep them when they join.
fn configure(site: &Site, served: &Served, merchants: usize) {
    let path = site.path().join("tieout.toml");
    let files = served.world.files(&served.sandbox.base_url());
    let file = files.iter().find(|file| file.path.ends_with("tieout.toml")).unwrap();
    let mut root: toml::Table =
        toml::from_str(std::str::from_utf8(file.content.as_ref()).unwrap()).unwrap();
    root["merchants"].as_array_mut().unwrap().truncate(merchants);
    let off = toml::Value::String("off".to_owned());
    root.insert(
        "checks".to_owned(),
        toml::Table::from_iter([("UNKNOWN_MERCHANT".to_owned(), off)]).into(),
    );
    std::fs::write(path, toml::to_string(&root).unwrap()).unwrap();
}

/// The merchants of a shard according to the configuration.
fn share(site: &Site, shard: Shard) -> BTreeSet<MerchantId> {
    let mut settings = site.settings();
    settings.take_share(shard);
    settings.merchants.into_iter().map(|merchant| merchant.id).collect()
}

/// Makes merchants share the bank accounts of others in pairs: the second that of the first, and so
/// on, which makes groups of them.
fn share_banks(site: &Site) {
    let path = site.path().join("tieout.toml");
    let mut root: toml::Table = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let merchants = root["merchants"].as_array_mut().unwrap();
    for index in (1..merchants.len()).step_by(2) {
        let bank = merchants[index - 1].get("bank").cloned();
        let merchant = merchants[index].as_table_mut().unwrap();
        if let Some(bank) = bank {
            merchant.insert("bank".to_owned(), bank);
        }
    }
    std::fs::write(path, toml::to_string(&root).unwrap()).unwrap();
}

#[test]
fn merchants_of_one_bank_account_are_in_one_shard() {
    for seed in seeds("TIEOUT_SHARDS", "1..2") {
        let served = Served::linked(&all_planted(seed + 300, 6));
        let (whole, shards) = (served.site_with_books(), served.site_with_books());
        share_banks(&whole);
        share_banks(&shards);
        let count = COUNTS[usize::try_from(seed + 2).unwrap() % COUNTS.len()].max(2);
        let mut held = BTreeSet::new();
        for shard in Shard::all(count) {
            let own = share(&shards, shard);
            let settings = shards.settings();
            for merchant in settings.merchants.iter().filter(|one| own.contains(&one.id)) {
                let beside = settings.merchants.iter().filter(|one| one.bank == merchant.bank);
                assert!(
                    merchant.bank.is_none() || beside.map(|one| &one.id).all(|id| own.contains(id))
                );
                assert!(held.insert(merchant.id.clone()), "{} is in one shard", merchant.id);
            }
        }
        assert_eq!(held.len(), 6);
        let dates = served.dates();
        let range = format!("{}..{}", dates[0], dates[dates.len() - 1]);
        may_be_partial(&whole.run(&["run", "--date", &range]));
        for ended in each_shard(&shards, count, &["run", "--date", &range]) {
            may_be_partial(&ended);
        }
        may_be_partial(&join(&shards, count));
        assert_same(&served, &whole, &shards, &format!("seed {seed}, {count} shards"));
    }
}

#[test]
fn a_merchant_that_joins_a_group_moves_with_its_past_once_the_dates_are_run_again() {
    let served = Served::linked(&all_planted(310, 6));
    let (whole, shards) = (served.site_with_books(), served.site_with_books());
    let (count, dates) = (3, served.dates());
    let before: Vec<_> = Shard::all(count).map(|shard| share(&shards, shard)).collect();
    let run = |range: &str| {
        may_be_partial(&whole.run(&["run", "--date", range]));
        for ended in each_shard(&shards, count, &["run", "--date", range]) {
            may_be_partial(&ended);
        }
    };
    run(&format!("{}..{}", dates[0], dates[2]));
    for site in [&whole, &shards] {
        share_banks(site);
    }
    let after: Vec<_> = Shard::all(count).map(|shard| share(&shards, shard)).collect();
    assert_ne!(before, after, "somebody moves");
    run(&dates[3].to_string());
    // Discrepancies open in the old shard stay open until its dates are run again.
    let ended = join(&shards, count).expect(4);
    assert!(ended.stderr.contains(&format!("{}: merchant ", dates[3])), "{}", ended.stderr);
    assert!(ended.stderr.contains("run the open dates again in every shard"), "{}", ended.stderr);
    run(&format!("{}..{}", dates[0], dates[dates.len() - 1]));
    may_be_partial(&join(&shards, count));
    reports::assert_same(&csv(&whole), &csv(&shards), "after the move");
}

#[test]
fn a_killed_shard_goes_on_where_each_merchant_was() {
    let served = Served::slow(&all_planted(77, 6), 3);
    let (whole, killed) = (served.site_with_books(), served.site_with_books());
    let range = format!("{}..{}", served.world.options().from, served.world.options().to);
    let run = ["run", "--date", &range, "--shard", "2/2"];
    whole.run(&run).expect(0);
    let pages = |site: &Site| -> i64 {
        if !site.store().exists() {
            return 0;
        }
        let connection = Connection::open(site.store()).unwrap();
        connection.query_row("select count(*) from page", [], |row| row.get(0)).unwrap_or(0)
    };
    for enough in [20, 60, 150, 300] {
        let mut command = killed.command(&run);
        command.env("TIEOUT_API__PAGE_SIZE", "5").env("TIEOUT_API__MAX_IN_FLIGHT", "4");
        assert!(kill_when_running(&mut command, || pages(&killed) >= enough), "it was killed");
    }
    killed.run(&run).expect(0);
    let tables = |site: &Site| {
        let mut files = reports::files(&site.reports());
        files.retain(|name, _| !name.ends_with("run.json"));
        files
    };
    reports::assert_same(&tables(&whole), &tables(&killed), "killed four times");
    for site in [&whole, &killed] {
        site.run(&["verify", "reports/shards/2-of-2"]).expect(0);
    }
}

#[test]
fn every_shard_can_be_proved_and_says_that_it_is_not_the_whole() {
    let served = Served::linked(&all_planted(78, 6));
    let site = served.site_with_books();
    let range = format!("{}..{}", served.world.options().from, served.world.options().to);
    in_shards(&site, 3, &["run", "--date", &range]);
    for shard in 1..=3 {
        let (store, folder) = (store(&site, shard), format!("parts/shards/{shard}-of-3"));
        site.run(&["verify", &folder, "--db", store.to_str().unwrap()]).expect(0);
        for date in served.dates() {
            let record = reports::manifest(&site.path().join(&folder), date);
            assert_eq!(record["shard"], format!("{shard}/3"));
        }
    }
    assert!(!site.path().join("parts").join("2026-11-02").exists());
}

/// The merchants for which a run requested listings by date: resource and merchant, `None` for the
/// whole listing.
fn asked(seen: &[Exchange]) -> BTreeSet<(String, Option<String>)> {
    let by_date = |exchange: &&Exchange| exchange.path.contains("date=");
    let about = |exchange: &Exchange| {
        let (path, query) = exchange.path.split_once('?').unwrap_or_default();
        let merchant = query.split('&').find_map(|pair| pair.strip_prefix("merchantId="));
        (path.rsplit('/').next().unwrap_or_default().to_owned(), merchant.map(str::to_owned))
    };
    let resources =
        ["ach-deposits", "ach-deposit-fees", "batches", "authorizations", "transactions"];
    let is_listing = |asked: &(String, Option<String>)| resources.contains(&asked.0.as_str());
    seen.iter().filter(by_date).map(about).filter(is_listing).collect()
}

#[test]
fn reads_the_listings_of_its_own_merchants_alone() {
    let options = all_planted(79, 6);
    let served = Served::linked(&options);
    let range = format!("{}..{}", options.from, options.to);
    let mut configured = BTreeSet::new();
    let mut read = Vec::new();
    for shard in ["1/2", "2/2"] {
        let gateway =
            gateway::start(&served.runtime, Some(served.sandbox.base_url()), Box::new(|_| None));
        let site = served.site_behind(&gateway.base);
        configured = site.settings().merchants.iter().map(|one| one.id.to_string()).collect();
        site.run(&["run", "--date", &range, "--shard", shard]).expect(0);
        read.push(asked(&gateway.seen()));
    }
    let merchants = |of: &BTreeSet<(String, Option<String>)>| -> BTreeSet<String> {
        of.iter().filter_map(|(_, merchant)| merchant.clone()).collect()
    };
    let (first, last) = (merchants(&read[0]), merchants(&read[1]));
    assert!(first.is_disjoint(&last), "{first:?} and {last:?}");
    let both: BTreeSet<String> = first.union(&last).cloned().collect();
    assert!(configured.is_subset(&both), "{configured:?} and {both:?}");
    assert!(read[0].iter().all(|(_, merchant)| merchant.is_some()), "{:?}", read[0]);
    // The last shard looks for unconfigured merchants, in the short listings.
    let whole: BTreeSet<&str> = read[1]
        .iter()
        .filter(|(_, merchant)| merchant.is_none())
        .map(|(resource, _)| resource.as_str())
        .collect();
    assert!(whole.is_subset(&["ach-deposits", "ach-deposit-fees", "batches"].into()), "{whole:?}");
}

#[test]
fn a_service_that_does_not_know_the_filter_changes_nothing() {
    let served = Served::linked(&all_planted(81, 5));
    let ignoring =
        gateway::start_ignoring(&served.runtime, served.sandbox.base_url(), "merchantId");
    let (whole, shards) = (served.site(), served.site_behind(&ignoring.base));
    let range = format!("{}..{}", served.world.options().from, served.world.options().to);
    whole.run(&["run", "--date", &range]).expect(0);
    in_shards(&shards, 2, &["run", "--date", &range]);
    merge(&shards, 2);
    reports::assert_same(&csv(&whole), &csv(&shards), "without the filter");
}

#[test]
fn a_part_that_fails_leaves_other_shards_as_they_are() {
    let served = Served::new(&all_planted(82, 6));
    let whole = served.site();
    let shard = "1/2".parse::<Shard>().unwrap();
    let own = share(&whole, shard);
    let failing = own.first().unwrap().to_string();
    let filter = format!("merchantId={failing}");
    let rule = move |path: &str| {
        let is_broken = path.starts_with("/v1/authorizations?") && path.contains(&filter);
        is_broken.then(|| (400, r#"{"title":"broken"}"#.to_owned()))
    };
    let gateway = gateway::start(&served.runtime, Some(served.sandbox.base_url()), Box::new(rule));
    let shards = served.site_behind(&gateway.base);
    let dates = served.dates();
    let range = format!("{}..{}", dates[0], dates[dates.len() - 1]);
    whole.run(&["run", "--date", &range]).expect(0);
    let codes: Vec<_> =
        each_shard(&shards, 2, &["run", "--date", &range]).iter().map(|one| one.code).collect();
    assert_eq!(codes, [Some(4), Some(0)]);
    join(&shards, 2).expect(4);
    for date in dates {
        let rows = |site: &Site| reports::table(&site.reports(), date, "discrepancies.csv");
        let (known, found) = (rows(&whole), rows(&shards));
        let ids: BTreeSet<&str> = known.iter().map(|row| row["discrepancy_id"].as_str()).collect();
        for row in &found {
            assert!(ids.contains(row["discrepancy_id"].as_str()), "{date}: accused: {row:?}");
        }
        let of_the_other =
            |row: &&reports::Row| !own.contains(&MerchantId::from(row["merchant_id"].as_str()));
        let left: Vec<_> = known.iter().filter(of_the_other).collect();
        let right: Vec<_> = found.iter().filter(of_the_other).collect();
        assert_eq!(left, right, "{date}");
        let record = reports::manifest(&shards.reports(), date);
        let failed: Vec<&Value> = record["listings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["verdict"] != "complete" && one["date"] == date.to_string())
            .collect();
        assert_eq!(failed.len(), 1, "{date}: {failed:?}");
        assert!(failed[0]["error"].as_str().unwrap().starts_with("shard 1/2: "), "{failed:?}");
        let not_evaluated = record["checks"]["not_evaluated"].as_array().unwrap();
        assert!(!not_evaluated.is_empty(), "{date}");
        for entry in not_evaluated.iter().filter(|entry| entry["merchant_id"] == "") {
            let reason = entry["reason"].as_str().unwrap();
            assert!(reason.starts_with("shard 1/2: "), "{date}: {reason}");
        }
    }
}

#[test]
fn refuses_to_merge_what_is_not_every_shard_once() {
    let served = Served::new(&clean(80, "2026-11-02", "2026-11-03", 4, 10));
    let site = served.site();
    in_shards(&site, 2, &["run", "--date", "2026-11-02"]);
    site.run(&["run", "--date", "2026-11-02", "--db", "whole.db"]).expect(0);
    site.run(&["run", "--date", "2026-11-02", "--shard", "1/3", "--db", "third.db"]).expect(0);
    let cases: [(&[&str], &str); 6] = [
        (&["shard-1.db"], "a shard is missing: 2/2"),
        (&["third.db"], "shards are missing: 2/3, 3/3"),
        (&["shard-1.db", "shard-1.db"], "are both shard 1/2"),
        (&["shard-1.db", "third.db"], "are of 2 and 3 shards"),
        (&["shard-1.db", "whole.db"], "whole.db holds all merchants, expected a shard"),
        (&["shard-1.db", "none.db"], "store none.db does not exist"),
    ];
    for (stores, expected) in cases {
        let mut arguments = vec!["merge", "--out", "merged"];
        arguments.extend(stores);
        let ended = site.run(&arguments).expect(2);
        assert!(ended.stderr.contains(expected), "{stores:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("hint: "), "{}", ended.stderr);
        assert!(!site.path().join("merged").exists(), "nothing is written");
    }
    for (store, shard) in [("shard-1.db", "2/2"), ("whole.db", "1/2"), ("shard-1.db", "1/3")] {
        site.run(&["run", "--date", "2026-11-02", "--shard", shard, "--db", store]).expect(2);
    }
    let ended = site.run(&["run", "--date", "2026-11-02", "--db", "shard-1.db"]).expect(2);
    let expected = "store shard-1.db holds shard 1/2, this run is for all merchants";
    assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    // A date that one shard has not run is named, and the others are joined.
    let store = store(&site, 1);
    let more = ["--shard", "1/2", "--db", store.to_str().unwrap(), "--out", "parts"];
    site.run(&[&["run", "--date", "2026-11-03"][..], &more].concat()).expect(0);
    let ended = site.run(&["merge", "shard-1.db", "shard-2.db", "--out", "merged"]).expect(4);
    assert!(ended.stderr.contains("2026-11-03: not reconciled in shard 2/2"), "{}", ended.stderr);
    assert!(site.path().join("merged/2026-11-02/run.json").exists());
    assert!(!site.path().join("merged/2026-11-03").exists());
}
