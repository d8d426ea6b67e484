//! A date whose authorizations are read from several places at once gives the same result as one
//! that is read in one go, also when the run is killed in between, with hardly more requests.

use std::process::Command;

use rusqlite::Connection;
use tieout_sandbox::WorldOptions;

use crate::harness::gateway::{self, RunningGateway};
use crate::harness::{Ended, Served, Site, clean, reports, rounds};
use crate::killed::kill_when_running;

const PLANTS: [&str; 5] = [
    "ITEM_WITHOUT_BATCH",
    "ITEM_WITHOUT_BATCH",
    "ITEM_WITHOUT_BATCH",
    "DUPLICATE_TRANSACTION",
    "BATCH_COUNT_MISMATCH",
];

/// With the smaller pages a date's authorizations are long enough for stretches.
const SMALL_PAGES: &str = "3";
const LARGE_PAGES: &str = "100";

fn world(seed: u64) -> WorldOptions {
    let plants = PLANTS.map(str::to_owned).to_vec();
    WorldOptions { plants, ..clean(seed, "2026-11-03", "2026-11-04", 8, 500) }
}

fn run(site: &Site, served: &Served, page_size: &str) -> Command {
    let options = served.world.options();
    let mut command =
        site.command(&["run", "--date", &format!("{}..{}", options.from, options.to)]);
    command.env("TIEOUT_API__PAGE_SIZE", page_size);
    command
}

fn finish(site: &Site, served: &Served, page_size: &str) {
    Ended::from(run(site, served, page_size).output().unwrap()).expect(0);
}

/// The files without the manifests: those also count the pages.
fn tables(site: &Site) -> reports::Files {
    let mut files = reports::files(&site.reports());
    files.retain(|name, _| !name.ends_with("run.json"));
    files
}

