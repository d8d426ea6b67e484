//! Reports can be proved: every alteration in a report folder or in the store is found and named.
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use tieout::night::verify;
use tieout_sandbox::{Kind, WorldOptions};
use tieout_store::{Store, WORKING_NOTES, seal};

use crate::dice::Dice;
use crate::harness::{Served, Site, clean, day, reports};
use crate::shifting::Shifting;

/// The number of altered bytes, and of altered rows of each table, one at a time. More by hand:
/// `ALTERED_TRIALS=50`.
fn trials(usual: usize) -> usize {
    let trials = std::env::var("ALTERED_TRIALS").ok().and_then(|count| count.parse().ok());
    trials.unwrap_or(usual)
}

/// Whether the program publishes the table, or the column of it, as a working note that nothing
/// proves.
fn is_note(name: &str) -> bool {
    WORKING_NOTES.iter().any(|(note, _)| *note == name)
}

/// Tables that are empty in this world: it has no disputes, shards or schedule, every check may be
/// evaluated, and its dates are too few for books to resume from an earlier snapshot. Their sums
/// are tested beside `crates/store/src/sums.rs`.
const MAY_BE_EMPTY: [&str; 10] = [
    "bank_correction",
    "kept_books",
    "kept_name",
    "merchant_part",
    "not_evaluated",
    "schedule_date",
    "schedule_firing",
    "timeless_transfer",
    "undated_return",
    "withdrawn_finding",
];

/// A site with every event that leaves a row: discrepancies of every kind, books and statements,
/// records that changed or vanished after they were reconciled, a closed date with a later finding,
/// and a period.
fn eventful(seed: u64) -> (Served, Site) {
    let plants = ["RETURN_OUTSTANDING", "REFUND_EXCEEDS_PAYMENT", "BATCH_COUNT_MISMATCH"];
    let plants = plants.into_iter().map(str::to_owned).collect();
    let world = clean(seed, "2026-11-02", "2026-11-05", 2, 4);
    let options =
        WorldOptions { plants, kinds: vec![Kind::Disputes, Kind::SplitCaptures], ..world };
    let served = Served::linked(&options);
    let shifting = Shifting::new(&served);
    let site = shifting.site_with_books(&served);
    spoil_rows(&site);
    // Rows of the ledgers are left out, so that runs end with 4.
    site.run_range(day("2026-11-02"), day("2026-11-04")).expect(4);
    site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(0);
    shift(&site, &shifting);
    site.run_range(day("2026-11-02"), day("2026-11-04")).expect(4);
    let rows = reports::table(&site.reports(), day("2026-11-04"), "discrepancies.csv");
    let carried = rows.iter().find(|row| reports::is_carried(row)).unwrap();
    let id = &carried["discrepancy_id"];
    site.run(&["discrepancies", "accept", id, "--by", "Anna", "--note", "waived"]).expect(0);
    site.run_date(day("2026-11-05")).expect(4);
    // Nothing may be stale.
    site.run(&["reconcile", "--stale"]);
    site.run(&["report", "--date", "2026-11-02..2026-11-05"]).expect(4);
    // All answers pass through it.
    drop(shifting);
    (served, site)
}

/// Adds an unreadable row to each ledger.
fn spoil_rows(site: &Site) {
    for file in std::fs::read_dir(site.path().join("ledger")).unwrap() {
        let path = file.unwrap().path();
        let mut text = std::fs::read(&path).unwrap();
        text.extend_from_slice(b"x;x,x\tx|x\n");
        std::fs::write(path, text).unwrap();
    }
}

/// Changes some records of every kind and removes others.
fn shift(site: &Site, shifting: &Shifting) {
    let store = Connection::open(site.store()).unwrap();
    let mut shift = shifting.shift.lock().unwrap();
    for (resource, table, id) in [
        ("batches", "batch", "batch_id"),
        ("ach-deposits", "deposit", "ach_deposit_id"),
        ("authorizations", "authorization", "authorization_id"),
    ] {
        for date in ["2026-11-03", "2026-11-04"] {
            let sql = format!(
                "select cast({id} as text) from {table} where day = '{date}' order by 1 limit 2"
            );
            let ids: Vec<String> = store
                .prepare(&sql)
                .unwrap()
                .query_map([], |row| row.get(0))
                .unwrap()
                .map(Result::unwrap)
                .collect();
            shift.more.insert((resource.to_owned(), ids[0].clone()), 77);
            shift.gone.extend(ids.get(1).map(|id| (resource.to_owned(), id.clone())));
        }
    }
    let payment: String = store
        .query_row("select min(transfer_id) from bank_transfer where kind = 'payment'", [], |row| {
            row.get(0)
        })
        .unwrap();
    shift.more.insert(("bank-transfer-payments".to_owned(), payment), 5);
}

