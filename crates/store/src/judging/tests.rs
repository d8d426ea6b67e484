//! Proves that the cost of a night depends on its own records, however many dates the store has: no
//! statement scans a table that grows with every date.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection};

use super::begin;
use crate::Store;
use crate::dataset;

/// Tables that grow with every date: statements must search them by an index.
const GROWING: [&str; 24] = [
    "audit",
    "authorization",
    "bank_transfer",
    "batch",
    "batch_result",
    "deposit",
    "deposit_result",
    "discrepancy_day",
    "fee",
    "fetch_session",
    "ledger_page",
    "listing",
    "not_evaluated",
    "page",
    "page_body",
    "prior_finding",
    "reading",
    "reconciled_listing",
    "record_version",
    "refund_summary",
    "transfer_listed",
    "transfer_return",
    "transfer_said",
    "transit_result",
];

/// Statements that give matching all records, where it cannot resume from an earlier date.
const AFRESH: [&str; 2] = ["sql/books/known_transfers.sql", "sql/books/returns.sql"];

/// A table or index of the store and the root page that names it in a program of `SQLite`.
fn roots(connection: &Connection) -> BTreeMap<i64, String> {
    let mut statement =
        connection.prepare("select rootpage, tbl_name from main.sqlite_schema").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// The growing tables that `sql` goes through from end to end. The program is read and not the
/// plan, since the plan calls tables by their aliases.
fn scanned(connection: &Connection, sql: &str) -> Vec<String> {
    let roots = roots(connection);
    let mut statement = connection.prepare(&format!("explain {sql}")).unwrap();
    let steps: Vec<(String, i64, i64, i64)> = statement
        .query_map([], |row| Ok((row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut cursors = BTreeMap::new();
    let mut found = Vec::new();
    for (operation, cursor, root, database) in &steps {
        match operation.as_str() {
            // Database 0 is the store, 1 the temporary tables.
            "OpenRead" | "OpenWrite" if *database == 0 => {
                cursors.insert(*cursor, roots.get(root).cloned().unwrap_or_default());
            }
            "OpenRead" | "OpenWrite" | "OpenEphemeral" | "OpenAutoindex" | "OpenPseudo" => {
                cursors.remove(cursor);
            }
            "Rewind" | "Last" => found.extend(cursors.get(cursor).cloned()),
            _ => {}
        }
    }
    found.retain(|table| GROWING.contains(&table.as_str()));
    found.sort();
    found.dedup();
    found
}

/// Searches of an index that cost as much as scanning it: by a kind of bank transfer or a resource,
/// without a date or an id.
const WIDE: [&str; 3] = ["(kind=?)", "(resource=?)", "(resource=? AND selector=?)"];

/// The searches of `sql` that find a large part of a growing table.
fn wide(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("explain query plan {sql}")).unwrap();
    let details: Vec<String> =
        statement.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
    let is_wide = |detail: &String| {
        // A temporary table holds only the records that the date looks at.
        !detail.contains("transfers_key") && WIDE.iter().any(|wide| detail.ends_with(wide))
    };
    details.into_iter().filter(is_wide).collect()
}

fn files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql").join(folder);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
            (name.display().to_string(), std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

#[test]
fn no_statement_walks_through_a_table_that_grows_with_every_date() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tieout.db")).unwrap();
    let connection = store.connection();
    begin(&store, &BTreeSet::new()).unwrap();
    dataset::prepare_lines(&store, &BTreeSet::new(), "2026-11-20".parse().unwrap()).unwrap();
    let mut walks = Vec::new();
    let folders =
        ["asof", "cards", "checks", "report", "plan", "ingest", "export", "books", "banks"];
    for folder in folders {
        let found = files(folder).into_iter().filter(|(name, _)| !AFRESH.contains(&name.as_str()));
        for (name, content) in found {
            let mut batch = Batch::new(connection, &content);
            while let Some(mut statement) = batch.next().unwrap() {
                // Unbound parameters are null, which changes nothing in the plan.
                let sql = statement.expanded_sql().unwrap();
                let first =
                    sql.lines().find(|line| !line.trim().is_empty() && !line.starts_with("--"));
                let first = first.unwrap_or_default().to_owned();
                // Creating an index of a temporary table scans that table; a view has no program.
                let is_view = first.contains(" view ");
                let is_looked_at = !is_view && (folder != "asof" || !first.contains(" index "));
                if is_looked_at {
                    let mut found = scanned(connection, &sql);
                    found.extend(wide(connection, &sql));
                    walks.extend(found.into_iter().map(|what| format!("{name}: {first}: {what}")));
                }
                // Temporary tables and views must be there for the statements that follow.
                if folder == "asof" || first.starts_with("create temp ") {
                    statement.execute([]).unwrap();
                }
            }
        }
    }
    assert!(walks.is_empty(), "{}", walks.join("\n"));
}

#[test]
fn tells_a_walk_from_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tieout.db")).unwrap();
    let cases = [
        ("select count(*) from batch as other where sale_amount_minor > 0", true),
        ("select batch_id from batch order by merchant_id, day", true),
        ("select batch_id from batch where day = '2026-11-20'", false),
        ("select batch_id from batch where batch_id = 1", false),
        ("select session from business_day", false),
    ];
    for (sql, walks) in cases {
        assert_eq!(!scanned(store.connection(), sql).is_empty(), walks, "{sql}");
    }
}
