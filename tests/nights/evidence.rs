//! What was reported can be proved: whatever is altered in a report folder or in the store is
//! found and named; a backup is the store; what retention removes is no damage.
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

use rusqlite::Connection;
use rusqlite::types::Value;
use tieout::job::verify;
use tieout::sandbox::{WorldOptions, plant_codes};
use tieout::store::Store;

use crate::harness::{Served, Site, clean, day, reports};
use crate::quarter::Dice;

/// Bytes and rows that are altered, each alone.
const TRIALS: usize = 30;

const DATE: &str = "2026-11-05";

fn planted(seed: u64) -> (Served, Site) {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    let options = WorldOptions { plants, ..clean(seed, "2026-11-02", "2026-11-08", 4, 4) };
    let served = Served::new(&options);
    let site = served.site();
    site.run_range(options.from, options.to).expect(0);
    (served, site)
}

fn problems(site: &Site) -> Vec<String> {
    let store = match Store::open_for_reading(&site.store()) {
        Ok(store) => store,
        Err(error) => return vec![error.to_string()],
    };
    match verify(&store, &site.reports().join(DATE)) {
        Ok(verified) => verified.into_iter().flat_map(|one| one.problems).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn names_every_file_of_which_a_byte_was_altered() {
    let (_served, site) = planted(71);
    assert_eq!(problems(&site), Vec::<String>::new());
    let mut dice = Dice::new(71);
    let folder = site.reports().join(DATE);
    let files: Vec<(String, Vec<u8>)> = reports::files(&folder).into_iter().collect();
    for trial in 0..TRIALS {
        // Every file at least once.
        let (name, content) = &files[trial % files.len()];
        let mut altered = content.clone();
        let place = dice.roll(altered.len());
        altered[place] ^= 1 << dice.roll(8);
        std::fs::write(folder.join(name), &altered).unwrap();
        let found = problems(&site);
        let is_named = found.iter().any(|problem| problem.starts_with(name.as_str()));
        assert!(is_named, "byte {place} of {name}: {found:?}");
        std::fs::write(folder.join(name), content).unwrap();
    }
    std::fs::write(folder.join("extra.csv"), "x").unwrap();
    assert!(problems(&site).iter().any(|problem| problem.starts_with("extra.csv")));
    std::fs::remove_file(folder.join("extra.csv")).unwrap();
    std::fs::remove_file(folder.join("deposits.csv")).unwrap();
    assert!(problems(&site).iter().any(|problem| problem.starts_with("deposits.csv")));
}

/// Tables of which every row of a date is proved, how its rows are found, and the columns that
/// say how a row was stored and nothing that was received or reported.
const PROVED: [(&str, &str, &[&str]); 15] = [
    ("deposit", "day = ?1", &["first_reading", "content"]),
    ("batch", "day = ?1", &["first_reading", "content"]),
    ("authorization", "day = ?1", &["first_reading", "content"]),
    (
        "fee",
        "listing_id in (select listing_id from listing where resource = 'ach-deposit-fees' \
         and selector = 'date' and business_date = ?1)",
        &[],
    ),
    (
        "bank_transfer",
        "transfer_id in (select transfer_id from transfer_listed natural join listing \
         where business_date = ?1)",
        &["first_reading", "content"],
    ),
    ("discrepancy_day", "business_date = ?1", &[]),
    ("deposit_result", "business_date = ?1", &[]),
    ("batch_result", "business_date = ?1", &[]),
    ("transit_result", "business_date = ?1", &[]),
    ("summary_result", "business_date = ?1", &[]),
    ("run_record", "business_date = ?1", &[]),
    (
        "page",
        "reading_id in (select reading_id from listing where business_date = ?1 \
         and resource in ('batches', 'authorizations', 'ach-deposits'))",
        &[],
    ),
    (
        "page_body",
        "digest in (select digest from page where reading_id in \
         (select reading_id from listing where business_date = ?1))",
        &["pruned_by"],
    ),
    (
        "reading",
        "reading_id in (select reading_id from listing where business_date = ?1)",
        &["session", "fallback_reading", "starts"],
    ),
    ("audit", "subject = ?1", &[]),
];

#[test]
fn names_every_row_of_the_store_that_was_altered_by_hand() {
    let (_served, site) = planted(72);
    assert_eq!(problems(&site), Vec::<String>::new());
    let whole = site.path().join("whole.db");
    site.run(&["backup", "whole.db"]).expect(0);
    let mut dice = Dice::new(72);
    let mut missed = Vec::new();
    for trial in 0..TRIALS {
        let (table, condition, exempt) = PROVED[trial % PROVED.len()];
        restore(&whole, &site);
        let changed = alter(&site, table, condition, exempt, &mut dice);
        missed.extend(changed.filter(|_| problems(&site).is_empty()));
        restore(&whole, &site);
        let changed = delete(&site, table, condition, &mut dice);
        missed.extend(changed.filter(|_| problems(&site).is_empty()));
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    restore(&whole, &site);
    assert_eq!(problems(&site), Vec::<String>::new());
}

fn restore(whole: &std::path::Path, site: &Site) {
    for suffix in ["-wal", "-shm"] {
        let mut name = site.store().into_os_string();
        name.push(suffix);
        // They are there only while somebody has the store open.
        let _ = std::fs::remove_file(name);
    }
    std::fs::copy(whole, site.store()).unwrap();
}

/// A connection that nothing holds back, as a person with a tool of their own has it.
fn by_hand(site: &Site) -> Connection {
    let connection = Connection::open(site.store()).unwrap();
    connection
        .execute_batch(
            "pragma foreign_keys = off; pragma ignore_check_constraints = on; \
             drop trigger audit_is_never_changed; drop trigger audit_is_never_deleted",
        )
        .unwrap();
    connection
}

fn rows_of(
    connection: &Connection,
    table: &str,
    condition: &str,
) -> (Vec<String>, Vec<Vec<Value>>) {
    let sql = format!("select * from {table} where {condition}");
    let mut statement = connection.prepare(&sql).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let count = names.len();
    let rows = statement
        .query_map([DATE], |row| (0..count).map(|index| row.get(index)).collect())
        .unwrap();
    let rows = rows.map(Result::unwrap).collect();
    (names, rows)
}

fn same_row(names: &[String]) -> String {
    let conditions: Vec<String> =
        names.iter().enumerate().map(|(i, name)| format!("{name} is ?{}", i + 1)).collect();
    conditions.join(" and ")
}

fn alter(
    site: &Site,
    table: &str,
    condition: &str,
    exempt: &[&str],
    dice: &mut Dice,
) -> Option<String> {
    let connection = by_hand(site);
    let (names, rows) = rows_of(&connection, table, condition);
    let row = dice.pick(&rows)?.clone();
    let columns: Vec<usize> =
        (0..names.len()).filter(|index| !exempt.contains(&names[*index].as_str())).collect();
    let column = *dice.pick(&columns)?;
    let after = match &row[column] {
        Value::Null => match names[column].as_str() {
            "gone_in" => Value::Integer(1),
            name if name.ends_with("_minor") || name.ends_with('s') => Value::Integer(7),
            _ => Value::Text("2026-01-01".to_owned()),
        },
        Value::Integer(number) => Value::Integer(number + 1),
        Value::Real(number) => panic!("{number} is no amount"),
        Value::Text(text) => Value::Text(format!("{text}x")),
        Value::Blob(bytes) => {
            let mut bytes = bytes.clone();
            let place = dice.roll(bytes.len());
            bytes[place] ^= 1;
            Value::Blob(bytes)
        }
    };
    let sql = format!(
        "update {table} set {} = ?{} where {}",
        names[column],
        names.len() + 1,
        same_row(&names)
    );
    let values = row.iter().cloned().chain([after.clone()]);
    // A column that cannot take the value, or a key that is taken, is no alteration.
    let changed = connection.execute(&sql, rusqlite::params_from_iter(values)).ok()?;
    (changed > 0)
        .then(|| format!("{table}.{} {:?} -> {after:?}: {row:?}", names[column], row[column]))
}

fn delete(site: &Site, table: &str, condition: &str, dice: &mut Dice) -> Option<String> {
    let connection = by_hand(site);
    let (names, rows) = rows_of(&connection, table, condition);
    let row = dice.pick(&rows)?.clone();
    let sql = format!("delete from {table} where {}", same_row(&names));
    let deleted = connection.execute(&sql, rusqlite::params_from_iter(row.iter().cloned()));
    (deleted.unwrap() > 0).then(|| format!("{table}: deleted {row:?}"))
}

#[test]
fn restores_a_backup_that_goes_on_where_the_store_was() {
    let (_served, site) = planted(73);
    let backup = site.path().join("copy.db");
    site.run(&["backup", "copy.db"]).expect(0);
    site.run(&["backup", "copy.db"]).expect(2);
    let tables = |site: &Site| {
        let mut files = reports::files(&site.reports());
        files.retain(|name, _| !name.ends_with("run.json"));
        files
    };
    let before = tables(&site);
    // The disk is lost.
    std::fs::write(site.store(), "not a database").unwrap();
    assert_ne!(site.run(&["status"]).code, Some(0));
    restore(&backup, &site);
    site.run(&["verify", "reports"]).expect(0);
    site.run_date(day("2026-11-08")).expect(0);
    reports::assert_same(&before, &tables(&site), "a run after the restore");
    site.run(&["verify", "reports"]).expect(0);
}

#[test]
fn removes_old_pages_and_nothing_that_something_open_rests_on() {
    let served = Served::new(&clean(74, "2026-11-02", "2026-11-08", 2, 10));
    let site = served.site();
    site.run_range(day("2026-11-02"), day("2026-11-08")).expect(0);
    let pages = |site: &Site| -> i64 {
        let store = Connection::open(site.store()).unwrap();
        let sql = "select count(*) from page_body where content is not null";
        store.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let before = pages(&site);
    let said = site.run(&["prune", "--older-than", "2026-11-05", "--dry-run"]).expect(0);
    assert!(said.stdout.contains("would be removed"), "{}", said.stdout);
    assert_eq!(pages(&site), before);
    site.run(&["prune", "--older-than", "2026-11-05", "--by", "Anna"]).expect(0);
    let after = pages(&site);
    assert!(0 < after && after < before, "{before} pages, then {after}");
    let verified = site.run(&["verify", "reports"]).expect(0);
    assert!(verified.stdout.contains("pages removed by retention"), "{}", verified.stdout);
    // A page that somebody else removed is damage.
    let store = Connection::open(site.store()).unwrap();
    store
        .execute_batch(
            "update page_body set content = null, pruned_by = (select max(pruned_by) from page_body) \
             where digest = (select min(digest) from page_body where content is not null)",
        )
        .unwrap();
    site.run(&["verify", "reports"]).expect(1);
    site.run(&["prune", "--older-than", "soon"]).expect(2);
}

#[test]
fn keeps_the_files_of_a_closed_date_and_reports_what_is_found_there_on_an_open_one() {
    let served = Served::new(&clean(75, "2026-11-02", "2026-11-08", 2, 10));
    let shifting = crate::shifting::Shifting::new(&served);
    let site = shifting.site(&served);
    site.run_range(day("2026-11-02"), day("2026-11-05")).expect(0);
    site.run(&["close", "2026-11-07", "--by", "Anna"]).expect(2);
    site.run(&["close", "2026-11-03", "--by", " "]).expect(2);
    site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(0);
    site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(2);
    let closed = reports::files(&site.reports().join("2026-11-03"));
    let store = Connection::open(site.store()).unwrap();
    let batch: i64 = store
        .query_row(
            "select min(batch_id) from batch where day = '2026-11-03' and sale_amount_minor > 0",
            [],
            |row| row.get(0),
        )
        .unwrap();
    drop(store);
    shifting.shift.lock().unwrap().more.insert(("batches".to_owned(), batch.to_string()), 77);
    // The closed date alone: there is no open one in this run.
    site.run_date(day("2026-11-03")).expect(0);
    assert_eq!(closed, reports::files(&site.reports().join("2026-11-03")));
    site.run_date(day("2026-11-06")).expect(0);
    let found = |date: &str| {
        let mut rows = reports::table(&site.reports(), day(date), "discrepancies.csv");
        rows.retain(|row| row["code"] == "BATCH_SALES_MISMATCH");
        rows
    };
    let rows = found("2026-11-06");
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(rows[0]["explanation"].contains("prior period"), "{rows:?}");
    assert_eq!(rows[0]["first_seen"], "2026-11-03");
    assert_eq!((rows[0]["status"].as_str(), rows[0]["difference"].as_str()), ("new", "0.77"));
    site.run_date(day("2026-11-07")).expect(0);
    let rows = found("2026-11-07");
    assert!(rows[0]["status"] == "open" && rows[0]["explanation"].contains("prior period"));
    assert_eq!(closed, reports::files(&site.reports().join("2026-11-03")));
    site.run(&["verify", "reports"]).expect(0);
    // Taken back, the date says it itself.
    site.run(&["reopen", "2026-11-03", "--by", "Anna", "--note", "late data"]).expect(0);
    site.run(&["reconcile", "--stale"]).expect(0);
    assert_eq!(found("2026-11-03")[0]["status"], "new");
    assert_eq!(found("2026-11-06")[0]["status"], "open");
    assert!(!found("2026-11-06")[0]["explanation"].contains("prior period"));
}
