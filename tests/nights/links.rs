//! A key that may ask which deposit holds a transaction: the links are exact, and where nothing
//! is wrong they change nothing.

use tieout::sandbox::{Found, WorldOptions, grade, plant_codes};

use crate::harness::{Served, Site, clean, reports};

/// Plants in batch headers, which a deposit repeats: with links the deposit is compared with the
/// transactions and differs as well. The key of a world speaks of a run without links.
const HEADERS: [&str; 3] =
    ["BATCH_SALES_MISMATCH", "BATCH_RETURNS_MISMATCH", "BATCH_COUNT_MISMATCH"];

fn tables(site: &Site) -> reports::Files {
    let mut files = reports::files(&site.reports());
    files.retain(|name, _| !name.ends_with("run.json") && !name.contains("report."));
    files
}

fn run(served: &Served) -> Site {
    let site = served.site();
    let options = served.world.options();
    site.run_range(options.from, options.to).expect(0);
    site
}

fn linked_listings(site: &Site, served: &Served) -> usize {
    let last = *served.dates().last().unwrap();
    let record = reports::manifest(&site.reports(), last);
    let listings = record["listings"].as_array().unwrap();
    listings.iter().filter(|listing| listing["resource"] == "transactions").count()
}

#[test]
fn change_nothing_where_nothing_is_wrong() {
    for seed in 61..64 {
        let options = clean(seed, "2026-11-03", "2026-11-09", 6, 60);
        let (with, without) = (Served::linked(&options), Served::new(&options));
        let (linked, plain) = (run(&with), run(&without));
        reports::assert_same(&tables(&plain), &tables(&linked), &format!("seed {seed}"));
        assert!(linked_listings(&linked, &with) > 0 && linked_listings(&plain, &without) == 0);
    }
}

#[test]
fn give_the_same_bytes_for_a_range_and_day_by_day() {
    let codes: Vec<String> = plant_codes().into_iter().map(str::to_owned).collect();
    for seed in [65, 66] {
        let options = WorldOptions {
            plants: codes.clone(),
            ..clean(seed, "2026-11-02", "2026-11-08", 6, 40)
        };
        let served = Served::linked(&options);
        let range = run(&served);
        let nightly = served.site();
        for date in served.dates() {
            nightly.run_date(date).expect(0);
        }
        let mut expected = tables(&range);
        expected.retain(|name, _| !name.starts_with("periods"));
        reports::assert_same(&expected, &tables(&nightly), &format!("seed {seed}"));
    }
}

#[test]
fn find_what_is_planted_and_nothing_else() {
    let plants: Vec<String> = plant_codes()
        .into_iter()
        .filter(|code| !HEADERS.contains(code))
        .map(str::to_owned)
        .collect();
    for seed in [67, 68] {
        let options = WorldOptions {
            plants: plants.clone(),
            ..clean(seed, "2026-11-02", "2026-11-08", 6, 40)
        };
        let served = Served::linked(&options);
        let site = served.site_with_books();
        let result = served.job(&site);
        let mut found: Vec<Found> = Vec::new();
        for date in &result.dates {
            let outcome = date.outcome.as_ref().unwrap();
            assert!(outcome.not_evaluated.is_empty(), "seed {seed}: {:?}", outcome.not_evaluated);
            let rows = outcome.discrepancies.iter().map(|stored| stored.row.clone()).collect();
            found.push((date.business_date, rows));
        }
        let wrong = grade(&served.key, &found);
        assert!(wrong.is_empty(), "seed {seed}:\n{}", wrong.join("\n"));
    }
}
