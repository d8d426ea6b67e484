//! Ledgers as shops, books and exports write them, through `tieout ledger check --json`, against
//! `ledgers.toml`.

use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// The ledgers that are read, and how.
pub fn cases() -> Vec<Case> {
    toml::from_str::<Cases>(include_str!("ledgers.toml")).unwrap().case
}

/// A file and its expected content.
#[derive(Deserialize)]
pub struct Case {
    pub name: String,
    pub text: String,
    /// Keys under `[[ledgers]]`.
    settings: toml::Table,
    #[serde(default)]
    records: Vec<String>,
    #[serde(default)]
    skipped: usize,
    #[serde(default)]
    faults: usize,
    refused: Option<String>,
}

impl Case {
    pub fn configuration(&self) -> String {
        let mut ledger = self.settings.clone();
        ledger.insert("name".to_owned(), "books".into());
        ledger.insert("path".to_owned(), "books/*".into());
        let ledgers = toml::Value::Array(vec![toml::Value::Table(ledger)]);
        let root = toml::Table::from_iter([("ledgers".to_owned(), ledgers)]);
        let merchant = "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nledger = \"books\"\n";
        format!("{merchant}{}", toml::to_string(&root).unwrap())
    }

    /// The exit code and the object that is printed.
    fn check(&self) -> (i32, Value) {
        let folder = tempfile::tempdir().unwrap();
        let (settings, file) = (folder.path().join("tieout.toml"), folder.path().join("books.csv"));
        std::fs::write(&settings, self.configuration()).unwrap();
        std::fs::write(&file, &self.text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_tieout"))
            .env_clear()
            .args(["ledger", "check", "--json", "--config"])
            .args([&settings, &file])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let object = serde_json::from_slice(&output.stdout);
        let object = object.unwrap_or_else(|error| panic!("{}: {error}: {said}", self.name));
        (output.status.code().unwrap(), object)
    }
}

fn records(object: &Value) -> Vec<String> {
    let text = |record: &Value, key: &str| record[key].as_str().unwrap_or("-").to_owned();
    let record = |record: &Value| {
        let keys = ["id", "kind", "date", "amount", "currency", "status"];
        keys.map(|key| text(record, key)).join(" ")
    };
    object["records"].as_array().unwrap().iter().map(record).collect()
}

#[test]
fn reads_every_ledger_as_its_case_says() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (exit, object) = case.check();
        let count = |key: &str| object[key].as_array().map_or(0, Vec::len);
        let refused = object["refused"].as_str();
        let is_right = match &case.refused {
            Some(expected) => refused.is_some_and(|reason| reason.contains(expected.as_str())),
            None => {
                refused.is_none()
                    && records(&object) == case.records
                    && (count("skipped"), count("faults")) == (case.skipped, case.faults)
            }
        };
        let expected_exit = if case.refused.is_some() || case.faults > 0 { 4 } else { 0 };
        if !is_right || exit != expected_exit {
            wrong.push(format!("{} ends with {exit}: {object:#}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} ledgers: {}", wrong.len(), wrong.join("\n"));
}