/// Pages, records and stretches of the authorizations of each date.
fn authorizations(site: &Site) -> Vec<(i64, i64, i64)> {
    let connection = Connection::open(site.store()).unwrap();
    let mut statement = connection
        .prepare(
            "select reading.pages, reading.records, \
             (select count(distinct part) from page \
              where page.reading_id = reading.reading_id) \
             from listing inner join reading on reading.reading_id = listing.reading_id \
             where listing.resource = 'authorizations' and listing.selector = 'date' \
             order by listing.business_date",
        )
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn comes_to_the_same_from_several_places_at_once() {
    for seed in rounds([5, 6, 7]) {
        let served = Served::new(&world(seed));
        let (plain, split) = (served.site(), served.site());
        finish(&plain, &served, LARGE_PAGES);
        finish(&split, &served, SMALL_PAGES);
        let about = format!("seed {seed}");
        reports::assert_same(&tables(&plain), &tables(&split), &about);
        split.run(&["verify", "reports"]).expect(0);
        for (one, other) in authorizations(&plain).iter().zip(&authorizations(&split)) {
            let ((_, expected, single), (pages, records, stretches)) = (*one, *other);
            assert_eq!((records, single), (expected, 1), "{about}");
            assert!(stretches > 2, "{about}: {stretches} stretches");
            // A twentieth more than the pages that exist, less the requests that found the places.
            let exist = (records + 2) / 3;
            let sent = pages + stretches - 1;
            assert!(sent * 100 <= exist * 105, "{about}: {sent} requests for {exist} pages");
        }
    }
}

#[test]
fn takes_other_cursors_than_ids_from_within_the_batches() {
    // Batches of more than a page, and of less than one.
    for (seed, options, page_size, at_least) in
        [(9, world(9), "5", 3), (10, clean(10, "2026-11-03", "2026-11-03", 120, 3_200), "25", 2)]
    {
        let served = Served::new(&options);
        let opaque = gateway::start_opaque(&served.runtime, served.sandbox.base_url(), false);
        let (plain, split) = (served.site(), served.site_behind(&opaque.base));
        finish(&plain, &served, LARGE_PAGES);
        finish(&split, &served, page_size);
        let about = format!("seed {seed}");
        reports::assert_same(&tables(&plain), &tables(&split), &about);
        split.run(&["verify", "reports"]).expect(0);
        for (one, other) in authorizations(&plain).iter().zip(&authorizations(&split)) {
            let ((_, expected, _), (_, records, stretches)) = (*one, *other);
            assert_eq!(records, expected, "{about}");
            assert!(stretches >= at_least, "{about}: {stretches} stretches");
        }
        assert_eq!(refused(&opaque), 0, "{about}: cursors were made up");
    }
}

fn refused(gateway: &RunningGateway) -> usize {
    gateway.seen().iter().filter(|seen| seen.body.contains("Bad request")).count()
}

#[test]
fn takes_no_cursor_from_one_listing_to_another_where_it_is_refused() {
    let served = Served::new(&world(12));
    let bound = gateway::start_opaque(&served.runtime, served.sandbox.base_url(), true);
    let (plain, split) = (served.site(), served.site_behind(&bound.base));
    finish(&plain, &served, LARGE_PAGES);
    finish(&split, &served, SMALL_PAGES);
    reports::assert_same(&tables(&plain), &tables(&split), "one in all");
    split.run(&["verify", "reports"]).expect(0);
    let dates = authorizations(&split);
    assert!(dates.iter().all(|(.., stretches)| *stretches == 1));
    // One is tried for each long listing.
    assert_eq!(refused(&bound), dates.len());
}

#[test]
fn goes_on_from_other_cursors_after_a_kill() {
    let options = world(11);
    let served = Served::slow(&options, 3);
    let opaque = gateway::start_opaque(&served.runtime, served.sandbox.base_url(), false);
    let undisturbed = served.site_behind(&opaque.base);
    finish(&undisturbed, &served, SMALL_PAGES);
    let requests = opaque.seen().len();
    let whole = reports::comparable_however_fetched(&undisturbed.reports());
    for percent in rounds([30, 60]) {
        let about = format!("killed after {percent} % of {requests} requests");
        let site = served.site_behind(&opaque.base);
        let wanted = opaque.seen().len() + requests * percent / 100;
        let mut command = run(&site, &served, SMALL_PAGES);
        assert!(kill_when_running(&mut command, || opaque.seen().len() >= wanted), "{about}");
        finish(&site, &served, SMALL_PAGES);
        assert_eq!(authorizations(&undisturbed), authorizations(&site), "{about}");
        reports::assert_same(&whole, &reports::comparable_however_fetched(&site.reports()), &about);
        site.run(&["verify", "reports"]).expect(0);
    }
}

/// Pages of each stretch of the authorizations of `date`.
fn lengths(site: &Site, date: &str) -> Vec<i64> {
    let connection = Connection::open(site.store()).unwrap();
    let mut statement = connection
        .prepare(
            "select count(*) from listing \
             inner join page on page.reading_id = listing.reading_id \
             where listing.resource = 'authorizations' and listing.selector = 'date' \
               and listing.business_date = ?1 \
             group by page.part",
        )
        .unwrap();
    let rows = statement.query_map([date], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn a_date_of_few_large_batches_is_read_from_as_many_places() {
    // Of a single batch the ids are estimated from its first page alone.
    for (seed, merchants) in rounds([(12, 2), (13, 3), (14, 1), (15, 1)]) {
        let options = clean(seed, "2026-11-03", "2026-11-03", merchants, 6_000);
        let served = Served::new(&options);
        let (plain, split) = (served.site(), served.site());
        finish(&plain, &served, LARGE_PAGES);
        finish(&split, &served, "10");
        let about = format!("seed {seed}, {merchants} merchants");
        reports::assert_same(&tables(&plain), &tables(&split), &about);
        split.run(&["verify", "reports"]).expect(0);
        let lengths = lengths(&split, "2026-11-03");
        let (pages, stretches) = (lengths.iter().sum::<i64>(), lengths.len());
        assert!(stretches > 10, "{about}: {lengths:?}");
        // The night waits for the longest one.
        let longest = lengths.iter().max().unwrap();
        let mean = pages / i64::try_from(stretches).unwrap();
        assert!(longest * 2 <= mean * 3, "{about}: {lengths:?}");
    }
}

#[test]
fn reads_no_place_alone_in_the_end() {
    const AT_ONCE: usize = 4;
    for seed in rounds([16, 17]) {
        let served = Served::new(&clean(seed, "2026-11-03", "2026-11-03", 6, 900));
        let pass_on = Box::new(|_: &str| None);
        let upstream = Some(served.sandbox.base_url());
        let gateway = gateway::start(&served.runtime, upstream, pass_on);
        let site = served.site_behind(&gateway.base);
        let mut command = run(&site, &served, SMALL_PAGES);
        command.env("TIEOUT_API__MAX_IN_FLIGHT", AT_ONCE.to_string());
        Ended::from(command.output().unwrap()).expect(0);
        let starts: String = Connection::open(site.store())
            .unwrap()
            .query_row(
                "select starts from reading inner join listing using (reading_id) \
                 where resource = 'authorizations' and selector = 'date' \
                   and business_date = '2026-11-03'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        let starts: Vec<i64> = starts.split(',').map(|id| id.parse().unwrap()).collect();
        // The place of each request, in the order of the answers.
        let places: Vec<usize> = gateway
            .seen()
            .iter()
            .filter(|seen| seen.path.contains("/authorizations?date=2026-11-03"))
            .filter_map(|seen| seen.path.split_once("after=")?.1.parse().ok())
            .map(|id: i64| starts.iter().filter(|start| **start <= id).count())
            .collect();
        let (requests, about) = (places.len(), format!("seed {seed}: {places:?}"));
        assert!(starts.len() > 4, "{about}");
        // The end of the stretch behind the last start is unknown, so it is read first. Each of the
        // others has a page among the last.
        for place in 0..starts.len() {
            let last = places.iter().rposition(|one| *one == place).unwrap();
            let after = requests - 1 - last;
            assert!(after <= starts.len() + AT_ONCE, "{after} pages after place {place}, {about}");
        }
    }
}

#[test]
fn goes_on_from_every_place_after_a_kill() {
    goes_on(&world(8), SMALL_PAGES, &[15, 30, 45, 60, 75]);
}

#[test]
fn goes_on_from_beyond_the_last_place_after_a_kill() {
    // Of its only batch the ids are estimated to end long before they do.
    goes_on(&clean(15, "2026-11-03", "2026-11-03", 1, 6_000), "10", &[40, 70]);
}

fn goes_on(options: &WorldOptions, page_size: &str, percents: &[u64]) {
    let served = Served::slow(options, 3);
    let undisturbed = served.site();
    let before = served.sandbox.requests();
    finish(&undisturbed, &served, page_size);
    let requests = served.sandbox.requests() - before;
    let whole = reports::comparable_however_fetched(&undisturbed.reports());
    for percent in rounds(percents) {
        let about = format!("killed after {percent} % of {requests} requests");
        let site = served.site();
        let wanted = served.sandbox.requests() + requests * percent / 100;
        let mut command = run(&site, &served, page_size);
        kill_when_running(&mut command, || served.sandbox.requests() >= wanted);
        let stored: i64 = Connection::open(site.store())
            .unwrap()
            .query_row("select count(*) from page", [], |row| row.get(0))
            .unwrap();
        let second = served.sandbox.requests();
        finish(&site, &served, page_size);
        let needed = served.sandbox.requests() - second;
        let stored = u64::try_from(stored).unwrap();
        // The token, and the requests that find the places when none was chosen yet.
        assert!(needed + stored <= requests + 16, "{about}: {stored} stored, {needed} requests");
        assert_eq!(authorizations(&undisturbed), authorizations(&site), "{about}");
        reports::assert_same(&whole, &reports::comparable_however_fetched(&site.reports()), &about);
    }
}
