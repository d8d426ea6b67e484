//! Each mistake in a configuration is reported as one finding, and in the exit code where checks
//! cannot be evaluated: never as a list of false accusations that follow from it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Served, Site, clean};

const DATES: &str = "2026-11-02..2026-11-06";

/// The findings of a run over a clean world after a change of its configuration: the codes of new
/// discrepancies, and the reasons of checks not evaluated.
fn night(change: impl Fn(&str) -> String) -> (i32, Vec<String>, BTreeSet<String>) {
    let served = Served::new(&clean(3, "2026-11-02", "2026-11-06", 6, 60));
    let site = served.site_with_books();
    let path = site.path().join("tieout.toml");
    let before = std::fs::read_to_string(&path).unwrap();
    let after = change(&before);
    assert_ne!(before, after, "nothing was changed");
    std::fs::write(&path, after).unwrap();
    of_site(&site)
}

fn of_site(site: &Site) -> (i32, Vec<String>, BTreeSet<String>) {
    let ended = site.run(&["run", "--date", DATES, "--json", "-q"]);
    let run: Value = serde_json::from_str(&ended.stdout).unwrap();
    let dates = run["summaries"].as_array().unwrap();
    let of = |date: &Value, name: &str| date[name].as_array().cloned().unwrap_or_default();
    let new = dates.iter().flat_map(|date| of(date, "discrepancies"));
    let new = new.filter(|row| row["status"] == "new");
    let codes = new.map(|row| row["code"].as_str().unwrap().to_owned()).collect();
    let gaps = dates.iter().flat_map(|date| of(date, "not_evaluated"));
    let reasons = gaps.map(|gap| gap.as_str().unwrap().split_once(": ").unwrap().1.to_owned());
    (ended.code.unwrap(), codes, reasons.collect())
}

/// The id of the first merchant.
fn first_merchant(text: &str) -> String {
    let (_, merchant) = text.split_once("[[merchants]]\nid = \"").unwrap();
    merchant.split('"').next().unwrap().to_owned()
}

#[test]
fn a_mistyped_merchant_id() {
    let (code, codes, gaps) = night(|text| text.replacen(&first_merchant(text), "4525999999", 1));
    assert_eq!(codes, ["MERCHANT_NOT_LISTED", "UNKNOWN_MERCHANT"]);
    assert_eq!(Vec::from_iter(gaps), ["merchant 4525999999 was in no listing of the API"]);
    assert_eq!(code, 4);
}

#[test]
fn a_merchant_that_is_not_configured() {
    let (code, codes, gaps) = night(|text| {
        let (head, merchant) = text.split_once("[[merchants]]").unwrap();
        let (_, rest) = merchant.split_once("[[merchants]]").unwrap();
        format!("{head}[[merchants]]{rest}")
    });
    assert_eq!((code, codes), (0, vec!["UNKNOWN_MERCHANT".to_owned()]));
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn terminals_that_are_not_named() {
    let (code, codes, gaps) = night(|text| {
        let lines = text.split_inclusive('\n');
        let at = text.lines().position(|line| line.starts_with("terminals = ")).unwrap();
        lines.enumerate().filter(|(number, _)| *number != at).map(|(_, line)| line).collect()
    });
    assert_eq!((code, codes), (4, vec!["TERMINALS_NOT_NAMED".to_owned()]));
    assert!(gaps.iter().all(|gap| gap.contains("terminal")), "{gaps:?}");
}

#[test]
fn originators_that_no_statement_names() {
    let (_, codes, gaps) = night(|text| {
        let lines = text.lines().map(|line| {
            if line.starts_with("originators = ") { "originators = [\"Nobody Inc\"]" } else { line }
        });
        lines.collect::<Vec<_>>().join("\n")
    });
    // On a single date the deposits are missing there; from the second date on they are one
    // finding.
    let one = codes.iter().filter(|code| *code == "PROCESSOR_NOT_ON_STATEMENT").count();
    assert!(one >= 1, "{codes:?}");
    let known = ["DEPOSIT_NOT_IN_BANK", "PROCESSOR_NOT_ON_STATEMENT"];
    assert!(codes.iter().all(|code| known.contains(&code.as_str())), "{codes:?}");
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn a_pattern_without_files() {
    let (code, codes, gaps) =
        night(|text| text.replacen("path = \"ledger/", "path = \"nowhere/", 1));
    assert_eq!((code, codes), (4, Vec::new()));
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert!(gaps.iter().all(|gap| gap.contains("no file matches nowhere/")), "{gaps:?}");
}
