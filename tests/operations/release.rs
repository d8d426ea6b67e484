//! Requirements of a release: every dependency under a licence that `deny.toml` allows, a version
//! that names the commit, and a changelog that knows the version.

use std::process::Command;

use serde_json::Value;

use crate::harness::Site;

fn root() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether an SPDX expression can be met with the allowed licences.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    expression.replace('/', " OR ").split(" AND ").all(|part| {
        let part = part.trim_matches(|c| c == '(' || c == ')' || c == ' ');
        part.split(" OR ").any(|licence| {
            let licence = licence.trim_matches(|c| c == '(' || c == ')' || c == ' ');
            allowed.iter().any(|one| one == licence)
        })
    })
}

#[test]
fn every_dependency_is_under_a_licence_that_we_allow() {
    let deny: toml::Table =
        std::fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap();
    let allowed: Vec<String> = deny["licenses"]["allow"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap().to_owned())
        .collect();
    let rustc = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let rustc = String::from_utf8(rustc).unwrap();
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    // The dependencies for this machine are available; those for others may not be.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", host])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{} packages", packages.len());
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence, &allowed), "{}: {licence}", package["name"]);
        let source = package["source"].as_str();
        let is_known = source.is_none_or(|source| source.starts_with("registry+"));
        assert!(is_known, "{} comes from {source:?}", package["name"]);
    }
}

#[test]
fn reads_licence_expressions() {
    let allowed = ["MIT", "Unicode-3.0"].map(str::to_owned);
    for (expression, expected) in [
        ("MIT", true),
        ("MIT OR Apache-2.0", true),
        ("Apache-2.0/MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0-only", false),
        ("GPL-3.0-only", false),
        ("none", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn the_version_names_the_commit_and_the_changelog_knows_it() {
    let version = Site::empty().run(&["--version"]).expect(0).stdout;
    let number = env!("CARGO_PKG_VERSION");
    assert!(version.starts_with(&format!("tieout {number} (")), "{version}");
    let changelog = std::fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let mut headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    assert!(headings.any(|heading| heading.contains(number)), "no section for {number}");
}

#[test]
fn every_alert_and_every_exit_code_has_its_section_in_the_runbook() {
    let runbook = std::fs::read_to_string(root().join("deploy/README.md")).unwrap();
    let alerts = std::fs::read_to_string(root().join("deploy/prometheus/alerts.yaml")).unwrap();
    let names = alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    let mut count = 0;
    for name in names {
        count += 1;
        assert!(runbook.contains(&format!("\n### {name}\n")), "no section for {name}");
    }
    assert!(count > 5, "{count} alerts");
    for code in 0..=6 {
        assert!(runbook.contains(&format!("\n### {code}: ")), "no section for exit code {code}");
    }
}

/// The metrics that a text names: words that begin with the program's name and a line.
fn metrics_of(text: &str) -> std::collections::BTreeSet<&str> {
    let words = text.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    words.filter(|word| word.starts_with("tieout_")).collect()
}

#[test]
fn alerts_and_board_know_no_metric_that_is_not_written() {
    let written = concat!(
        include_str!("../../src/night/notify/metrics.rs"),
        include_str!("../../src/night/schedule/health.rs")
    );
    let written = metrics_of(written);
    let read = |path: &str| std::fs::read_to_string(root().join("deploy").join(path)).unwrap();
    let (alerts, board) = (read("prometheus/alerts.yaml"), read("grafana/tieout.json"));
    for (name, text) in [("alerts", &alerts), ("board", &board)] {
        let used = metrics_of(text);
        let unknown: Vec<_> = used.difference(&written).collect();
        assert!(used.len() > 8 && unknown.is_empty(), "{name}: {unknown:?}");
    }
    // Every alerting metric is on the board.
    let (alerted, shown) = (metrics_of(&alerts), metrics_of(&board));
    let not_shown: Vec<_> = alerted.difference(&shown).copied().collect();
    let of_presence = [
        "tieout_last_complete_timestamp_seconds",
        "tieout_last_run_timestamp_seconds",
        "tieout_running",
    ];
    assert_eq!(not_shown, of_presence);
    let board: Value = serde_json::from_str(&board).unwrap();
    for panel in board["panels"].as_array().unwrap() {
        assert!(!panel["targets"].as_array().unwrap().is_empty(), "{panel}");
    }
}
