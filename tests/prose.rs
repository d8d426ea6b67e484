//! Plain words: how often comments and pages use clauses with *what*, *nobody* and *of which*.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::path::{Path, PathBuf};

/// The counted words: clauses with *what*, indefinite persons, and *of which*.
const COUNTED: [&[&str]; 3] =
    [&["what"], &["nobody", "whoever", "whom", "whatever"], &["of which"]];

/// The most of each in a thousand lines.
const LIMITS: [usize; 3] = [20, 3, 5];

/// The folders whose comments are counted, each by itself.
const WINGS: [&str; 16] = [
    "benches",
    "crates/config",
    "crates/export",
    "crates/import",
    "crates/judge",
    "crates/matching",
    "crates/model",
    "crates/read",
    "crates/report",
    "crates/store",
    "fuzz",
    "lake",
    "sandbox",
    "src/cli",
    "src/night",
    "tests",
];

/// The folders of pages, all counted together; cases are data.
const PAGES: [&str; 9] = [
    "README.md",
    "benches",
    "crates/store/sql",
    "deploy",
    "docs",
    "lake",
    "reports",
    "sandbox",
    "tests",
];

/// The files below `path` whose names have one of the endings.
fn files(path: &Path, endings: &[&str]) -> Vec<PathBuf> {
    if path.is_file() {
        let has_ending =
            path.extension().is_some_and(|one| endings.iter().any(|ending| one == *ending));
        return if has_ending { vec![path.to_owned()] } else { Vec::new() };
    }
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let entries =
        entries.filter(|path| !path.ends_with("target") && !path.ends_with("tests/cases"));
    entries.flat_map(|path| files(&path, endings)).collect()
}

fn comments(path: &Path) -> Vec<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let mark = match path.extension().unwrap().to_str().unwrap() {
        "rs" => "//",
        "sql" => "--",
        _ => "#",
    };
    text.lines().map(str::trim).filter(|line| line.starts_with(mark)).map(str::to_owned).collect()
}

/// The number of each kind of word in the lines.
fn counts(lines: &[String]) -> [usize; 3] {
    let lines: Vec<String> = lines
        .iter()
        .map(|line| {
            let line = line.to_lowercase();
            let words: Vec<&str> = line
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .collect();
            format!(" {} ", words.join(" "))
        })
        .collect();
    let count = |word: &&str| {
        let word = format!(" {word} ");
        lines.iter().map(|line| line.matches(&word).count()).sum::<usize>()
    };
    COUNTED.map(|words| words.iter().map(count).sum())
}

/// The kinds of words that are more frequent than their limit.
fn excess(place: &str, lines: &[String]) -> Vec<String> {
    let found = counts(lines);
    let all = lines.len();
    let is_over = |(found, limit): &(usize, usize)| found * 1000 > limit * all;
    let over = found.into_iter().zip(LIMITS).zip(COUNTED);
    over.filter(|(pair, _)| is_over(pair))
        .map(|((found, limit), words)| {
            format!("{place}: {words:?} {found} times in {all} lines, at most {limit} of 1,000")
        })
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn comments_name_their_subject() {
    let of = |wing: &&str| {
        let found = files(&root().join(wing), &["rs", "sql", "py"]);
        excess(wing, &found.iter().flat_map(|file| comments(file)).collect::<Vec<_>>())
    };
    let wrong: Vec<String> = WINGS.iter().flat_map(of).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pages_name_their_subject() {
    let found: Vec<PathBuf> =
        PAGES.iter().flat_map(|name| files(&root().join(name), &["md"])).collect();
    let lines = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let wrong = excess("pages", &found.iter().flat_map(lines).collect::<Vec<_>>());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