fn problems(site: &Site) -> Vec<String> {
    let store = match Store::open_for_reading(&site.store()) {
        Ok(store) => store,
        Err(error) => return vec![error.to_string()],
    };
    // The fast verification that precedes that of every folder.
    match seal::broken(&store) {
        Ok(broken) if broken.is_empty() => {}
        Ok(broken) => return broken,
        Err(error) => return vec![error.to_string()],
    }
    // The folders in turn, up to the first that does not agree.
    for folder in ["2026-11-04", "2026-11-05", "2026-11-02", "2026-11-03", "periods"] {
        match verify(&store, &site.reports().join(folder), &site.reports(), None, None) {
            Err(error) => return vec![error.to_string()],
            Ok(verified) => {
                let found: Vec<String> =
                    verified.into_iter().flat_map(|one| one.problems).collect();
                if !found.is_empty() {
                    return found;
                }
            }
        }
    }
    Vec::new()
}

#[test]
fn names_every_file_of_which_a_byte_was_altered() {
    let (_served, site) = eventful(71);
    assert_eq!(problems(&site), Vec::<String>::new());
    let mut dice = Dice::new(71);
    let period = "periods/2026-11-02..2026-11-05";
    for folder in ["2026-11-04", period] {
        let folder = site.reports().join(folder);
        let files: Vec<(String, Vec<u8>)> = reports::files(&folder).into_iter().collect();
        // Every file at least once.
        for trial in 0..trials(files.len()) {
            let (name, content) = &files[trial % files.len()];
            let mut altered = content.clone();
            let place = dice.roll(altered.len());
            altered[place] ^= 1 << dice.roll(8);
            std::fs::write(folder.join(name), &altered).unwrap();
            let found = problems_of(&site, &folder);
            let is_named = found.iter().any(|problem| problem.starts_with(name.as_str()));
            assert!(is_named, "byte {place} of {name}: {found:?}");
            std::fs::write(folder.join(name), content).unwrap();
        }
        let is_named =
            |name: &str| problems_of(&site, &folder).iter().any(|one| one.starts_with(name));
        std::fs::write(folder.join("extra.csv"), "x").unwrap();
        assert!(is_named("extra.csv"));
        std::fs::remove_file(folder.join("extra.csv")).unwrap();
        let (csv, manifest) = if folder.ends_with(period) {
            ("days.csv", "period.json")
        } else {
            ("deposits.csv", "run.json")
        };
        for name in [csv, manifest] {
            std::fs::remove_file(folder.join(name)).unwrap();
            assert!(is_named(name), "{name}");
        }
    }
}

fn problems_of(site: &Site, folder: &std::path::Path) -> Vec<String> {
    let store = Store::open_for_reading(&site.store()).unwrap();
    verify(&store, folder, folder, None, None)
        .unwrap()
        .into_iter()
        .flat_map(|one| one.problems)
        .collect()
}

#[test]
fn names_every_row_of_the_store_that_was_altered_by_hand() {
    let (_served, site) = eventful(72);
    assert_eq!(problems(&site), Vec::<String>::new());
    let whole = site.path().join("whole.db");
    site.run(&["backup", "whole.db"]).expect(0);
    let mut dice = Dice::new(72);
    let mut missed = Vec::new();
    let mut altered: BTreeMap<String, usize> = BTreeMap::new();
    for table in tables(&site) {
        for _ in 0..trials(1) {
            for change in [alter, delete] {
                let Some(what) = change(&site, &table, &mut dice) else { continue };
                *altered.entry(table.clone()).or_default() += 1;
                if problems(&site).is_empty() {
                    eprintln!("missed: {what}");
                    missed.push(what);
                }
                site.restore(&whole);
            }
        }
        let is_left = altered.contains_key(&table) || MAY_BE_EMPTY.contains(&table.as_str());
        assert!(is_left, "nothing has happened that leaves a row in {table}");
    }
    let mut columns = columns(&site);
    let mut dice = Dice::new(seed());
    let sample: Vec<_> = (0..trials(COLUMNS).min(columns.len()))
        .map(|_| columns.swap_remove(dice.roll(columns.len())))
        .collect();
    missed.extend(unproved(&site, sample, &mut dice));
    assert!(missed.is_empty(), "seed {}: {}", seed(), missed.join("\n"));
    assert_eq!(problems(&site), Vec::<String>::new());
}

/// The number of columns that the ordinary run alters;
/// [`proves_every_column_of_every_table_but_the_published_notes`] alters every column.
const COLUMNS: usize = 8;

/// The seed that chooses the columns: `ALTERED_SEED` replaces it.
fn seed() -> u64 {
    let seed = std::env::var("ALTERED_SEED").ok().and_then(|seed| seed.parse().ok());
    seed.unwrap_or(73)
}

