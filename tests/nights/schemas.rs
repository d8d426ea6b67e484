//! A store of the first schema is upgraded, and what it holds is reported and proved as before; one from
//! before the first release is refused.

use std::path::Path;

use rusqlite::Connection;
use tieout_store::{SCHEMA_VERSION, Store};

use crate::harness::{Site, day};

/// A folder with the store that a program of the first schema left.
fn older() -> Site {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let site = Site::new(&read("tests/fixtures/schemas/v1.toml"), day("2026-11-04"));
    let connection = Connection::open(site.store()).unwrap();
    connection.execute_batch(&read("crates/store/sql/migrations/0001_initial.sql")).unwrap();
    connection.execute_batch(&read("tests/fixtures/schemas/v1.sql")).unwrap();
    site
}

fn version(path: &Path) -> u32 {
    let connection = Connection::open(path).unwrap();
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

/// Every table, index, view and trigger with its columns, whatever the text that made it says.
fn schema(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let sql = "select item.type || ' ' || item.name || ' '
                   || coalesce((select group_concat(name || ' ' || type || ' ' || pk, ', ')
                                from pragma_table_info(item.name)), '')
               from sqlite_schema as item order by item.type, item.name";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn an_older_store_is_upgraded_reported_and_proved() {
    let site = older();
    drop(Store::open(&site.store()).unwrap());
    assert_eq!(version(&site.store()), SCHEMA_VERSION);
    let new = site.path().join("new.db");
    drop(Store::open(&new).unwrap());
    assert_eq!(schema(&site.store()), schema(&new), "upgraded and created stores are the same");
    let status = site.run(&["status"]).expect(0).stdout;
    let dates = status.lines().filter(|line| line.starts_with("2026-11-0")).count();
    assert_eq!(dates, 2, "{status}");
    assert!(status.contains("closed"), "{status}");
    site.run(&["report", "--date", "2026-11-03..2026-11-04"]);
    site.run(&["verify", "reports"]).expect(0);
    let found = site.run(&["discrepancies", "list", "--date", "2026-11-04"]).expect(0).stdout;
    assert!(found.contains("RESTATED_AFTER_RECONCILED"), "{found}");
}

#[test]
fn the_older_store_is_kept_as_a_backup() {
    let site = older();
    drop(Store::open(&site.store()).unwrap());
    let backup = site.path().join("tieout.db.v1.backup");
    assert_eq!(backup.exists(), SCHEMA_VERSION > 1);
    if backup.exists() {
        assert_eq!(version(&backup), 1);
    }
}

#[test]
fn an_older_store_that_is_only_read_says_how_it_is_upgraded() {
    if SCHEMA_VERSION == 1 {
        return;
    }
    let site = older();
    let ended = site.run(&["status"]);
    assert_ne!(ended.code, Some(0));
    let expected =
        format!("has schema version 1, this command reads version {SCHEMA_VERSION} only");
    assert!(ended.stderr.contains(&expected), "{}", ended.stderr);
    assert!(ended.stderr.contains("tieout run"), "{}", ended.stderr);
    assert_eq!(version(&site.store()), 1, "nothing was changed");
}

#[test]
fn a_store_from_before_the_first_release_is_refused_with_the_remedy() {
    let site = older();
    let connection = Connection::open(site.store()).unwrap();
    connection.execute_batch("pragma application_id = 0; pragma user_version = 19").unwrap();
    for arguments in [&["status"][..], &["run"]] {
        let ended = site.run(arguments);
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains("before its first release"), "{}", ended.stderr);
        assert!(ended.stderr.contains("run again into a new store"), "{}", ended.stderr);
    }
    assert_eq!(version(&site.store()), 19, "nothing was changed");
}
