//! Exports of shops, payment services, accounting programs and banks, with the columns that their
//! makers publish: the lines that `suggest` prints read them, or name their doubts.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// An export, and the records that the suggested lines read from it.
#[derive(Deserialize)]
struct Case {
    /// Its maker, and the page that names its columns.
    name: String,
    page: String,
    text: String,
    /// Whether it is a bank's.
    #[serde(default)]
    is_bank: bool,
    #[serde(default)]
    records: Vec<String>,
    /// Parts of the stated doubts; there are no others.
    #[serde(default)]
    doubts: Vec<String>,
}

fn run(arguments: &[&str], config: &Path, file: &Path) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tieout"))
        .env_clear()
        .args(arguments)
        .arg("--config")
        .args([config, file])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().unwrap(), format!("{text}{said}"))
}

/// The suggestion, and the records that it reads.
fn read(case: &Case) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (config, file) = (folder.path().join("tieout.toml"), folder.path().join("export.csv"));
    let section = if case.is_bank { "bank" } else { "ledger" };
    let name = if case.is_bank { "bank" } else { "books" };
    let mut settings = format!(
        "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\ntime_zone = \"America/New_York\"\n\
         {section} = \"{name}\"\n"
    );
    let plain = settings.replace(&format!("{section} = \"{name}\"\n"), "");
    std::fs::write(&config, plain).unwrap();
    std::fs::write(&file, &case.text).unwrap();
    let (_, suggested) = run(&[section, "suggest"], &config, &file);
    settings.push_str(&suggested.replace("originators = []", "originators = [\"Northwind\"]"));
    std::fs::write(&config, settings).unwrap();
    let (_, text) = run(&[section, "check", "--json"], &config, &file);
    let object: Value = serde_json::from_str(&text).unwrap_or_default();
    let keys: &[&str] = if case.is_bank {
        &["date", "amount", "currency"]
    } else {
        &["id", "kind", "date", "amount", "currency", "status"]
    };
    let records = object[if case.is_bank { "lines" } else { "records" }].as_array().cloned();
    let record = |record: &Value| {
        let words = keys.iter().map(|key| record[*key].as_str().unwrap_or("-"));
        words.collect::<Vec<_>>().join(" ")
    };
    (suggested, records.unwrap_or_default().iter().map(record).collect())
}

#[test]
fn suggests_what_reads_every_export_or_says_what_it_doubts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/exports.toml");
    let cases: Cases = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for case in cases.case {
        let (suggested, records) = read(&case);
        let doubts: Vec<&str> = suggested
            .lines()
            .filter_map(|line| line.strip_prefix("# in doubt: "))
            .filter(|doubt| !doubt.starts_with("originators"))
            .collect();
        let is_expected =
            |doubt: &&&str| case.doubts.iter().any(|one| doubt.contains(one.as_str()));
        let all = doubts.iter().filter(is_expected).count() == doubts.len()
            && case
                .doubts
                .iter()
                .all(|one| doubts.iter().any(|doubt| doubt.contains(one.as_str())));
        if records != case.records || !all {
            wrong.push(format!("{} ({}): {records:?}\n{suggested}", case.name, case.page));
        }
    }
    assert!(wrong.is_empty(), "{} exports: {}", wrong.len(), wrong.join("\n"));
}
