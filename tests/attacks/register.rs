//! Somebody who can write the folder of the reports, with the public key as the only defence.

use std::fs;
use std::path::Path;

use crate::harness::{Served, Site, clean, day};

/// Gives the site the pair of the first test vector of RFC 8032, section 7.1.
pub fn with_key(site: &Site) {
    let private = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
    let public = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    let pem = |label: &str, body: &str| {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    };
    fs::write(site.path().join("key.pem"), pem("PRIVATE KEY", private)).unwrap();
    fs::write(site.path().join("public.pem"), pem("PUBLIC KEY", public)).unwrap();
    let config = site.path().join("tieout.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}\n[evidence]\nsigning_key_file = \"key.pem\"\n")).unwrap();
}

const VERIFY: [&str; 4] = ["verify", "reports", "--public-key", "public.pem"];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// A change of the folder of the reports, and the sentence that names it.
type Deed = (&'static str, fn(&Path), &'static str);

const DEEDS: [Deed; 11] = [
    (
        "a pipe stands for a page",
        |reports| {
            let page = reports.join("2026-11-03/report.html");
            fs::remove_file(&page).unwrap();
            let made = std::process::Command::new("mkfifo").arg(&page).status().unwrap();
            assert!(made.success());
        },
        "report.html cannot be read: it is no regular file",
    ),
    (
        "a date is removed",
        |reports| fs::remove_dir_all(reports.join("2026-11-03")).unwrap(),
        "2026-11-03  does not agree",
    ),
    (
        "the newest date is removed",
        |reports| fs::remove_dir_all(reports.join("2026-11-04")).unwrap(),
        "2026-11-04  does not agree",
    ),
    (
        "a period is removed",
        |reports| fs::remove_dir_all(reports.join("periods")).unwrap(),
        "2026-11-02..2026-11-04  does not agree",
    ),
    (
        "a signature is removed",
        |reports| {
            fs::remove_file(reports.join("2026-11-03/run.json.sig")).unwrap();
        },
        "run.json has no signature",
    ),
    (
        "the index is changed",
        |reports| {
            let page = fs::read_to_string(reports.join("index.html")).unwrap();
            fs::write(reports.join("index.html"), page.replace("2026-11-03", "2026-11-01"))
                .unwrap();
        },
        "index.html is not the one",
    ),
    (
        "the index is removed",
        |reports| fs::remove_file(reports.join("index.html")).unwrap(),
        "index.html is gone",
    ),
    (
        "a period is changed",
        |reports| {
            fs::write(reports.join("periods/2026-11-02..2026-11-04/days.csv"), "x").unwrap();
        },
        "days.csv was altered",
    ),
    (
        "the register is removed",
        |reports| fs::remove_file(reports.join("register.jsonl")).unwrap(),
        "register.jsonl is gone",
    ),
    (
        "an entry of the register is removed",
        |reports| {
            let text = fs::read_to_string(reports.join("register.jsonl")).unwrap();
            let rest = text.split_inclusive('\n').skip(1).collect::<String>();
            fs::write(reports.join("register.jsonl"), rest).unwrap();
        },
        "register.jsonl is not what was signed with this key",
    ),
    (
        "a date and its entries are removed",
        |reports| {
            fs::remove_dir_all(reports.join("2026-11-04")).unwrap();
            let text = fs::read_to_string(reports.join("register.jsonl")).unwrap();
            let lines = text.lines().filter(|line| !line.contains("2026-11-04"));
            let rest = lines.collect::<Vec<_>>().join("\n") + "\n";
            fs::write(reports.join("register.jsonl"), rest).unwrap();
        },
        "register.jsonl is not what was signed with this key",
    ),
];

#[test]
fn what_was_removed_or_put_back_is_seen_with_the_public_key_alone() {
    let served = Served::new(&clean(13, "2026-11-02", "2026-11-04", 1, 3));
    let site = served.site();
    with_key(&site);
    site.run_range(day("2026-11-02"), day("2026-11-04")).expect(0);
    let older = site.path().join("older");
    copy(&site.reports().join("2026-11-02"), &older);
    // An older date is run again, and a period is written again.
    site.run_date(day("2026-11-02")).expect(0);
    site.run(&["reconcile", "--stale"]);
    site.run(&["report", "--date", "2026-11-02..2026-11-04"]).expect(0);
    site.run(&VERIFY).expect(0);
    site.run(&["verify", "reports"]).expect(0);
    let whole = site.path().join("whole");
    copy(&site.reports(), &whole);
    for (what, deed, said) in DEEDS {
        deed(&site.reports());
        let found = site.run(&VERIFY).expect(1);
        assert!(found.stdout.contains(said), "{what}: {}", found.stdout);
        // The store with the configured key shows it as well.
        let found = site.run(&["verify", "reports"]).expect(1).stdout;
        let same = ["folder is gone", "does not agree", "is gone", "was altered"];
        let is_named = found.contains(said) || same.iter().any(|word| found.contains(word));
        assert!(is_named, "{what}: {found}");
        fs::remove_dir_all(site.reports()).unwrap();
        copy(&whole, &site.reports());
    }
    site.run(&VERIFY).expect(0);
    // Signed once, but not the last version.
    fs::remove_dir_all(site.reports().join("2026-11-02")).unwrap();
    copy(&older, &site.reports().join("2026-11-02"));
    let found = site.run(&VERIFY).expect(1);
    assert!(found.stdout.contains("wrote another"), "{}", found.stdout);
}

#[test]
fn nothing_is_signed_on_top_of_a_register_that_was_altered() {
    let served = Served::new(&clean(14, "2026-11-02", "2026-11-03", 1, 3));
    let site = served.site();
    with_key(&site);
    site.run_date(day("2026-11-02")).expect(0);
    let path = site.reports().join("register.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("index.html", "index.htm")).unwrap();
    let refused = site.run_date(day("2026-11-03")).expect(1);
    let said = refused.stdout + &refused.stderr;
    assert!(said.contains("register.jsonl was altered"), "{said}");
    fs::write(&path, text).unwrap();
    site.run_date(day("2026-11-03")).expect(0);
    site.run(&VERIFY).expect(0);
}
