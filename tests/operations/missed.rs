//! The next night runs a missed one, which is reported until then.

use tieout_sandbox::WorldOptions;

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
    for (now, said) in [
        ("2026-11-04T14:00:00Z", "2026-11-03 has not run yet."),
        ("2026-11-05T14:00:00Z", "Not run yet: 2026-11-03 to 2026-11-04, yesterday."),
    ] {
        let mut status = site.command(&["status"]);
        let ended: Ended = status.env("TIEOUT_NOW", now).output().unwrap().into();
        assert!(ended.expect(0).stdout.contains(said), "{said}");
    }
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

/// The dates that the index of the reports calls not run.
fn not_run(site: &Site) -> Vec<String> {
    let page = std::fs::read_to_string(site.reports().join("index.html")).unwrap();
    let table = crate::harness::page::table_called(&page, "A line for each business date");
    let rows = table.by_name().into_iter().filter(|row| row["Verdict"].ends_with("not run"));
    rows.map(|row| row["Date"].to_owned()).collect()
}

#[test]
fn the_index_of_the_reports_shows_what_was_not_run_until_it_is() {
    let served = Served::new(&clean(8, "2026-11-02", "2026-11-06", 2, 12));
    let site = served.site();
    site.run(&["run", "--date", "2026-11-02"]).expect(0);
    assert_eq!(not_run(&site), [""; 0]);
    site.run(&["run", "--date", "2026-11-05"]).expect(0);
    assert_eq!(not_run(&site), ["2026-11-04", "2026-11-03"]);
    // A sign-off writes the index as well.
    site.run(&["close", "2026-11-05", "--by", "Anna", "--note", "seen"]).expect(0);
    assert_eq!(not_run(&site), ["2026-11-04", "2026-11-03"]);
    site.run(&["run", "--date", "2026-11-03..2026-11-04"]).expect(0);
    assert_eq!(not_run(&site), [""; 0]);
}

/// A statement that arrives too late: its date is done in part, and again once it has arrived.
#[test]
fn what_was_done_in_part_is_run_again_once_its_file_has_come() {
    let served = Served::new(&clean(84, "2026-11-02", "2026-11-08", 5, 40));
    let site = served.site_with_books();
    let mut late = Vec::new();
    for file in served.world.files(&served.sandbox.base_url()) {
        let path = site.path().join(&file.path);
        // A file of one day; those of banks that deliver by the week begin on a Monday.
        let is_of_day =
            ["bai", "sta"].iter().any(|kind| file.path.ends_with(&format!("/2026-11-04.{kind}")));
        if is_of_day {
            std::fs::remove_file(&path).unwrap();
            late.push((path, file.content));
        }
    }
    assert!(!late.is_empty());
    let again = |site: &Site| {
        let mut command = site.command(&["run", "--again"]);
        Ended::from(command.env("TIEOUT_NOW", "2026-11-06T18:00:00Z").output().unwrap())
    };
    for date in ["2026-11-02", "2026-11-03", "2026-11-04"] {
        night_after(&site, date, &[]).expect(0);
    }
    let rows =
        reports::table(&site.reports(), crate::harness::day("2026-11-04"), "bank_matches.csv");
    assert!(rows.iter().any(|row| row["verdict"] == "awaiting_statement"), "{rows:?}");
    night_after(&site, "2026-11-05", &[]).expect(4);
    let before = served.sandbox.requests();
    again(&site).expect(4);
    for (path, content) in &late {
        std::fs::write(path, content).unwrap();
    }
    let ended = again(&site).expect(0);
    assert!(ended.stdout.contains("2026-11-05"), "{}", ended.stdout);
    // A file is missing, not a listing: the API gets no request.
    assert_eq!(served.sandbox.requests(), before);
    let rows =
        reports::table(&site.reports(), crate::harness::day("2026-11-05"), "bank_matches.csv");
    let found = rows.iter().filter(|row| row["due_date"] == "2026-11-04");
    assert!(
        found.clone().count() > 0 && found.clone().all(|row| row["verdict"] == "found"),
        "{rows:?}"
    );
    assert_eq!(again(&site).expect(0).stdout, "");
}

#[test]
fn what_books_and_a_bank_found_stays_open_when_they_leave_the_configuration() {
    let plants = ["DEPOSIT_NOT_IN_BANK", "MISSING_IN_LEDGER", "BATCH_COUNT_MISMATCH"];
    let plants = plants.map(str::to_owned).to_vec();
    let world = WorldOptions { plants, ..clean(7, "2026-11-02", "2026-11-11", 3, 12) };
    let served = Served::new(&world);
    let site = served.site_with_books();
    site.run(&["run", "--date", "2026-11-02..2026-11-10"]).expect(0);
    let open = |site: &Site| {
        let list = site.run(&["discrepancies", "list", "--status", "new,open", "--json"]).expect(0);
        let rows: Vec<serde_json::Value> = serde_json::from_str(&list.stdout).unwrap();
        let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap().to_owned();
        let id = |row| (text(row, "discrepancy_id"), text(row, "code"));
        rows.iter().map(id).collect::<std::collections::BTreeSet<_>>()
    };
    let before = open(&site);
    for code in ["DEPOSIT_NOT_IN_BANK", "MISSING_IN_LEDGER"] {
        assert!(before.iter().any(|(_, found)| found == code), "{before:?}");
    }
    let path = site.path().join("tieout.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let (text, _) = text.split_once("\n[[ledgers]]").unwrap();
    let names_one = |line: &&str| line.starts_with("ledger = ") || line.starts_with("bank = ");
    let kept: Vec<&str> = text.lines().filter(|line| !names_one(line)).collect();
    std::fs::write(&path, kept.join("\n")).unwrap();
    site.run(&["run", "--date", "2026-11-11"]).expect(0);
    let gone: Vec<_> = before.difference(&open(&site)).cloned().collect();
    assert!(gone.is_empty(), "{gone:?}");
}
