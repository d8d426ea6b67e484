//! The top of a date's page: the discrepancies to look at first, compared with the findings of the
//! date and the headers of the checks. `tests/figures` checks its sums and counts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::pages::{is_open, shown, thousandths};
use crate::harness::page;
use crate::harness::reports::Row;

/// The table that leads from the closing to the head.
pub const BRIDGE: &str = "From the closing to the head of this page";

/// The value of a line of a check's header; empty without one. The user's own checks are left out.
fn header(code: &str, key: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stem = code.to_lowercase();
    let finders = ["bank", "ledger", "restated"]
        .map(|finder| format!("crates/judge/src/{finder}/{stem}.check"));
    let files = finders.into_iter().chain([format!("crates/store/sql/checks/{stem}.sql")]);
    let file = files.map(|file| root.join(file)).find(|file: &PathBuf| file.is_file());
    let text = file.map(|file| std::fs::read_to_string(file).unwrap()).unwrap_or_default();
    let prefix = format!("-- {key}: ");
    text.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or_default().to_owned()
}

/// A row's difference, if it is money and not zero.
fn difference(row: &Row) -> Option<i128> {
    let is_money = !row["currency"].is_empty() && !row["difference"].is_empty();
    is_money.then(|| thousandths(&row["difference"])).filter(|amount| *amount != 0)
}

/// The tile that a row's money belongs to.
fn tile_of(row: &Row) -> &'static str {
    let is_less = difference(row) < Some(0);
    match (header(&row["code"], "money").as_str(), is_less) {
        ("unclear", _) => "To be clarified",
        ("overdue", true) => "Overdue",
        ("", true) | ("more-is-short", false) => "Short",
        _ => "Over or unidentified",
    }
}

/// The steps from the closing to the head add up, in number and in money.
fn check_bridge(found: &[Row], leads: &[&Row], html: &str, about: &str) {
    if found.iter().all(|row| !is_open(row)) {
        assert!(!html.contains(BRIDGE), "{about}");
        return;
    }
    let lines = page::table_called(html, BRIDGE);
    let mut rolled: (i128, BTreeMap<String, i128>) = Default::default();
    for line in lines.by_name() {
        let (count, money) = (line["Findings"].parse::<i128>().unwrap(), line["Money"]);
        let money = if money == "–" { BTreeMap::new() } else { shown(money) };
        let sign = match line["Step"].chars().next() {
            Some('+') => 1,
            Some('−') => -1,
            Some('=') => {
                assert_eq!(rolled.0, count, "{about}: {line:?}");
                rolled.1.retain(|_, sum| *sum != 0);
                let known: BTreeMap<_, _> =
                    money.into_iter().filter(|(_, sum)| *sum != 0).collect();
                assert_eq!(rolled.1, known, "{about}: {line:?}");
                continue;
            }
            _ => {
                rolled = (count, money);
                continue;
            }
        };
        rolled.0 += sign * count;
        for (currency, amount) in money {
            *rolled.1.entry(currency).or_default() += sign * amount;
        }
    }
    let mut head: BTreeMap<String, i128> = BTreeMap::new();
    for row in leads {
        if let Some(amount) = difference(row) {
            *head.entry(row["currency"].clone()).or_default() += amount.abs();
        }
    }
    assert_eq!(rolled, (leads.len() as i128, head), "{about}");
}

/// The table of discrepancies to look at first, and the steps from the closing to the head.
pub fn check(found: &[Row], causes: &BTreeMap<String, Vec<&Row>>, html: &str, about: &str) {
    let by_id: BTreeMap<&str, &Row> =
        found.iter().map(|row| (row["discrepancy_id"].as_str(), row)).collect();
    let leads: Vec<&Row> = causes.keys().map(|id| by_id[id.as_str()]).collect();
    check_first(&leads, causes, html, about);
    check_bridge(found, &leads, html, about);
}

/// The set-up first, then errors before warnings; of each currency the largest, in order.
fn check_first(leads: &[&Row], causes: &BTreeMap<String, Vec<&Row>>, html: &str, about: &str) {
    const CAPTION: &str = "The set-up first, then errors before warnings, each currency by amount";
    if leads.is_empty() {
        assert!(!html.contains(CAPTION), "{about}");
        return;
    }
    let is_setup = |row: &Row| header(&row["code"], "about") == "setup";
    let is_error =
        |row: &Row| causes[&row["discrepancy_id"]].iter().any(|row| row["severity"] == "error");
    let lines = page::table_called(html, CAPTION);
    assert_eq!(lines.rows.len(), leads.len().min(10), "{about}");
    let mut before = None;
    let mut chosen: BTreeMap<(bool, bool, String), Vec<i128>> = BTreeMap::new();
    for line in lines.by_name() {
        let money = line["Money"].lines().nth(1).map(shown).unwrap_or_default();
        let is_it = |row: &&&Row| {
            let rows = &causes[&row["discrepancy_id"]];
            let titles = rows.iter().map(|row| row["code"].to_lowercase().replace('_', " "));
            let amount = difference(row).map(|amount| (row["currency"].clone(), amount.abs()));
            line["Explanation"] == row["explanation"]
                && money.clone().into_iter().next() == amount
                && rows.iter().map(|row| row["first_seen"].as_str()).min()
                    == Some(line["First reported"])
                && titles.into_iter().all(|title| line["Cause"].to_lowercase().contains(&title))
        };
        let row = leads.iter().find(is_it).unwrap_or_else(|| panic!("{about}: {line:?}"));
        if difference(row).is_some() {
            assert!(line["Money"].starts_with(tile_of(row)), "{about}: {line:?}");
        }
        let place = (!is_setup(row), !is_error(row));
        assert!(before <= Some(place), "{about}: {line:?}");
        before = Some(place);
        let (currency, amount) = money.into_iter().next().unwrap_or_default();
        chosen.entry((place.0, place.1, currency)).or_default().push(amount);
    }
    for ((is_other, is_warning, currency), amounts) in chosen {
        let mut all: Vec<i128> = leads
            .iter()
            .filter(|row| is_setup(row) != is_other && is_error(row) != is_warning)
            .map(|row| (row, difference(row)))
            .filter(|(row, amount)| match amount {
                Some(_) => row["currency"] == currency,
                None => currency.is_empty(),
            })
            .map(|(_, amount)| amount.unwrap_or_default().abs())
            .collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(amounts, all[..amounts.len()], "{about}: {currency}");
    }
}

/// New and carried are errors and warnings.
pub fn check_counts(found: &[Row], run: &Value, html: &str, about: &str) {
    let open = || found.iter().filter(|row| is_open(row) && row["severity"] != "info");
    let (new, carried): (Vec<&Row>, Vec<&Row>) = open().partition(|row| row["status"] == "new");
    let standing = &run["standing"];
    assert_eq!(standing["new"], new.len(), "{about}");
    assert_eq!(standing["carried"], carried.len(), "{about}");
    let words = page::words(html);
    if let Some(since) = carried.iter().map(|row| &row["first_seen"]).min() {
        assert!(words.contains(&format!("carried from earlier dates since {since}")), "{about}");
    }
}
