//! Reads report folders back: files as bytes, tables by column name, amounts as integers.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::NaiveDate;
use serde_json::Value;

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

fn collect(root: &Path, folder: &Path, found: &mut Files) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

/// The same with each manifest less what may differ between two runs over the same data.
pub fn comparable(root: &Path) -> Files {
    let mut found = files(root);
    for (name, content) in &mut found {
        if name.ends_with("run.json") {
            let mut record: Value = serde_json::from_slice(content).unwrap();
            for key in ["started", "ended", "stages"] {
                record.as_object_mut().unwrap().remove(key).unwrap();
            }
            *content = serde_json::to_vec_pretty(&record).unwrap();
        }
    }
    found
}

/// The same of a folder that a killed run left, where temporary files may lie.
pub fn comparable_where_whole(root: &Path) -> Files {
    let mut found = files(root);
    found.retain(|name, _| !name.ends_with("run.json"));
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