/// Every column of every table but those of working notes, with its table.
fn columns(site: &Site) -> Vec<(String, String)> {
    let connection = by_hand(site);
    let mut all = Vec::new();
    for table in tables(site) {
        let (columns, rows) = rows_of(&connection, &table);
        let is_proved = |column: &String| !is_note(&format!("{table}.{column}"));
        if !rows.is_empty() {
            all.extend(columns.into_iter().filter(is_proved).map(|one| (table.clone(), one)));
        }
    }
    all
}

/// The alterations of single columns that were not found.
fn unproved(
    site: &Site,
    columns: impl IntoIterator<Item = (String, String)>,
    dice: &mut Dice,
) -> Vec<String> {
    let connection = by_hand(site);
    let mut missed = Vec::new();
    for (table, column) in columns {
        let Some(altered) = alter_in(&connection, &table, Some(&column), dice) else { continue };
        if problems(site).is_empty() {
            missed.push(altered.what.clone());
        }
        altered.put_back(&connection);
    }
    missed
}

/// Every table but those of working notes.
fn tables(site: &Site) -> Vec<String> {
    let store = Connection::open(site.store()).unwrap();
    let sql = "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' \
               order by name";
    let mut statement = store.prepare(sql).unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).filter(|name: &String| !is_note(name)).collect()
}

/// A connection without the store's safeguards, as a person with a tool of their own has it.
fn by_hand(site: &Site) -> Connection {
    let connection = Connection::open(site.store()).unwrap();
    connection
        .execute_batch("pragma foreign_keys = off; pragma ignore_check_constraints = on")
        .unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false).unwrap();
    connection
}

fn rows_of(connection: &Connection, table: &str) -> (Vec<String>, Vec<Vec<Value>>) {
    let mut statement = connection.prepare(&format!("select * from {table}")).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let count = names.len();
    let rows =
        statement.query_map([], |row| (0..count).map(|index| row.get(index)).collect()).unwrap();
    let rows = rows.map(Result::unwrap).collect();
    (names, rows)
}

fn same_row(names: &[String]) -> String {
    let conditions: Vec<String> =
        names.iter().enumerate().map(|(i, name)| format!("{name} is ?{}", i + 1)).collect();
    conditions.join(" and ")
}

/// An altered row: a description, and the statement that restores it.
struct Altered {
    what: String,
    undo: String,
    values: Vec<Value>,
}

impl Altered {
    fn put_back(&self, connection: &Connection) {
        let values = rusqlite::params_from_iter(self.values.iter().cloned());
        assert_eq!(connection.execute(&self.undo, values).unwrap(), 1, "{}", self.what);
    }
}

/// Alters a column of some row; the one that `column` names, or any that is proved.
fn alter_in(
    connection: &Connection,
    table: &str,
    column: Option<&str>,
    dice: &mut Dice,
) -> Option<Altered> {
    let (names, rows) = rows_of(connection, table);
    let mut row = dice.pick(&rows)?.clone();
    let proved: Vec<usize> = (0..names.len())
        .filter(|index| !is_note(&format!("{table}.{}", names[*index])))
        .filter(|index| column.is_none_or(|column| names[*index] == column))
        .collect();
    let column = *dice.pick(&proved)?;
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
    // A value that the column refuses, or a key that exists, is not an alteration.
    let changed = connection.execute(&sql, rusqlite::params_from_iter(values)).ok()?;
    let what = format!("{table}.{} {:?} -> {after:?}: {row:?}", names[column], row[column]);
    let before = std::mem::replace(&mut row[column], after);
    let values = row.into_iter().chain([before]).collect();
    (changed > 0).then_some(Altered { what, undo: sql, values })
}

fn alter(site: &Site, table: &str, dice: &mut Dice) -> Option<String> {
    alter_in(&by_hand(site), table, None, dice).map(|altered| altered.what)
}

#[test]
#[ignore = "takes most of an hour: every column of every table, each alone"]
fn proves_every_column_of_every_table_but_the_published_notes() {
    let (_served, site) = eventful(72);
    assert_eq!(problems(&site), Vec::<String>::new());
    let missed = unproved(&site, columns(&site), &mut Dice::new(seed()));
    assert!(missed.is_empty(), "seed {}: {}", seed(), missed.join("\n"));
}

#[test]
fn publishes_what_it_does_not_prove() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence.md");
    let page = std::fs::read_to_string(path).unwrap();
    for (name, reason) in WORKING_NOTES {
        assert!(page.contains(&format!("| `{name}` | {reason} |")), "| `{name}` | {reason} |");
    }
}

fn delete(site: &Site, table: &str, dice: &mut Dice) -> Option<String> {
    let connection = by_hand(site);
    let (names, rows) = rows_of(&connection, table);
    let row = dice.pick(&rows)?.clone();
    let sql = format!("delete from {table} where {}", same_row(&names));
    let deleted = connection.execute(&sql, rusqlite::params_from_iter(row.iter().cloned()));
    (deleted.unwrap() > 0).then(|| format!("{table}: deleted {row:?}"))
}
