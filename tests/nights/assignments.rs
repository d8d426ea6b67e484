//! Every report shows the assignments and notes of people, and a discrepancy that a rerun withdrew
//! keeps its id.
#![expect(clippy::disallowed_methods, reason = "a test plays a run that is interrupted")]

use serde_json::Value;

use super::decisions::planted;
use super::shifting::Shifting;
use crate::harness::reports::{self, Row, table};
use crate::harness::{Served, Site, clean, day, page, workbook};

const LAST: &str = "2026-11-06";

fn json(site: &Site, arguments: &[&str]) -> Value {
    serde_json::from_str(&site.run(arguments).expect(0).stdout).unwrap()
}

fn row_of(site: &Site, date: &str, id: &str) -> Row {
    let rows = table(&site.reports(), day(date), "discrepancies.csv");
    rows.into_iter().find(|row| row["discrepancy_id"] == id).unwrap()
}

fn assigned(row: &Row) -> [&str; 4] {
    ["owner", "ticket", "due_date", "note"].map(|column| row[column].as_str())
}

/// Owner, ticket, due date and note of two discrepancies: in no report of a date that was
/// reconciled before, and in each report of those from then on, until the next assignment.
#[test]
fn an_assignment_stands_in_every_report_from_the_next_date_on() {
    let (_served, site) = planted(85, "2026-11-05");
    let rows = table(&site.reports(), day("2026-11-05"), "discrepancies.csv");
    let stays = |row: &&Row| row["status"] == "open" && reports::is_carried(row);
    let ids: Vec<String> =
        rows.iter().filter(stays).take(2).map(|row| row["discrepancy_id"].clone()).collect();
    let [one, other] = ids.as_slice() else { panic!("{rows:?}") };
    let before = reports::files(&site.reports());
    let note = "=asked of card 4111 1111 1111 1111";
    let said = ["--to", "Anna", "--ticket", "F-1", "--due", "2026-12-01", "--note", note];
    site.run(&[&["discrepancies", "assign", one, other], &said[..]].concat()).expect(0);
    site.run(&["discrepancies", "assign", other, "--clear=ticket,due", "--to", "Ben"]).expect(0);
    reports::assert_same(&before, &reports::files(&site.reports()), "assigned");
    // It is listed at once, and reported with the next date.
    let listed = json(&site, &["discrepancies", "list", "--json"]);
    let listed = listed.as_array().unwrap().iter().find(|row| row["discrepancy_id"] == **one);
    assert_eq!(listed.unwrap()["owner"], "Anna");
    site.run_date(day(LAST)).expect(0);
    let masked = "=asked of card *1111";
    let escaped = format!("'{masked}");
    assert_eq!(assigned(&row_of(&site, LAST, one)), ["Anna", "F-1", "2026-12-01", &escaped]);
    assert_eq!(assigned(&row_of(&site, LAST, other)), ["Ben", "", "", &escaped]);
    assert_eq!(assigned(&row_of(&site, "2026-11-05", one)), ["", "", "", ""]);
    let folder = site.reports().join(LAST);
    let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
    let words = page::words(&html);
    assert!(words.contains(&format!("Anna, ticket F-1, due 2026-12-01: {masked}")), "{words}");
    assert_eq!(workbook::differences(&folder), Vec::<String>::new());
    for file in reports::files(&site.reports()).values() {
        assert!(!String::from_utf8_lossy(file).contains("4111 1111"));
    }
    let shown = site.run(&["discrepancies", "show", one]).expect(0).stdout;
    assert!(shown.contains("assigned     Anna, ticket F-1, due 2026-12-01: =asked"), "{shown}");
    // The same data and decisions give the same bytes, and they can be proved.
    let files = reports::comparable(&site.reports());
    site.run_date(day(LAST)).expect(0);
    reports::assert_same(&files, &reports::comparable(&site.reports()), "run twice");
    site.run(&["verify", "reports"]).expect(0);
    // A restored copy knows it as well.
    site.run(&["backup", "copy.db"]).expect(0);
    site.restore(&site.path().join("copy.db"));
    site.run_date(day(LAST)).expect(0);
    reports::assert_same(&files, &reports::comparable(&site.reports()), "restored");
    site.run(&["discrepancies", "assign", one, "--clear", "--by", "Kim"]).expect(0);
    site.run_date(day("2026-11-07")).expect(0);
    assert_eq!(assigned(&row_of(&site, "2026-11-07", one)), ["", "", "", ""]);
}

