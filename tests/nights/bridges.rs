//! The deposits at the bank in a period agree with its dates at its end, and the bridge from paid
//! deposits to the statements adds up from the files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::NaiveDate;

use super::pages::{shown, thousandths};
use super::periods::read;
use crate::harness::page;
use crate::harness::reports::{Row, table};

/// The newest row of each deposit in the `bank_matches.csv` of `dates`, with its date.
fn newest(root: &Path, dates: &[NaiveDate]) -> BTreeMap<String, (NaiveDate, Row)> {
    let mut newest = BTreeMap::new();
    for date in dates {
        for row in table(root, *date, "bank_matches.csv") {
            if !row["ach_deposit_id"].is_empty() {
                newest.insert(row["ach_deposit_id"].clone(), (*date, row));
            }
        }
    }
    newest
}

/// Each deposit of the period has the verdict of the newest date that reports it; a later credit up
/// to the end of the period is found as well.
pub fn check_words(root: &Path, dates: &[NaiveDate], folder: &Path, about: &str) {
    let newest = newest(root, dates);
    let last = dates[dates.len() - 1];
    let mut found = 0;
    for row in read(folder, "deposits.csv") {
        let id = &row["ach_deposit_id"];
        let Some((date, said)) = newest.get(id) else {
            assert_eq!(row["bank_verdict"], "", "{about}: deposit {id}");
            continue;
        };
        let columns = ["bank_date", "bank_amount"];
        let is_same = row["bank_verdict"] == said["verdict"]
            && columns.iter().all(|column| row[*column] == said[*column]);
        if is_same {
            found += usize::from(row["bank_verdict"] == "found");
            continue;
        }
        // Before it was due, or once it was missing, a later line can only make it found.
        let is_open = ["due", "awaiting_statement", "missing", "not_evaluated", "ambiguous"];
        assert!(is_open.contains(&said["verdict"].as_str()), "{about}: {row:?}, {said:?}");
        if row["bank_verdict"].is_empty() {
            assert!(row["net_amount"].starts_with('-'), "{about}: {row:?} was not carried");
            continue;
        }
        let due: NaiveDate = said["due_date"].parse().unwrap();
        if row["bank_verdict"] == "missing" {
            assert!(*date < last && due <= last, "{about}: {row:?}, {said:?}");
            continue;
        }
        let at: NaiveDate = row["bank_date"].parse().unwrap();
        assert!(at <= last, "{about}: {row:?}");
        let verdict = if at > due { "late" } else { "found" };
        assert_eq!(row["bank_verdict"], verdict, "{about}: {row:?}, {said:?}");
    }
    assert!(found > 0 || newest.is_empty(), "{about}: nothing is found");
}

/// Amounts by bank, currency and step.
fn steps(rows: &[Row]) -> BTreeMap<(String, String), BTreeMap<String, i128>> {
    let mut steps: BTreeMap<(String, String), BTreeMap<String, i128>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row["step"] != "cannot_be_closed") {
        let key = (row["bank"].clone(), row["currency"].clone());
        *steps.entry(key).or_default().entry(row["step"].clone()).or_default() +=
            thousandths(&row["amount"]);
    }
    steps
}

/// The bridge adds up, its steps agree with the deposits of the period, and the page shows it.
/// Returns the number of closed bridges.
pub fn check_bridges(root: &Path, dates: &[NaiveDate], folder: &Path, about: &str) -> usize {
    let rows = read(folder, "bank_bridge.csv");
    let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
    let open: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row["step"] == "cannot_be_closed")
        .map(|row| row["bank"].as_str())
        .collect();
    assert_eq!(html.contains("The bridge cannot be closed:"), !open.is_empty(), "{about}");
    let steps = steps(&rows);
    for ((bank, currency), steps) in &steps {
        let about = format!("{about}, bank {bank}, {currency}");
        assert!(!open.contains(bank.as_str()), "{about}: a figure of what cannot be closed");
        let statement = steps.get("statement").copied().unwrap_or_default();
        let others = steps.iter().filter(|one| one.0 != "statement").map(|one| one.1);
        assert_eq!(others.sum::<i128>(), statement, "{about}: {steps:?}");
        let of_bridge = |row: &&Row| row["bank"] == *bank && row["currency"] == *currency;
        let own: Vec<&Row> = rows.iter().filter(of_bridge).collect();
        check_paid(root, dates, folder, &own, (bank, currency), &about);
        check_page(&html, steps, (bank, currency), &about);
    }
    steps.len()
}

