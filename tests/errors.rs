//! `docs/errors.md`: each situation with the message and the remedy that the program prints, by
//! exit code. `UPDATE_DOCS=1 cargo test --test it errors::` rewrites it.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::harness::gateway;
use crate::harness::{Ended, Served, Site, clean, day};

const MARK: &str = "<!-- generated: UPDATE_DOCS=1 cargo test --test it errors:: -->";

const DATE: &str = "2026-11-04";

/// A date that no run has fetched.
const OTHER: &str = "2026-11-03";

/// The sections of the page.
const CODES: [(i32, &str); 4] = [
    (2, "the command line or the configuration is wrong"),
    (1, "failed"),
    (5, "refused by the API"),
    (6, "another run holds the lock"),
];

/// Snapshots of messages, each `# SITUATION`, `error: …`, `hint: …`, with the words before a
/// situation and before a message.
const SNAPSHOTS: [(&str, &str, &str); 2] = [
    (
        include_str!(
            "../crates/config/src/snapshots/tieout_config__tests__says_what_is_wrong_and_what_to_do.snap"
        ),
        "configuration: ",
        "",
    ),
    (
        include_str!(
            "../crates/model/src/snapshots/tieout_model__dates__tests__says_why_a_text_names_no_dates.snap"
        ),
        "`--date` ",
        "--date: ",
    ),
];

/// Words of the code that a message never uses.
const INTERNAL: [&str; 8] =
    ["conserv", "facts", "crates/", ".rs", "store::", "fetcher", "judge::", "asof"];

/// Situation, message and remedy by exit code.
#[derive(Default)]
struct Catalogue(BTreeMap<i32, Vec<[String; 3]>>);

impl Catalogue {
    fn add(&mut self, situation: &str, printed: &str, code: i32) {
        let (hints, message): (Vec<&str>, Vec<&str>) =
            printed.lines().partition(|line| line.starts_with("hint: "));
        let message = message.into_iter().filter(|line| line.starts_with("error: "));
        let code_of = |line: &str| format!("`{}`", line.split_once(": ").unwrap().1);
        let message: Vec<String> = message.map(code_of).collect();
        assert!(!message.is_empty(), "{situation}: {printed}");
        let remedy = hints.iter().filter_map(|hint| hint.strip_prefix("hint: "));
        let row = [situation.to_owned(), message.join("<br>"), remedy.collect()];
        let rows = self.0.entry(code).or_default();
        if rows.iter().all(|[_, message, _]| *message != row[1]) {
            rows.push(row);
        }
    }

    fn ended(&mut self, situation: &str, site: &Site, address: &str, ended: &Ended) {
        let address = if address.is_empty() { "\0" } else { address };
        let printed = ended.stderr.replace(address, "127.0.0.1:8080");
        let printed = printed.replace(&format!("{}/", site.path().display()), "");
        self.add(situation, &printed, ended.code.unwrap());
    }

    fn markdown(&self) -> String {
        let mut page = String::new();
        let known: Vec<i32> = CODES.iter().map(|(code, _)| *code).collect();
        assert!(self.0.keys().all(|code| known.contains(code)), "{:?}", self.0.keys());
        for (code, meaning) in CODES {
            let head = "| situation | message | remedy |\n|---|---|---|";
            writeln!(page, "## Exit code {code}: {meaning}\n\n{head}").unwrap();
            for row in &self.0[&code] {
                let cells = row.clone().map(|cell| cell.replace('|', "\\|"));
                writeln!(page, "| {} |", cells.join(" | ")).unwrap();
            }
            page.push('\n');
        }
        page.truncate(page.trim_end().len());
        page + "\n"
    }
}

/// The errors that need no preparation but a folder: an empty one, one with a configuration, or one
/// whose date is reported and closed.
fn plain(catalogue: &mut Catalogue, served: &Served) {
    let (empty, fresh, done) = (Site::empty(), served.site(), served.site());
    done.run_date(day(DATE)).expect(0);
    done.run(&["close", DATE, "--by", "Anna"]).expect(0);
    let situations: [(&str, &Site, &[&str]); 23] = [
        ("no address of the API", &empty, &["run", "--date", DATE]),
        ("a configuration exists", &fresh, &["init"]),
        ("no store", &fresh, &["status"]),
        ("a date that was not fetched", &done, &["reconcile", "--date", OTHER]),
        ("a date that was not reconciled", &done, &["report", "--date", OTHER]),
        ("a month that is not over", &done, &["discrepancies", "list", "--date", "2026-11"]),
        ("an unknown id", &done, &["discrepancies", "show", "00000000"]),
        ("an unknown check", &done, &["discrepancies", "list", "--code", "FUNDS_HELT"]),
        ("an unknown merchant", &done, &["discrepancies", "list", "--merchant", "1"]),
        ("an amount", &done, &["discrepancies", "list", "--min-amount", "many"]),
        ("closing a date twice", &done, &["close", DATE, "--by", "Ben"]),
        ("closing a date that was not reconciled", &done, &["close", OTHER, "--by", "Ben"]),
        (
            "withdrawing a sign-off that does not exist",
            &done,
            &["reopen", OTHER, "--by", "Ben", "--note", "late"],
        ),
        ("an age of pages", &done, &["prune", "--older-than", "long"]),
        ("a copy over a file", &done, &["backup", "tieout.toml"]),
        ("a folder without reports", &done, &["verify", "."]),
        ("no folder for the dataset", &done, &["export"]),
        (
            "a dataset of a date that was not reconciled",
            &done,
            &["export", "--to", "lake", "--date", OTHER],
        ),
        ("a shard", &fresh, &["run", "--shard", "5/4", "--date", DATE]),
        ("a shard without merchants", &empty, &["run", "--shard", "1/4", "--date", DATE]),
        ("a store of all merchants as a shard", &done, &["run", "--shard", "1/2", "--date", DATE]),
        ("a missing shard", &fresh, &["merge", "none.db"]),
        ("an unknown bank", &fresh, &["bank", "check", "statement.bai", "--bank", "none"]),
    ];
    for (situation, site, arguments) in situations {
        catalogue.ended(situation, site, "", &site.run(arguments));
    }
}