/// A finding that a later run does not confirm is in no report; its id states until when it was
/// reported and which run withdrew it. When it comes back, its life continues.
#[test]
fn what_a_rerun_took_away_keeps_its_id_and_its_story() {
    let served = Served::new(&clean(86, "2026-11-02", "2026-11-04", 2, 10));
    let shifting = Shifting::new(&served);
    let site = shifting.site(&served);
    let (first, last) = (day("2026-11-02"), day("2026-11-04"));
    site.run_date(first).expect(0);
    let batch = table(&site.reports(), first, "batches.csv")[0]["batch_id"].clone();
    let name = ("batches".to_owned(), batch);
    shifting.shift.lock().unwrap().more.insert(name.clone(), 77);
    site.run_range(first, last).expect(0);
    let rows = table(&site.reports(), last, "discrepancies.csv");
    let found = rows.iter().find(|row| row["code"] == "BATCH_SALES_MISMATCH").unwrap();
    let id = found["discrepancy_id"].clone();
    shifting.shift.lock().unwrap().more.remove(&name);
    site.run_range(first, last).expect(0);
    for date in served.dates() {
        let rows = table(&site.reports(), date, "discrepancies.csv");
        assert!(rows.iter().all(|row| row["discrepancy_id"] != id), "{date}: {rows:?}");
    }
    let shown = site.run(&["discrepancies", "show", &id[..10]]).expect(0).stdout;
    assert!(shown.contains("withdrawn: reported up to 2026-11-04"), "{shown}");
    let shown = json(&site, &["discrepancies", "show", &id, "--json"]);
    assert_eq!(shown["discrepancy"]["status"], "withdrawn", "{shown}");
    assert_eq!(shown["withdrawn"][0]["business_date"], found["first_seen"].as_str(), "{shown}");
    let days = json(&site, &["status", "--json"]);
    let day = days.as_array().unwrap().iter().find(|one| one["business_date"] == "2026-11-04");
    assert_eq!(day.unwrap()["withdrawn"][0]["discrepancy_id"], id.as_str(), "{days}");
    let status = site.run(&["status"]).expect(0).stdout;
    assert!(status.contains(&format!("{id} BATCH_SALES_MISMATCH")), "{status}");
    for act in ["accept", "assign"] {
        let said: &[&str] =
            if act == "accept" { &["--by", "Anna", "--note", "x"] } else { &["--to", "Anna"] };
        let refused = site.run(&[&["discrepancies", act, &id], said].concat()).expect(2);
        assert!(refused.stderr.contains("withdrew it"), "{}", refused.stderr);
    }
    site.run(&["verify", "reports"]).expect(0);
    shifting.shift.lock().unwrap().more.insert(name, 77);
    site.run_range(first, last).expect(0);
    let shown = json(&site, &["discrepancies", "show", &id, "--json"]);
    assert_ne!(shown["discrepancy"]["status"], "withdrawn", "{shown}");
    let days = json(&site, &["status", "--json"]);
    let gone = days.as_array().unwrap().iter().flat_map(|one| one["withdrawn"].as_array().unwrap());
    assert!(gone.clone().all(|one| one["discrepancy_id"] != id.as_str()), "{days}");
}

