//! Copies of the store: their number, and that a torn or truncated one is named and the copy before
//! it can be used. `DAMAGED_COPIES=1..200` damages more of them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Ended, Served, Site, clean, seeds};
use crate::nights::dice::Dice;

const PAGE_BYTES: usize = 4096;

fn backup(site: &Site, now: &str, arguments: &[&str]) -> Ended {
    let mut command = site.command(&["backup", "--to", "copies", "--json"]);
    Ended::from(command.args(arguments).env("TIEOUT_NOW", now).output().unwrap())
}

fn printed(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"))
}

fn copies(site: &Site) -> Vec<String> {
    let entries = std::fs::read_dir(site.path().join("copies")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_newest_copies_stay_and_nothing_else_is_touched() {
    let served = Served::new(&clean(86, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    site.run(&["run", "--date", "2026-11-03"]).expect(0);
    std::fs::create_dir(site.path().join("copies")).unwrap();
    for other in ["tieout-old.db", "notes.txt"] {
        std::fs::write(site.path().join("copies").join(other), "ours").unwrap();
    }
    for day in 4..8 {
        let now = format!("2026-11-0{day}T09:30:00Z");
        let ended = backup(&site, &now, &["--keep", "2"]).expect(0);
        let said = printed(&ended);
        assert!(said["file"].as_str().unwrap().ends_with(&format!("0{day}T093000Z.db")), "{said}");
        assert!(said["bytes"].as_u64().unwrap() > 0, "{said}");
        assert_eq!(said["removed"].as_array().unwrap().len(), usize::from(day > 5), "{said}");
    }
    let left = copies(&site);
    let expected = [
        "notes.txt",
        "tieout-2026-11-06T093000Z.db",
        "tieout-2026-11-06T093000Z.db.sha256",
        "tieout-2026-11-07T093000Z.db",
        "tieout-2026-11-07T093000Z.db.sha256",
        "tieout-old.db",
    ];
    assert_eq!(left, expected);
    // A failed copy removes no earlier one.
    backup(&site, "2026-11-07T09:30:00Z", &["--keep", "1"]).expect(2);
    assert_eq!(copies(&site), expected);
    for wrong in [&["--keep", "0"][..], &["--check", "--keep", "1"]] {
        backup(&site, "2026-11-08T09:30:00Z", wrong).expect(2);
    }
}

/// Truncates the file, or overwrites a page of it; returns a description.
fn damage(file: &Path, dice: &mut Dice) -> String {
    let mut content = std::fs::read(file).unwrap();
    let pages = content.len() / PAGE_BYTES;
    if dice.one_in(2) {
        let length = dice.roll(content.len());
        content.truncate(length);
        std::fs::write(file, content).unwrap();
        return format!("cut to {length} bytes");
    }
    let first = dice.roll(pages) * PAGE_BYTES;
    for byte in &mut content[first..first + PAGE_BYTES] {
        *byte = u8::try_from(dice.roll(256)).unwrap();
    }
    std::fs::write(file, content).unwrap();
    format!("page {} torn", first / PAGE_BYTES + 1)
}

#[test]
fn a_damaged_copy_is_named_and_the_one_before_it_serves() {
    let served = Served::new(&clean(87, "2026-11-03", "2026-11-05", 3, 40));
    let site = served.site();
    site.run(&["run", "--date", "2026-11-03..2026-11-04"]).expect(0);
    backup(&site, "2026-11-05T09:30:00Z", &[]).expect(0);
    site.run(&["run", "--date", "2026-11-05"]).expect(0);
    let newest = PathBuf::from(
        printed(&backup(&site, "2026-11-06T09:30:00Z", &[]))["file"].as_str().unwrap(),
    );
    let newest = site.path().join(newest);
    let check = || backup(&site, "2026-11-06T10:00:00Z", &["--check"]);
    let whole = printed(&check().expect(0));
    assert!(whole["serves"].as_str().unwrap().contains("2026-11-06"), "{whole}");
    let content = std::fs::read(&newest).unwrap();
    for seed in seeds("DAMAGED_COPIES", "1..12") {
        std::fs::write(&newest, &content).unwrap();
        let done = damage(&newest, &mut Dice::new(seed));
        let ended = check();
        let said = printed(&ended);
        assert_eq!(ended.code, Some(1), "seed {seed}: {done}: {said}");
        let damaged = said["damaged"].as_array().unwrap();
        assert_eq!(damaged.len(), 1, "seed {seed}: {done}: {said}");
        assert!(damaged[0]["file"].as_str().unwrap().contains("2026-11-06"), "{done}: {said}");
        assert!(said["serves"].as_str().unwrap().contains("2026-11-05"), "{done}: {said}");
    }
    // Without its digest, like one from elsewhere, it is read as a store.
    std::fs::remove_file(newest.with_extension("db.sha256")).unwrap();
    std::fs::write(&newest, &content).unwrap();
    check().expect(0);
    std::fs::write(&newest, &content[..content.len() / 2]).unwrap();
    check().expect(1);
    // The copy before it can be used: the date since is run again, with the same result.
    let page = |site: &Site| std::fs::read(site.reports().join("2026-11-05/deposits.csv")).unwrap();
    let before = page(&site);
    let older = site.path().join("copies/tieout-2026-11-05T093000Z.db");
    site.restore(&older);
    site.run(&["run", "--date", "2026-11-05"]).expect(0);
    assert_eq!(page(&site), before);
    site.run(&["verify", "reports"]).expect(0);
    std::fs::write(&older, "no store").unwrap();
    let none = check().expect(1);
    assert_eq!(printed(&none)["serves"], Value::Null);
}

#[test]
fn a_folder_without_copies_is_called_that_and_one_that_may_not_be_read_is_not_damaged() {
    use std::os::unix::fs::PermissionsExt as _;
    let served = Served::new(&clean(86, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    site.run(&["run", "--date", "2026-11-03"]).expect(0);
    let check = || site.run(&["backup", "--to", "copies", "--check"]).expect(1);
    let missing = check();
    assert!(missing.stderr.contains("copies: the copies cannot be read\n"), "{missing:?}");
    std::fs::create_dir(site.path().join("copies")).unwrap();
    assert_eq!(check().stdout, "copies holds no copy\n");
    backup(&site, "2026-11-04T09:30:00Z", &[]).expect(0);
    let copy = site.path().join("copies/tieout-2026-11-04T093000Z.db");
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o000)).unwrap();
    // An administrator reads it all the same.
    if std::fs::File::open(&copy).is_err() {
        let denied = check();
        assert!(denied.stdout.contains("cannot be read by this user"), "{denied:?}");
        assert!(!denied.stdout.contains("damaged"), "{denied:?}");
    }
}

#[test]
fn the_tables_of_litestream_are_nobodys_concern() {
    let served = Served::new(&clean(86, "2026-11-03", "2026-11-04", 2, 20));
    let site = served.site();
    site.run(&["run", "--date", "2026-11-03"]).expect(0);
    let store = rusqlite::Connection::open(site.store()).unwrap();
    let tables = "create table _litestream_seq (id integer primary key, seq integer); \
                  create table _litestream_lock (id integer); insert into _litestream_seq values (1, 1)";
    store.execute_batch(tables).unwrap();
    drop(store);
    site.run(&["verify", "reports"]).expect(0);
    site.run(&["run", "--date", "2026-11-04"]).expect(0);
    site.run(&["verify", "reports"]).expect(0);
    backup(&site, "2026-11-05T09:30:00Z", &[]).expect(0);
    backup(&site, "2026-11-05T09:31:00Z", &["--check"]).expect(0);
}
