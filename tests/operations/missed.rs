//! A night that did not happen is run by the next one, and is said until then.

use crate::harness::{Ended, Served, Site, clean, reports};

/// A `tieout run` of the morning after `date`, as cron starts it.
fn night_after(site: &Site, date: &str, change: &[(&str, &str)]) -> Ended {
    let next = crate::harness::day(date).succ_opt().unwrap();
    let now = format!("{next}T14:00:00Z");
    let mut command = site.command(&["run"]);
    command.env("TIEOUT_NOW", now).envs(change.iter().copied());
    command.output().unwrap().into()
}

fn states(site: &Site) -> Vec<(String, bool)> {
    let ended = site.run(&["status", "--json"]).expect(0);
    let days: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let of = |day: &serde_json::Value| {
        let date = day["business_date"].as_str().unwrap().to_owned();
        (date, day["is_missed"].as_bool().unwrap())
    };
    days.as_array().unwrap().iter().map(of).collect()
}

#[test]
fn the_next_night_runs_the_dates_that_were_missed_and_leaves_what_a_range_leaves() {
    let served = Served::new(&clean(7, "2026-11-02", "2026-11-07", 3, 12));
    let site = served.site();
    night_after(&site, "2026-11-02", &[]).expect(0);
    // The API is dead for a night, and the night after does not happen.
    let dead =
        [("TIEOUT_API__BASE_URL", "http://127.0.0.1:9/v1"), ("TIEOUT_API__MAX_ATTEMPTS", "1")];
    assert_ne!(night_after(&site, "2026-11-03", &dead).code, Some(0));
    // By hand, for that date alone.
    site.run(&["run", "--date", "2026-11-05"]).expect(0);
    let missed = ["2026-11-03", "2026-11-04"].map(str::to_owned);
    let said = states(&site);
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(said.iter().all(|(date, is_missed)| *is_missed == missed.contains(date)), "{said:?}");
    let table = site.run(&["status"]).expect(0).stdout;
    assert!(table.contains("not run"), "{table}");
    let none = [("TIEOUT_SCHEDULE__CATCH_UP_DAYS", "0")];
    let metrics = site.path().join("metrics.prom");
    let path = ("TIEOUT_NOTIFY__METRICS_FILE", metrics.to_str().unwrap());
    night_after(&site, "2026-11-06", &[none[0], path]).expect(0);
    let text = std::fs::read_to_string(&metrics).unwrap();
    assert!(text.contains("\ntieout_dates_not_run 2\n"), "{text}");
    let ended = night_after(&site, "2026-11-07", &[path]).expect(0);
    assert!(ended.stderr.contains("2 dates were missed"), "{}", ended.stderr);
    assert!(std::fs::read_to_string(&metrics).unwrap().contains("\ntieout_dates_not_run 0\n"));
    let said = states(&site);
    assert!(said.len() == 6 && said.iter().all(|(_, is_missed)| !is_missed), "{said:?}");
    let whole = served.site();
    whole.run_range(served.world.options().from, served.world.options().to).expect(0);
    let tables = |site: &Site| {
        let mut files = reports::files(&site.reports());
        files.retain(|name, _| name.rsplit('.').next() == Some("csv"));
        files
    };
    reports::assert_same(&tables(&site), &tables(&whole), "caught up");
}