/// Dates are closed together or not at all, but for those that are closed already; with open errors
/// only with a note; the page states the open discrepancies and the note.
#[test]
fn dates_with_open_errors_are_closed_together_with_a_note() {
    let (_served, site) = planted(85, "2026-11-05");
    let dates = ["2026-11-04", "2026-11-05"];
    let open = |date: &str| {
        let rows = table(&site.reports(), day(date), "discrepancies.csv");
        rows.iter().filter(|row| row["severity"] == "error" && row["status"] != "cleared").count()
    };
    let refused = site.run(&["close", dates[0], dates[1], "--by", "Anna"]).expect(2);
    let said = format!("{}: {} errors are open", dates[0], open(dates[0]));
    assert!(refused.stderr.contains(&said) && refused.stderr.contains("--note"), "{refused:?}");
    let closed = site.run(&["close", "2026-11-04..2026-11-05", "--by", "Anna", "--note", "seen"]);
    let closed = closed.expect(0);
    for date in dates {
        assert!(closed.stdout.contains(&format!("{date} is closed")), "{}", closed.stdout);
        assert!(closed.stdout.contains(&format!("  {} errors are open:", open(date))));
        let file = site.reports().join(date).join("report.html");
        let words = page::words(&std::fs::read_to_string(file).unwrap());
        assert!(words.contains(&format!("with {} errors open: seen", open(date))), "{words}");
    }
    assert_eq!(closed.stdout.matches("head of the audit trail").count(), 1);
    let again = site.run(&["close", dates[0], dates[1], "--by", "Anna", "--note", "x"]).expect(2);
    assert!(again.stderr.contains("2026-11-04 is closed already"), "{}", again.stderr);
    // The next sign-off passes over closed dates, and finishes one whose files were not written.
    let file = |date: &str| site.reports().join(date).join("run.json");
    let (manifest, closed) = (file("2026-11-03"), file(dates[1]));
    let (before, kept) = (std::fs::read(&manifest).unwrap(), std::fs::read(&closed).unwrap());
    let rest = ["close", "2026-11-03..2026-11-05", "--by", "Ben", "--note", "seen"];
    let rest = site.run(&rest).expect(0).stdout;
    assert!(rest.contains("2026-11-03 is closed: "), "{rest}");
    for date in dates {
        assert!(rest.contains(&format!("{date} was closed before\n")), "{rest}");
    }
    assert!(std::fs::read(&closed).unwrap() == kept, "a closed date has changed");
    std::fs::write(&manifest, before).unwrap();
    let finished = site.run(&["close", "2026-11-03", "--by", "Anna", "--note", "x"]).expect(0);
    assert!(finished.stdout.contains("2026-11-03 is closed"), "{}", finished.stdout);
    assert_eq!(
        reports::manifest(&site.reports(), day("2026-11-03"))["sign_off"]["closed"]["who"],
        "Ben"
    );
    site.run(&["verify", "reports"]).expect(0);
}

/// Accepting again names the earlier acceptance; several are accepted together or not at all.
#[test]
fn accepting_again_says_by_whom_and_until_when_it_was_accepted() {
    let (_served, site) = planted(85, "2026-11-05");
    let rows = table(&site.reports(), day("2026-11-05"), "discrepancies.csv");
    let open = |row: &&Row| row["status"] == "open" && reports::is_carried(row);
    let ids: Vec<&str> =
        rows.iter().filter(open).take(2).map(|row| row["discrepancy_id"].as_str()).collect();
    let accept =
        |ids: &[&str], said: &[&str]| site.run(&[&["discrepancies", "accept"], ids, said].concat());
    accept(&ids[..1], &["--by", "Anna", "--note", "fee", "--until", "2026-11-30"]).expect(0);
    let said = accept(&ids, &["--by", "Ben", "--note", "all"]).expect(0).stdout;
    let before = "accepted already, by Anna from 2026-11-06 until 2026-11-30: fee";
    assert_eq!(said.matches(before).count(), 1, "{said}");
    // One date everywhere: the business date from which it counts.
    let shown = site.run(&["discrepancies", "show", ids[0]]).expect(0).stdout;
    assert!(shown.contains("accepted by Ben: all, from business date 2026-11-06"), "{shown}");
    assert!(
        shown.contains("  2026-11-06   accepted by Anna up to and including 2026-11-30"),
        "{shown}"
    );
    site.run_date(day(LAST)).expect(0);
    let history = json(&site, &["discrepancies", "show", ids[0], "--json"])["history"].clone();
    let last = history.as_array().unwrap().last().unwrap().clone();
    assert_eq!([&last["business_date"], &last["status"]], [LAST, "accepted"]);
    site.run(&["discrepancies", "reopen", ids[0], ids[1], "--by", "Kim", "--note", "no"]).expect(0);
}