/// The errors of a damaged folder, of the service and of another process.
fn prepared(catalogue: &mut Catalogue, served: &Served) {
    let run = |site: &Site| site.run_date(day(DATE));
    let fresh = || served.site();
    let site = fresh();
    std::fs::write(site.store(), "these are my holiday pictures, and not a database").unwrap();
    catalogue.ended("a store that is not a database", &site, "", &run(&site));
    let site = fresh();
    run(&site).expect(0);
    let connection = Connection::open(site.store()).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    drop(connection);
    catalogue.ended("a store of a newer program", &site, "", &run(&site));
    let site = fresh();
    std::fs::write(site.reports(), "in the way").unwrap();
    catalogue.ended("a file in the place of the report folder", &site, "", &run(&site));
    let site = fresh();
    let lock = File::create(site.path().join("tieout.db.lock")).unwrap();
    lock.try_lock().unwrap();
    std::fs::write(site.path().join("tieout.db.lock"), "process 4711").unwrap();
    catalogue.ended("another run in progress", &site, "", &run(&site));
    let mut own = served.world.configuration(&served.sandbox.base_url());
    own += "\n[custom_checks]\ndir = \"checks\"\n";
    let site = Site::new(&own, day("2026-11-05"));
    std::fs::create_dir(site.path().join("checks")).unwrap();
    std::fs::write(site.path().join("checks/mine.sql"), "delete from deposit").unwrap();
    catalogue.ended("a check of your own that writes", &site, "", &run(&site));
    let site = fresh();
    let mut command = site.command(&["run", "--date", DATE]);
    let keyless = Ended::from(command.env_remove("TIEOUT_API_KEY").output().unwrap());
    catalogue.ended("no API key", &site, "", &keyless);
    let mut command = site.command(&["run", "--date", DATE]);
    let refused = Ended::from(command.env("TIEOUT_API_KEY", "another-key").output().unwrap());
    catalogue.ended("a revoked key", &site, "", &refused);
    let forbids = |path: &str| {
        let body = r#"{"title":"Forbidden","status":403,"detail":"not for this key"}"#;
        path.starts_with("/v1").then(|| (403, body.to_owned()))
    };
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start(&served.runtime, upstream, Box::new(forbids));
    let site = served.site_behind(&gateway.base);
    catalogue.ended(
        "a key without permission",
        &site,
        &gateway.base["http://".len()..],
        &run(&site),
    );
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let site = served.site_behind(&format!("http://127.0.0.1:{port}"));
    let mut command = site.command(&["run", "--date", DATE]);
    let ended = Ended::from(command.env("TIEOUT_API__MAX_ATTEMPTS", "1").output().unwrap());
    catalogue.ended("a host that does not answer", &site, &format!("127.0.0.1:{port}"), &ended);
}

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    let served = Served::new(&clean(71, "2026-11-03", "2026-11-05", 3, 20));
    plain(&mut catalogue, &served);
    prepared(&mut catalogue, &served);
    for (snapshot, of, before) in SNAPSHOTS {
        let text = snapshot.splitn(3, "---\n").nth(2).unwrap();
        for entry in text.split("\n\n") {
            let (situation, printed) = entry.trim().split_once('\n').unwrap();
            let situation = format!("{of}{}", situation.trim_start_matches("# "));
            let printed = printed.replacen("error: ", &format!("error: {before}"), 1);
            catalogue.add(&situation, &printed, 2);
        }
    }
    catalogue
}

#[test]
fn the_catalogue_has_what_the_program_prints() {
    let page = catalogue().markdown();
    for word in INTERNAL {
        assert!(!page.contains(word), "a message speaks of {word:?}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (intro, _) = text.split_once(MARK).unwrap();
    let expected = format!("{intro}{MARK}\n\n{page}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, expected).unwrap();
    } else {
        assert_eq!(text, expected, "{MARK}");
    }
}

/// The files that define errors and the messages of `verify` and `doctor`.
#[test]
fn no_message_speaks_of_the_inside_of_the_program() {
    let mut folders: Vec<PathBuf> =
        ["src", "crates"].map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).into();
    let mut wrong = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "snapshots" {
                folders.push(path);
            } else if name.ends_with("error.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]").next().unwrap();
                let quoted = text.lines().filter(|line| !line.trim().starts_with("//"));
                let quoted = quoted.filter(|line| line.contains('"') || line.ends_with('\\'));
                let is_internal = |line: &&str| INTERNAL.iter().any(|word| line.contains(word));
                wrong.extend(quoted.filter(is_internal).map(|line| format!("{name}: {line}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
