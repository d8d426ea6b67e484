//! Every file of the corpus through `tieout bank check --json`, against `corpus/cases.toml`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub struct Cases {
    case: Vec<Case>,
}

/// A file and its expected content.
#[derive(Deserialize)]
pub struct Case {
    pub file: String,
    /// Keys under `[[banks]]`.
    #[serde(default)]
    pub settings: toml::Table,
    #[serde(default)]
    lines: Vec<String>,
    #[serde(default)]
    covers: Vec<String>,
    #[serde(default)]
    skipped: usize,
    #[serde(default)]
    faults: usize,
    pub refused: Option<String>,
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/corpus")
}

pub fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("cases.toml")).unwrap();
    toml::from_str::<Cases>(&text).unwrap().case
}

impl Case {
    /// A configuration whose only bank reads the file.
    pub fn configuration(&self) -> String {
        let mut bank = self.settings.clone();
        bank.insert("name".to_owned(), "account".into());
        bank.insert("path".to_owned(), "bank/*".into());
        bank.entry("originators")
            .or_insert_with(|| toml::Value::Array(vec!["Northwind Payments".into()]));
        let root = toml::Table::from_iter([(
            "banks".to_owned(),
            toml::Value::Array(vec![toml::Value::Table(bank)]),
        )]);
        let merchant = "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nbank = \"account\"\n";
        format!("{merchant}{}", toml::to_string(&root).unwrap())
    }
}

/// The exit code and the object that `bank check` prints.
pub fn check(file: &Path, configuration: &str) -> (i32, Value) {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("tieout.toml");
    std::fs::write(&settings, configuration).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tieout"))
        .env_clear()
        .args(["bank", "check", "--json", "--config"])
        .args([settings.as_path(), file])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let object = serde_json::from_str(&text);
    let said = String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), object.unwrap_or_else(|error| panic!("{error}: {text}{said}")))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn lines(object: &Value) -> Vec<String> {
    let line = |line: &Value| {
        let mark = if line["of_processor"] == true { " processor" } else { "" };
        let (date, amount) = (text(&line["date"]), text(&line["amount"]));
        format!("{date} {amount} {}{mark}", text(&line["currency"]))
    };
    object["lines"].as_array().unwrap().iter().map(line).collect()
}

fn covers(object: &Value) -> Vec<String> {
    let mut covers = Vec::new();
    for account in object["accounts"].as_array().unwrap() {
        for days in account["covers"].as_array().unwrap() {
            let (from, to) = (text(&days["from"]), text(&days["to"]));
            covers.push(format!("{} {from}..{to}", text(&account["account"])));
        }
    }
    covers
}

#[test]
fn reads_every_file_of_the_corpus_as_its_case_says() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (exit, object) = check(&folder().join(&case.file), &case.configuration());
        let count = |key: &str| object[key].as_array().map_or(0, Vec::len);
        let reason = text(&object["refused"]);
        let is_right = match &case.refused {
            Some(expected) => reason.contains(expected.as_str()) && exit == 4,
            None => {
                reason.is_empty()
                    && lines(&object) == case.lines
                    && covers(&object) == case.covers
                    && (count("skipped"), count("faults")) == (case.skipped, case.faults)
                    && exit == if case.faults == 0 { 0 } else { 4 }
            }
        };
        if !is_right {
            wrong.push(format!("{} ends with {exit}: {object:#}", case.file));
        }
    }
    assert!(wrong.is_empty(), "{} files: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn names_a_case_for_every_file() {
    let named: Vec<String> = cases().into_iter().map(|case| case.file).collect();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "cases.toml" || named.contains(&name), "{name} has no case");
    }
}