/// The deposits of the steps are those that the period lists, with their verdicts at its end.
fn check_paid(
    root: &Path,
    dates: &[NaiveDate],
    folder: &Path,
    own: &[&Row],
    (bank, currency): (&str, &str),
    about: &str,
) {
    let of_bank: BTreeSet<String> = newest(root, dates)
        .into_iter()
        .filter(|(_, (_, row))| row["bank"] == bank && row["currency"] == currency)
        .map(|(id, _)| id)
        .collect();
    let deposits = read(folder, "deposits.csv");
    let of_deposits = |verdict: Option<&str>| -> BTreeMap<String, i128> {
        let is_meant = |row: &&Row| {
            of_bank.contains(&row["ach_deposit_id"])
                && verdict.is_none_or(|verdict| row["bank_verdict"] == verdict)
        };
        let amount = |row: &Row| (row["ach_deposit_id"].clone(), thousandths(&row["net_amount"]));
        deposits.iter().filter(is_meant).map(amount).filter(|one| one.1 != 0).collect()
    };
    let since = dates[0].to_string();
    let of_step = |step: &str, sign: i128| -> BTreeMap<String, i128> {
        let is_meant = |row: &&&Row| row["step"] == step && row["date"] >= since;
        let amount =
            |row: &&Row| (row["ach_deposit_id"].clone(), sign * thousandths(&row["amount"]));
        own.iter().filter(is_meant).map(amount).collect()
    };
    // A carried balance is in no later row.
    let mut paid = of_step("paid", 1);
    for (id, amount) in of_step("carried", -1) {
        if !of_bank.contains(&id) {
            assert_eq!(paid.remove(&id), Some(amount), "{about}");
        }
    }
    assert_eq!(paid, of_deposits(None), "{about}: paid");
    assert_eq!(of_step("on_the_way_at_end", -1), of_deposits(Some("due")), "{about}: on the way");
    assert_eq!(of_step("overdue_at_end", -1), of_deposits(Some("missing")), "{about}: overdue");
}

/// The line of the bridge, and its own table where it has more than deposits and lines.
fn check_page(
    html: &str,
    steps: &BTreeMap<String, i128>,
    (bank, currency): (&str, &str),
    about: &str,
) {
    let overview = page::table_called(html, "From paid out to the statements, bank by bank");
    let lines = overview.by_name();
    let is_meant =
        |line: &&BTreeMap<&str, &str>| line["Bank"] == bank && line["Currency"] == currency;
    let line = lines.into_iter().find(|line| is_meant(&line)).unwrap();
    let cell = |head: &str| shown(line[head]).into_values().next().unwrap_or_default();
    let step = |name: &str| steps.get(name).copied().unwrap_or_default();
    assert_eq!(cell("Paid in the period (net)"), step("paid"), "{about}");
    assert_eq!(cell("− on the way at its end"), step("on_the_way_at_end"), "{about}");
    assert_eq!(cell("− overdue"), step("overdue_at_end"), "{about}");
    assert_eq!(cell("= on the statements"), step("statement"), "{about}");
    let others = ["+ open at its start", "± lines and amounts that differ"].map(cell);
    let named = step("paid") + step("on_the_way_at_end") + step("overdue_at_end");
    assert_eq!(named + others.iter().sum::<i128>(), step("statement"), "{about}");
    if steps.keys().all(|step| ["paid", "statement"].contains(&step.as_str())) {
        return;
    }
    let caption = format!("Bank {bank}, {currency}: from paid out to the statements");
    let mut amounts = Vec::new();
    for line in page::table_called(html, &caption).by_name() {
        amounts.extend(shown(line["Amount"]).into_values());
    }
    let total = amounts.pop().unwrap();
    assert_eq!(total, step("statement"), "{about}: the page");
    assert_eq!(amounts.iter().sum::<i128>(), total, "{about}: the page");
}
