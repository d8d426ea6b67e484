//! Reads report folders back: files as bytes, tables by column name, amounts as integers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use chrono::NaiveDate;
use serde_json::{Map, Value};
use tieout_judge::Registry;

/// Every file under `root`, by its path relative to it.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A row of a table, by column name.
pub type Row = BTreeMap<String, String>;

/// Every file under `root`; none when it does not exist.
pub fn files(root: &Path) -> Files {
    let mut found = Files::new();
    collect(root, root, &mut found);
    found
}

/// The tables of every date under `root`.
pub fn tables(root: &Path) -> Files {
    let mut found = files(root);
    found.retain(|name, _| Path::new(name).extension().is_some_and(|ending| ending == "csv"));
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Files) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
        } else if let Ok(content) = std::fs::read(&path) {
            // A run in progress may have renamed a temporary file by now.
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            found.insert(name, content);
        }
    }
}

/// The same with each manifest less times.
pub fn comparable(root: &Path) -> Files {
    with_manifests(root, |record| {
        for key in ["started", "ended", "stages", "store"] {
            record.remove(key).unwrap();
        }
    })
}

/// The same without the values that depend on how the result was fetched: the number of records
/// that this run received, and the bank transfers that it looked up by id.
pub fn comparable_however_fetched(root: &Path) -> Files {
    with_manifests(root, |record| {
        for key in ["started", "ended", "stages", "store", "records"] {
            record.remove(key).unwrap();
        }
        record["listings"].as_array_mut().unwrap().retain(|listing| {
            let is_transfer = listing["resource"].as_str().unwrap().starts_with("bank-transfer");
            !(is_transfer && listing["date"].is_null())
        });
    })
}

/// The same also without the clock that stood in for the machine's.
pub fn without_the_clock(root: &Path) -> Files {
    let mut found = comparable_however_fetched(root);
    for (name, content) in &mut found {
        if name.ends_with("run.json") {
            let mut record: Value = serde_json::from_slice(content).unwrap();
            record["clock_substitute"] = Value::Null;
            *content = serde_json::to_vec(&record).unwrap();
        }
    }
    found
}

fn with_manifests(root: &Path, change: impl Fn(&mut Map<String, Value>)) -> Files {
    let mut found = files(root);
    for (name, content) in &mut found {
        if name.ends_with("run.json") {
            let mut record: Map<String, Value> = serde_json::from_slice(content).unwrap();
            change(&mut record);
            *content = serde_json::to_vec_pretty(&record).unwrap();
        }
    }
    found
}

/// Fails with the first lines that differ.
#[track_caller]
pub fn assert_same(left: &Files, right: &Files, about: &str) {
    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(left), names(right), "{about}");
    for (name, content) in left {
        if *content == right[name] {
            continue;
        }
        let (left, right) =
            (String::from_utf8_lossy(content), String::from_utf8_lossy(&right[name]));
        let differing: Vec<_> =
            left.lines().zip(right.lines()).filter(|(left, right)| left != right).take(5).collect();
        panic!(
            "{about}: {name} differs ({} and {} lines):\n{differing:#?}",
            left.lines().count(),
            right.lines().count()
        );
    }
}

/// The rows of one CSV file of a date.
pub fn table(root: &Path, date: NaiveDate, file: &str) -> Vec<Row> {
    let path = root.join(date.to_string()).join(file);
    let mut reader =
        csv::Reader::from_path(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    reader.deserialize().map(Result::unwrap).collect()
}

/// The manifest of a date.
pub fn manifest(root: &Path, date: NaiveDate) -> Value {
    let path = root.join(date.to_string()).join("run.json");
    let content =
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&content).unwrap()
}

/// An amount cell without its point; `None` when it is unknown.
pub fn minor(cell: &str) -> Option<i64> {
    (!cell.is_empty()).then(|| cell.replacen('.', "", 1).parse().unwrap())
}

/// Whether the row is carried over to the next date; an event is reported once.
pub fn is_carried(row: &Row) -> bool {
    is_carried_code(&row["code"])
}

/// The same of a code; a check of the user's own is carried.
pub fn is_carried_code(code: &str) -> bool {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::built_in().unwrap());
    REGISTRY.find(code).is_none_or(|check| check.is_carried)
}
