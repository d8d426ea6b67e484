//! Each check on small hand-made worlds: `<stem>.md` beside this file holds the cases of the
//! check of that stem, at least one that passes, one that fails and one on the
//! boundary. The README of this folder says how a case is written.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod case;
mod service;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::harness::{self, Site, gateway, reports};
use case::Case;

/// A case mostly waits for its process, so many run at once.
const SIDE_BY_SIDE: usize = 4;

/// Files about a topic of several checks.
const TOPICS: [&str; 7] =
    ["captures", "card_types", "currencies", "late", "links", "neighbours", "standing"];

/// The folders of the checks, and the extensions of their files.
const CHECKS: [(&str, &str); 4] = [
    ("crates/store/sql/checks", "sql"),
    ("crates/judge/src/bank", "check"),
    ("crates/judge/src/ledger", "check"),
    ("crates/judge/src/restated", "check"),
];

const KINDS: [&str; 3] = ["passes", "fails", "boundary"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The names of the files in `folder` that end with `.extension`, without it.
fn stems(folder: &Path, extension: &str) -> BTreeSet<String> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|stem| stem != "README")
        .collect()
}

fn cases_of(stem: &str) -> Vec<Case> {
    let path = folder("tests/cases").join(format!("{stem}.md"));
    case::parse(stem, &std::fs::read_to_string(path).unwrap())
}

#[test]
fn every_check_has_a_case_of_each_kind() {
    let checks: BTreeSet<String> =
        CHECKS.iter().flat_map(|(name, ending)| stems(&folder(name), ending)).collect();
    let mut cases = stems(&folder("tests/cases"), "md");
    cases.retain(|stem| !TOPICS.contains(&stem.as_str()));
    assert_eq!(checks, cases, "the checks and tests/cases have the same stems");
    for stem in checks {
        let cases = cases_of(&stem);
        for kind in KINDS {
            assert!(cases.iter().any(|case| case.kind == kind), "{stem}.md has no case \"{kind}\"");
        }
        let code = stem.to_uppercase();
        for case in cases {
            let is_found = case.expected.iter().any(|line| line.split(' ').nth(2) == Some(&code));
            assert!(KINDS.contains(&case.kind.as_str()), "{}: {}", case.name, case.kind);
            assert!(case.kind != "passes" || !is_found, "{} finds it", case.name);
            assert!(case.kind != "fails" || is_found, "{} does not find it", case.name);
        }
    }
}

#[test]
fn every_case_finds_what_it_expects_and_nothing_else() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let asked = std::env::var("CASES").ok();
    let is_asked = |stem: &&String| asked.as_ref().is_none_or(|asked| asked == *stem);
    let stems = stems(&folder("tests/cases"), "md");
    let cases: Vec<Case> = stems.iter().filter(is_asked).flat_map(|stem| cases_of(stem)).collect();
    let share = cases.len().div_ceil(SIDE_BY_SIDE);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = cases
            .chunks(share)
            .map(|cases| {
                let runtime = &runtime;
                scope.spawn(move || {
                    cases.iter().filter_map(|case| run(runtime, case).err()).collect::<Vec<_>>()
                })
            })
            .collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} cases are wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Runs a case; the error states the expected and the actual findings.
fn run(runtime: &tokio::runtime::Runtime, case: &Case) -> Result<(), String> {
    let world = Arc::new(Mutex::new(case.clone()));
    let served = Arc::clone(&world);
    let rule = Box::new(move |path: &str| Some(service::answer(&served.lock().unwrap(), path)));
    let gateway = gateway::start(runtime, None, rule);
    let site = Site::new(&case.configuration(&gateway.base), case.last());
    case.write_ledger(site.path());
    case.write_statement(site.path());
    let run = |dates: &[chrono::NaiveDate]| {
        let range = format!("{}..{}", dates[0], dates[dates.len() - 1]);
        let stages: &[&str] =
            if case.is_staged { &["fetch", "reconcile", "report"] } else { &["run"] };
        let ended = stages.iter().map(|stage| site.run(&[stage, "--date", &range]));
        ended.reduce(|_, last| last).unwrap()
    };
    let mut ended = run(&case.run);
    for then in &case.then {
        world.lock().unwrap().change(then);
        ended = run(&then.run);
    }
    let (mut found, mut texts): (Vec<String>, Vec<String>) = Default::default();
    for date in harness::dates(case.first(), case.last()) {
        if !site.reports().join(date.to_string()).exists() {
            continue;
        }
        for row in reports::table(&site.reports(), date, "discrepancies.csv") {
            let cell = |column: &str| match row[column].as_str() {
                "" => "-".to_owned(),
                cell => cell.to_owned(),
            };
            // A text says that nothing came back, not how much of it.
            let text = &row["explanation"];
            assert!(!text.contains("came back for 0.00"), "{}: {text}", case.name);
            texts.push(text.clone());
            found.push(format!(
                "{date} {} {} {} {}",
                row["status"],
                row["code"],
                cell("expected"),
                cell("actual")
            ));
        }
    }
    found.extend(written_card_numbers(site.path()));
    found.sort();
    let rows = if case.shown.is_empty() {
        Vec::new()
    } else {
        reports::table(&site.reports(), case.last(), "discrepancies.csv")
    };
    let show = |row: &reports::Row| {
        let text = site.run(&["discrepancies", "show", &row["discrepancy_id"]]).stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let shown: Vec<String> = rows.iter().map(show).collect();
    let mut unshown = case.shown.iter();
    if let Some(said) = unshown.find(|said| !shown.iter().any(|text| text.contains(*said))) {
        return Err(format!("{}: nothing shows {said:?}\n{shown:#?}", case.name));
    }
    let mut unsaid = case.said.iter();
    if let Some(said) = unsaid.find(|said| !texts.iter().any(|text| text.contains(*said))) {
        return Err(format!("{}: nothing says {said:?}\n{texts:#?}", case.name));
    }
    if found == case.expected && ended.code == Some(case.exit) {
        return Ok(());
    }
    Err(format!(
        "{} ({})\n  expected {:#?}, exit {}\n  found {found:#?}, exit {:?}\n{}",
        case.name, case.kind, case.expected, case.exit, ended.code, ended.stderr
    ))
}

/// Numbers of cards that the cases write into order ids.
const CARD_NUMBERS: [&str; 2] = ["4111111111111111", "4170000000001111"];

/// The files of a run, except the books, that contain the number of a card.
fn written_card_numbers(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(written_card_numbers(&path));
        } else if !path.ends_with("books.csv") {
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let is_written = CARD_NUMBERS.iter().any(|number| text.contains(number));
            found.extend(is_written.then(|| format!("a card number in {}", path.display())));
        }
    }
    found
}
