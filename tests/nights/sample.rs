//! `reports/sample` is a date and the period of the demonstration, to browse without running
//! anything.
//!
//! `UPDATE_SAMPLE=1 cargo test --test it nights::sample` rewrites it; inspect the changes.

use std::path::Path;

use crate::harness::Site;
use crate::harness::reports::{Files, assert_same, files};

/// A date of the week that fills every file, with 36 of its 41 kinds of discrepancy: the two dates
/// after it are a weekend without payments.
const DATE: &str = "2026-11-06";

/// The files of the sample: those of one date and of the period that a browser and an editor show.
/// `run.json` holds times, and a workbook cannot be read here.
fn is_shown(name: &str) -> bool {
    let ending = Path::new(name).extension().unwrap_or_default();
    (name.starts_with(DATE) || name.starts_with("periods/"))
        && (ending == "csv" || ending == "html" || name.ends_with("/period.json"))
}

fn shown(root: &Path) -> Files {
    let mut found = files(root);
    found.retain(|name, _| is_shown(name));
    found
}

#[test]
fn shows_a_date_and_the_period_of_the_demonstration() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/sample");
    let site = Site::empty();
    let said = site.run(&["demo", "--keep", "demo"]).expect(0).stdout;
    assert!(!said.contains("to do:"), "everything is evaluated: {said}");
    let made = shown(&site.path().join("demo/reports"));
    assert!(made.keys().any(|name| name.starts_with("periods/")));
    assert!(made.contains_key(&format!("{DATE}/report.html")));
    if std::env::var_os("UPDATE_SAMPLE").is_some() {
        let _ = std::fs::remove_dir_all(&sample);
        for (name, content) in &made {
            let path = sample.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            tieout_report::atomic::write_file(&path, content).unwrap();
        }
    }
    let about =
        "reports/sample; UPDATE_SAMPLE=1 cargo test --test it nights::sample writes it anew";
    assert_same(&files(&sample), &made, about);
}
