//! An accepted discrepancy stays on the pages, with the person, the reason and the end date.

use std::collections::BTreeSet;

use super::pages::{all_planted, is_open, money};
use crate::harness::reports::{Row, table};
use crate::harness::{Served, day, page};

const CAPTION: &str = "Accepted discrepancies";

#[test]
fn names_what_is_accepted_and_who_said_so() {
    let served = Served::new(&all_planted(91));
    let untouched = served.site();
    untouched.run_range(day("2026-11-02"), day("2026-11-08")).expect(0);
    let open_on = |date: &str| -> Vec<Row> {
        let rows = table(&untouched.reports(), day(date), "discrepancies.csv");
        rows.into_iter().filter(is_open).collect()
    };
    let later = ["2026-11-05", "2026-11-06", "2026-11-07"].map(|date| -> BTreeSet<String> {
        open_on(date).iter().map(|row| row["discrepancy_id"].clone()).collect()
    });
    let is_meant = |row: &Row| {
        later.iter().all(|ids| ids.contains(&row["discrepancy_id"]))
            && row["severity"] == "error"
            && !row["currency"].is_empty()
            && !row["difference"].is_empty()
    };
    let row = open_on("2026-11-04").into_iter().find(is_meant).expect("an error that stays open");
    let id = row["discrepancy_id"].as_str();

    let site = served.site();
    site.run_range(day("2026-11-02"), day("2026-11-04")).expect(0);
    let note = "Agreed with the processor.";
    let said = ["--by", "Ann <Lee>", "--note", note, "--until", "2026-11-06"];
    site.run(&[&["discrepancies", "accept", id], &said[..]].concat()).expect(0);
    site.run_range(day("2026-11-05"), day("2026-11-08")).expect(0);
    let html = |date: &str| {
        std::fs::read_to_string(site.reports().join(date).join("report.html")).unwrap()
    };
    let amount = money(&row, "difference", "").trim_start_matches('-').to_owned();
    let date = "2026-11-05";
    let page_of_date = html(date);
    let tiles = page::tiles(&page_of_date);
    let tile = tiles.get("Accepted").unwrap_or_else(|| panic!("{row:?}: {tiles:?}"));
    assert_eq!(*tile, format!("{amount}\nall of it is new"));
    let lines = page::table_called(&page_of_date, CAPTION);
    let [line] = &lines.by_name()[..] else { panic!("{lines:?}") };
    assert_eq!(line["Amount"], amount);
    assert!(line["By"].starts_with("Ann <Lee>"), "{line:?}");
    assert!(line["Accepted"].contains(id), "{line:?}");
    assert_eq!((line["Until"], line["Note"]), ("2026-11-06", note));
    assert_eq!(line["Explanation"], row["explanation"]);
    let found = table(&site.reports(), day(date), "discrepancies.csv");
    assert!(found.iter().all(|one| one["discrepancy_id"] != id));
    // It is named for as long as the acceptance holds, and open again after it.
    let next = html("2026-11-06");
    assert_eq!(page::tiles(&next)["Accepted"], format!("{amount}\nnone of it is new"));
    let table_of_next = page::table_called(&next, CAPTION);
    let named = table_of_next.by_name();
    let same = |column: &str| named[0][column] == line[column];
    assert!(["Accepted", "Amount", "Until", "Note"].into_iter().all(same), "{named:?}");
    assert!(!html("2026-11-07").contains(CAPTION));
    let again = table(&site.reports(), day("2026-11-07"), "discrepancies.csv");
    let again = again.iter().find(|one| one["discrepancy_id"] == id).expect("it is open again");
    assert_eq!((again["status"].as_str(), &again["first_seen"]), ("new", &row["first_seen"]));
    // Before the acceptance the finding is in the list of open ones.
    assert!(!html("2026-11-04").contains(CAPTION));
    // Writing the reports again says the same.
    let before = html("2026-11-05");
    site.run(&["report", "--date", "2026-11-05"]).expect(0);
    assert!(
        html("2026-11-05") == before,
        "the page of a date is the same when it is written again"
    );
}
