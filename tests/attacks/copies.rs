//! Copies of the store, and files that are not stores: a file with the name of a copy is whole, a
//! failed copy can be made again, and a file of another program is never written to.

use std::os::unix::fs::FileExt as _;

use rusqlite::Connection;

use crate::harness::{Served, Site, clean, day};

fn reported() -> (Served, Site) {
    let served = Served::new(&clean(15, "2026-11-02", "2026-11-02", 1, 6));
    let site = served.site();
    site.run_date(day("2026-11-02")).expect(0);
    (served, site)
}

/// Whether `copy.db`, or any remainder of it, exists.
fn left_of_copy(site: &Site) -> Vec<String> {
    let names = std::fs::read_dir(site.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("copy.db")).collect()
}

#[test]
fn a_damaged_store_is_not_backed_up_and_a_later_attempt_succeeds() {
    let (_served, site) = reported();
    let whole = std::fs::read(site.store()).unwrap();
    let begin: i64 = {
        let store = Connection::open(site.store()).unwrap();
        let page = |sql: &str| -> i64 { store.query_row(sql, [], |row| row.get(0)).unwrap() };
        let root = page("select rootpage from sqlite_schema where name = 'authorization'");
        (root - 1) * page("pragma page_size")
    };
    let file = std::fs::File::options().write(true).open(site.store()).unwrap();
    file.write_all_at(&[0xff; 200], u64::try_from(begin).unwrap()).unwrap();
    drop(file);
    let refused = site.run(&["backup", "copy.db"]).expect(1);
    assert!(refused.stderr.contains("expected a database that is whole"), "{}", refused.stderr);
    assert_eq!(left_of_copy(&site), Vec::<String>::new());
    std::fs::write(site.store(), whole).unwrap();
    site.run(&["backup", "copy.db"]).expect(0);
    assert_eq!(left_of_copy(&site), ["copy.db"]);
    site.run(&["verify", "reports", "--db", "copy.db"]).expect(0);
}

#[test]
fn what_a_killed_backup_left_is_no_copy_and_does_not_stop_the_next() {
    let (_served, site) = reported();
    std::fs::write(site.path().join("copy.db.unfinished"), "SQLite format 3\0, and no more")
        .unwrap();
    site.run(&["backup", "copy.db"]).expect(0);
    assert_eq!(left_of_copy(&site), ["copy.db"]);
    // A copy is never written over, also not by a newer one.
    let before = std::fs::read(site.path().join("copy.db")).unwrap();
    site.run(&["backup", "copy.db"]).expect(2);
    assert_eq!(std::fs::read(site.path().join("copy.db")).unwrap(), before);
}

/// The arguments of every command that needs a store, and its exit code without one.
const COMMANDS: [&[&str]; 7] = [
    &["run", "--date", "2026-11-02", "--out", "others"],
    &["reconcile", "--date", "2026-11-02", "--out", "others"],
    &["status"],
    &["verify", "reports"],
    &["backup", "copy.db"],
    &["close", "2026-11-02", "--by", "Anna"],
    &["prune", "--older-than", "2026-11-01", "--by", "Anna"],
];

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    let (_served, site) = reported();
    let other = site.path().join("other.db");
    let database = Connection::open(&other).unwrap();
    database
        // Its version says nothing.
        .execute_batch(
            "create table songs (title text); insert into songs values ('Noor');
             pragma user_version = 1",
        )
        .unwrap();
    drop(database);
    let before = std::fs::read(&other).unwrap();
    for command in COMMANDS {
        let refused = site.run(&[command, &["--db", "other.db"]].concat()).expect(2);
        for part in ["other.db", "found a database of another program", "hint: "] {
            assert!(refused.stderr.contains(part), "{command:?}: {}", refused.stderr);
        }
        assert!(std::fs::read(&other).unwrap() == before, "{command:?} has changed it");
    }
    assert_eq!(left_of_copy(&site), Vec::<String>::new());
}

#[test]
fn a_store_of_no_bytes_is_no_store() {
    let (_served, site) = reported();
    std::fs::write(site.store(), "").unwrap();
    // Beside its reports a new store is refused.
    for command in COMMANDS {
        let command: Vec<&str> =
            command.iter().map(|word| if *word == "others" { "reports" } else { word }).collect();
        let refused = site.run(&command).expect(2);
        assert!(refused.stderr.contains("tieout.db"), "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("empty"), "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("hint: "), "{command:?}: {}", refused.stderr);
        assert_eq!(std::fs::metadata(site.store()).unwrap().len(), 0, "{command:?}");
    }
    assert_eq!(left_of_copy(&site), Vec::<String>::new());
}
