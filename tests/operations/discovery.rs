//! From an API key to a right first night: `init --discover`, `doctor` and `run`, without manual
//! work.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;
use tieout_sandbox::{API_KEY, ServeOptions};

use crate::harness::{Ended, Served, Site, clean, gateway};

/// The command with the addresses of `base` in its environment, and the key.
fn with_addresses(site: &Site, base: &str, arguments: &[&str]) -> Command {
    let mut command = site.command(arguments);
    command.env("TIEOUT_API__BASE_URL", format!("{base}/v1")).env("TIEOUT_API__AUTH_URL", base);
    command
}

fn ended(mut command: Command) -> Ended {
    Ended::from(command.output().unwrap())
}

fn configuration(site: &Site) -> String {
    std::fs::read_to_string(site.path().join("tieout.toml")).unwrap()
}

/// The settings of each merchant in a configuration, by id. The default calendar is left out.
fn merchants_of(text: &str) -> BTreeMap<String, toml::Table> {
    let table: toml::Table = text.parse().unwrap();
    let sections = table["merchants"].as_array().unwrap().iter();
    sections
        .map(|section| {
            let mut section = section.as_table().unwrap().clone();
            section.remove("calendar");
            (section["id"].as_str().unwrap().to_owned(), section)
        })
        .collect()
}

#[test]
fn a_key_and_nothing_else_leads_to_a_right_first_night() {
    for (seed, merchants) in [(61, 9), (62, 3)] {
        let served = Served::new(&clean(seed, "2026-11-02", "2026-11-04", merchants, 60));
        let site = Site::empty();
        let base = served.sandbox.base_url();
        let key = site.path().join("key");
        std::fs::write(&key, format!("{API_KEY}\n")).unwrap();
        let mut init = site.command(&[
            "init",
            "--discover",
            "--base-url",
            &format!("{base}/v1"),
            "--auth-url",
            &base,
            "--api-key-file",
            "key",
            "--db",
            "data/store.db",
        ]);
        init.env_remove("TIEOUT_API_KEY");
        let said = ended(init).expect(0);
        assert!(said.stdout.contains(&format!("{merchants} merchants")), "{}", said.stdout);
        let text = configuration(&site);
        assert_eq!(merchants_of(&text), merchants_of(&served.world.configuration(&base)));
        assert!(text.contains("[[ledgers]]") && text.contains("[[banks]]"), "{text}");
        assert!(!text.contains(API_KEY));
        // The file names the store that the command line named.
        let store = std::path::absolute(site.path().join("data/store.db")).unwrap();
        assert!(text.contains(&format!("path = \"{}\"", store.display())), "{text}");
        for arguments in [
            &["doctor", "--json"][..],
            &["run", "--date", "2026-11-02..2026-11-04", "--fail-on", "warning", "--json"],
        ] {
            let mut command = site.command(arguments);
            command.env_remove("TIEOUT_API_KEY");
            let ended = ended(command).expect(0);
            assert!(!ended.stdout.contains("\"state\": \"failed\""), "{}", ended.stdout);
        }
        let again = ended(with_addresses(&site, &base, &["init", "--discover"])).expect(2);
        assert!(again.stderr.contains("exists already"), "{}", again.stderr);
        assert_eq!(configuration(&site), text);
    }
}

#[test]
fn says_what_the_key_may_not_list_and_names_no_terminals() {
    let serving = ServeOptions { transactions: false, terminals: false, ..ServeOptions::default() };
    let served = Served::serving(&clean(64, "2026-11-02", "2026-11-04", 3, 60), serving);
    let site = Site::empty();
    let said = ended(with_addresses(&site, &served.sandbox.base_url(), &["init", "--discover"]));
    let said = said.expect(0);
    assert!(said.stdout.contains("3 merchants are not known, the key may not"), "{}", said.stdout);
    let text = configuration(&site);
    assert!(!text.contains("\nterminals = "), "{text}");
    assert!(text.contains("# terminals: the key may not list them"), "{text}");
    // The file is valid as written, and the night names the missing values.
    let ended = site.run(&["config", "--json"]).expect(0);
    let values: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    assert!(!values.is_empty());
}

#[test]
fn writes_what_could_be_read_and_says_what_could_not() {
    let served = Served::new(&clean(65, "2026-11-02", "2026-11-06", 3, 60));
    let down = || (503, String::new());
    let gateway = gateway::start(
        &served.runtime,
        Some(served.sandbox.base_url()),
        Box::new(move |path| {
            let fails = path.starts_with("/v1/batches?date=2026-11-04");
            fails.then(down)
        }),
    );
    let site = Site::empty();
    let mut command = with_addresses(&site, &gateway.base, &["init", "--discover"]);
    command.env("TIEOUT_API__MAX_ATTEMPTS", "1");
    let said = ended(command).expect(4);
    assert!(said.stdout.contains("not read: batches by date 2026-11-04"), "{}", said.stdout);
    assert!(configuration(&site).contains("not read: batches by date 2026-11-04"));
}

#[test]
fn writes_no_file_when_nothing_was_learnt() {
    let served = Served::new(&clean(66, "2026-11-02", "2026-11-04", 2, 40));
    let base = served.sandbox.base_url();
    let refused = |site: &Site, variables: &[(&str, &str)], arguments: &[&str], code: i32| {
        let mut command = with_addresses(site, &base, arguments);
        command.env("TIEOUT_API__MAX_ATTEMPTS", "1").envs(variables.iter().copied());
        let said = ended(command).expect(code);
        assert!(said.stderr.starts_with("error: "), "{}", said.stderr);
        assert!(said.stderr.contains("hint: "), "{}", said.stderr);
        assert_eq!(std::fs::read_dir(site.path()).unwrap().count(), 0, "{}", said.stderr);
    };
    let discover = &["init", "--discover"][..];
    let site = Site::empty();
    refused(&site, &[("TIEOUT_API_KEY", "wrong")], discover, 5);
    refused(&site, &[("TIEOUT_API_KEY", "")], discover, 2);
    refused(&site, &[("TIEOUT_API__BASE_URL", "")], discover, 2);
    refused(&site, &[("TIEOUT_API__AUTH_URL", "http://127.0.0.1:1")], discover, 1);
    refused(&site, &[], &["init", "--discover", "--date", "2025-01-01"], 1);
    refused(&site, &[], &["init", "--discover", "--date", "2030-01-01"], 2);
}
