//! Seals: digests over every result row of a reconciled date, and over imported files and records
//! kept beside, that reveal a row which was changed by hand.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Statement, ToSql};

use super::record_page;
use super::statement::rows;
use super::sums::{self, add_value};
use super::{Store, StoreError, While};
use tieout_model::digest::Digester;

/// The tables that hold the results of a date.
pub(super) const RESULT_TABLES: [&str; 7] = [
    "discrepancy_day",
    "not_evaluated",
    "deposit_result",
    "batch_result",
    "match_page",
    "transit_result",
    "summary_result",
];

/// Further result tables whose rows each shard numbers by itself: the rows of all shards are those
/// of the whole store in another order.
pub(super) const UNORDERED_TABLES: [&str; 4] =
    ["acceptance_result", "bank_match_result", "dispute_result", "journal_result"];

/// Adds the rows of these tables that the stores have for `date`, in any order. A null column is
/// left out, as if a later version had added it.
pub(super) fn add_unordered(
    digester: &mut Digester,
    connections: &[&Connection],
    date: NaiveDate,
) -> rusqlite::Result<()> {
    for table in UNORDERED_TABLES {
        digester.add(table.as_bytes());
        let sql = format!("select * from {table} where business_date = ?1");
        let mut contents = Vec::new();
        for connection in connections {
            let mut statement = connection.prepare_cached(&sql)?;
            let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let mut rows = statement.query([date.to_string()])?;
            let mut ordinal = 0;
            while let Some(row) = rows.next()? {
                let mut bytes = Vec::new();
                for (at, name) in names.iter().enumerate() {
                    let value = row.get_ref(at)?;
                    // Rows are numbered from 0 on: other numbers were not written by the program.
                    let is_right = name == "ordinal" && value == ValueRef::Integer(ordinal);
                    if !is_right && !matches!(value, ValueRef::Null) {
                        add_value(&mut bytes, ValueRef::Text(name.as_bytes()));
                        add_value(&mut bytes, value);
                    }
                }
                contents.push(bytes);
                ordinal += 1;
            }
        }
        contents.sort_unstable();
        for bytes in contents {
            digester.add(&bytes);
        }
    }
    Ok(())
}

/// The digest of every result row of `date`, in order of the primary keys.
pub(super) fn results_digest(connection: &Connection, date: NaiveDate) -> rusqlite::Result<String> {
    let mut digester = Digester::default();
    for table in RESULT_TABLES {
        digester.add(table.as_bytes());
        // Without rowid: a table is in the order of its primary key, and a search by the date
        // returns rows in that order.
        let sql = format!("select * from {table} where business_date = ?1");
        let rows = &mut connection.prepare(&sql)?;
        add_rows(&mut digester, table, rows, [date.to_string()], &[])?;
    }
    add_unordered(&mut digester, &[connection], date)?;
    Ok(digester.finish())
}

/// The number of columns that each sealed table has in schema version 1, whose seals hold all of
/// them. A column that a later migration adds is sealed only where it is not null, so that older
/// seals still fit; an added column is therefore nullable, and null means what its absence meant.
const FIRST_COLUMNS: [(&str, usize); 15] = [
    ("discrepancy_day", 28),
    ("not_evaluated", 5),
    ("deposit_result", 25),
    ("batch_result", 14),
    ("match_page", 3),
    ("transit_result", 9),
    ("summary_result", 18),
    ("merchant", 4),
    ("prior_finding", 26),
    ("ledger_file", 10),
    ("ledger_page", 4),
    ("ledger_quarantine", 4),
    ("bank_file", 11),
    ("bank_line", 9),
    ("bank_span", 4),
];

/// The number of columns of schema version 1 in `table`; 0 for a table that came later.
fn first_columns(table: &str) -> usize {
    FIRST_COLUMNS.iter().find(|(name, _)| *name == table).map_or(0, |(_, count)| *count)
}

/// A table whose rows carry a seal of their own, as no report states all of their columns.
struct Sealed {
    table: &'static str,
    /// The key columns of a row.
    key: &'static [&'static str],
    /// Columns that may change later, besides the seal.
    left_out: &'static [&'static str],
    /// Tables whose rows belong to the row by its first key column, in order of their keys, with
    /// their sealed columns.
    parts: &'static [(&'static str, &'static str)],
    /// The row's name for a person.
    called: &'static str,
}

const SEALED: [Sealed; 5] = [
    Sealed {
        table: "merchant",
        key: &["merchant_id"],
        left_out: &[],
        parts: &[],
        called: "'the stored merchant ' || merchant_id",
    },
    Sealed {
        table: "run_record",
        key: &["business_date"],
        left_out: &[],
        parts: &[],
        called: "'the run record of ' || business_date",
    },
    Sealed {
        table: "prior_finding",
        key: &["closed_date", "discrepancy_id"],
        left_out: &["reported_on", "is_withdrawn"],
        parts: &[],
        called: "'the late finding ' || discrepancy_id || ' in ' || closed_date",
    },
    Sealed {
        table: "ledger_file",
        key: &["file_id"],
        left_out: &["seen"],
        // A page has a digest of its content.
        parts: &[("ledger_page", "file_id, date, page, sha256"), ("ledger_quarantine", "*")],
        called: "'the stored rows of ledger file ' || path",
    },
    Sealed {
        table: "bank_file",
        key: &["file_id"],
        left_out: &[],
        parts: &[("bank_line", "*"), ("bank_span", "*")],
        called: "'the stored lines of bank file ' || path",
    },
];

/// Seals a row of `table` as it stands now, with the rows that belong to it.
pub(super) fn seal(
    connection: &Connection,
    table: &'static str,
    key: &[&dyn ToSql],
) -> rusqlite::Result<()> {
    let Some(sealed) = SEALED.iter().find(|sealed| sealed.table == table) else { return Ok(()) };
    let digest = sealed.digest(connection, key)?;
    let condition = sealed.condition();
    let mut values: Vec<&dyn ToSql> = key.to_vec();
    values.push(&digest);
    let sql = format!("update {table} set seal = ?{} where {condition}", values.len());
    connection.prepare_cached(&sql)?.execute(values.as_slice())?;
    Ok(())
}

/// Whether the row of `table` with this key is as it was sealed.
fn is_sealed(connection: &Connection, table: &'static str, key: &str) -> rusqlite::Result<bool> {
    let Some(sealed) = SEALED.iter().find(|sealed| sealed.table == table) else { return Ok(true) };
    let sql = format!("select seal from {table} where {}", sealed.condition());
    let seal: String = connection.prepare_cached(&sql)?.query_row([key], |row| row.get(0))?;
    Ok(sealed.digest(connection, &[&key])? == seal)
}

impl Sealed {
    fn condition(&self) -> String {
        let places = self.key.iter().enumerate();
        places.map(|(i, name)| format!("{name} = ?{}", i + 1)).collect::<Vec<_>>().join(" and ")
    }

    fn digest(&self, connection: &Connection, key: &[&dyn ToSql]) -> rusqlite::Result<String> {
        let mut digester = Digester::default();
        let sql = format!("select * from {} where {}", self.table, self.condition());
        let left_out: Vec<&str> = self.left_out.iter().copied().chain(["seal"]).collect();
        let row = &mut *connection.prepare_cached(&sql)?;
        add_rows(&mut digester, self.table, row, key, &left_out)?;
        for (part, columns) in self.parts {
            digester.add(part.as_bytes());
            let sql = format!("select {columns} from {part} where {} = ?1", self.key[0]);
            let rows = &mut *connection.prepare_cached(&sql)?;
            add_rows(&mut digester, part, rows, &key[..1], &[])?;
        }
        Ok(digester.finish())
    }

    fn broken(&self, connection: &Connection) -> rusqlite::Result<Vec<String>> {
        let key = self.key.join(", ");
        let sql = format!("select {}, seal, {key} from {} order by {key}", self.called, self.table);
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut broken = Vec::new();
        while let Some(row) = rows.next()? {
            let (called, seal): (String, String) = (row.get(0)?, row.get(1)?);
            let values: Vec<Value> =
                (0..self.key.len()).map(|i| row.get(i + 2)).collect::<rusqlite::Result<_>>()?;
            let values: Vec<&dyn ToSql> = values.iter().map(|value| value as &dyn ToSql).collect();
            if self.digest(connection, &values)? != seal {
                broken.push(format!("{called} was altered: its seal does not fit it"));
            }
        }
        Ok(broken)
    }
}

/// Seals the rows of a table. The names of its first columns are added once, the name of an added
/// column with each value that is not null. Each value has its type and length, so that two
/// contents never read alike.
pub(super) struct TableSeal {
    first: Vec<usize>,
    added: Vec<(usize, String)>,
    bytes: Vec<u8>,
}

impl TableSeal {
    /// Begins with the names of the columns of `statement`, less those that are left out.
    pub(super) fn begin(
        digester: &mut Digester,
        table: &str,
        statement: &Statement<'_>,
        left_out: &[&str],
    ) -> rusqlite::Result<Self> {
        let count = first_columns(table);
        let mut seal = Self { first: Vec::new(), added: Vec::new(), bytes: Vec::new() };
        for index in 0..statement.column_count() {
            let name = statement.column_name(index)?;
            if left_out.contains(&name) {
                continue;
            }
            if index < count {
                digester.add(name.as_bytes());
                seal.first.push(index);
            } else {
                seal.added.push((index, name.to_owned()));
            }
        }
        Ok(seal)
    }

    /// Adds a row; `value` returns the value of a column.
    pub(super) fn row<'row>(
        &mut self,
        digester: &mut Digester,
        value: impl Fn(usize) -> rusqlite::Result<ValueRef<'row>>,
    ) -> rusqlite::Result<()> {
        self.bytes.clear();
        for column in &self.first {
            add_value(&mut self.bytes, value(*column)?);
        }
        for (column, name) in &self.added {
            let value = value(*column)?;
            if !matches!(value, ValueRef::Null) {
                add_value(&mut self.bytes, ValueRef::Text(name.as_bytes()));
                add_value(&mut self.bytes, value);
            }
        }
        digester.add(&self.bytes);
        Ok(())
    }
}

/// Adds the rows of `statement` with the names of their columns.
fn add_rows(
    digester: &mut Digester,
    table: &str,
    statement: &mut Statement<'_>,
    parameters: impl rusqlite::Params,
    left_out: &[&str],
) -> rusqlite::Result<()> {
    let mut seal = TableSeal::begin(digester, table, statement, left_out)?;
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        seal.row(digester, |column| row.get_ref(column))?;
    }
    Ok(())
}

/// The ledger files with pages, of one date or of all, whose records do not match their digest.
fn altered_pages(
    connection: &Connection,
    date: Option<NaiveDate>,
) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "select file.path, page.date, page.sha256, page.ids, page.returned, page.rows \
         from ledger_file as file inner join ledger_page as page using (file_id) \
         where page.date between ?1 and ?2 \
         order by file.path, page.date, page.page",
    )?;
    let date = date.map(|date| date.to_string());
    let date = date.as_deref();
    let mut pages = statement.query([date.unwrap_or(""), date.unwrap_or("~")])?;
    let mut altered = BTreeSet::new();
    while let Some(page) = pages.next()? {
        let (ids, rows) = (page.get_ref(3)?.as_blob()?, page.get_ref(5)?.as_str()?);
        let digest = record_page::digest(ids, page.get(4)?, rows);
        if page.get_ref(2)?.as_str()? != digest {
            let (path, date): (String, String) = (page.get(0)?, page.get(1)?);
            altered.insert(format!(
                "the records of {date} in ledger file {path} were altered: their digest does not \
                 fit them"
            ));
        }
    }
    Ok(altered.into_iter().collect())
}

fn of_table(table: &str) -> String {
    format!("table {table} was altered: its sum does not match its rows")
}

pub(super) fn refuse(found: Option<String>) -> Result<(), StoreError> {
    found.map_or(Ok(()), |found| Err(StoreError::AlteredRows { found }))
}

/// The digest of the current rows of `date`.
///
/// # Errors
/// When the store refuses.
pub fn of_results(store: &Store, date: NaiveDate) -> Result<String, StoreError> {
    results_digest(store.connection(), date).during("sealing the results of a date")
}

/// A digest over the sums of all tables, as rows of the audit trail state it.
///
/// # Errors
/// When the store refuses.
pub fn of_sums(store: &Store) -> Result<String, StoreError> {
    sums::digest(store.connection()).during("reading the sums of tables")
}

/// The digest of the results of `date` when it was last reconciled; `None` when it never was.
///
/// # Errors
/// When the store refuses.
pub fn sealed(store: &Store, date: NaiveDate) -> Result<Option<String>, StoreError> {
    store
        .connection()
        .prepare_cached("select results_digest from run_record where business_date = ?1")
        .and_then(|mut statement| {
            statement.query_row([date.to_string()], |row| row.get(0)).optional()
        })
        .during("reading the seal of a date")
}

/// Refuses a date whose rows do not match its digest.
///
/// # Errors
/// When they are not, or the store refuses.
pub fn refuse_altered(store: &Store, date: NaiveDate) -> Result<(), StoreError> {
    let Some(sealed) = sealed(store, date)? else { return Ok(()) };
    let is_whole = sealed == of_results(store, date)?
        && is_sealed(store.connection(), "run_record", &date.to_string())
            .during("proving the seal of a run record")?;
    if is_whole { Ok(()) } else { Err(StoreError::Altered { business_date: date }) }
}

/// Refuses a store of which a table, or a row with a seal, was altered: for what passes on records
/// of any date.
///
/// # Errors
/// When one was, or the store refuses.
pub fn refuse_altered_rows(store: &Store) -> Result<(), StoreError> {
    // A run that goes on beside it changes nothing between a table and its sum.
    let _view = store.view()?;
    refuse(broken(store)?.into_iter().next())
}

/// Refuses a store of which a ledger file, a bank file or a merchant was altered, each held against
/// its seal: for what passes on the lines of a few dates.
///
/// # Errors
/// When one was, or the store refuses.
pub fn refuse_altered_files(store: &Store) -> Result<(), StoreError> {
    const FILES: [&str; 3] = ["bank_file", "ledger_file", "merchant"];
    let is_file = |table: &str| FILES.contains(&table);
    let altered = sums::altered_of(store.connection(), is_file)
        .during("proving the sums of tables")?
        .first()
        .map(|table| of_table(table));
    refuse(altered)?;
    for sealed in SEALED.iter().filter(|sealed| is_file(sealed.table)) {
        refuse(sealed.broken(store.connection()).during("proving seals")?.into_iter().next())?;
    }
    Ok(())
}

/// Refuses ledger records of a date that do not match the digest of their page.
///
/// # Errors
/// When they do not, or the store refuses.
pub fn refuse_altered_pages(store: &Store, date: NaiveDate) -> Result<(), StoreError> {
    let altered = altered_pages(store.connection(), Some(date));
    refuse(altered.during("proving pages of records")?.into_iter().next())
}

/// Alterations that concern no single date, a sentence each: rows with a seal of their own,
/// rows without their parent, and totals.
///
/// # Errors
/// When the store refuses.
pub fn broken(store: &Store) -> Result<Vec<String>, StoreError> {
    let mut broken: Vec<String> = sums::altered(store.connection())
        .during("proving the sums of tables")?
        .iter()
        .map(|table| of_table(table))
        .collect();
    for sealed in &SEALED {
        broken.extend(sealed.broken(store.connection()).during("proving seals")?);
    }
    broken.extend(altered_pages(store.connection(), None).during("proving pages of records")?);
    let orphans = include_str!("../sql/evidence/orphans.sql");
    let orphans: Vec<String> = rows(store.connection(), orphans, [], |row| {
        let of = match row.get_ref("rows_of")?.as_str()? {
            "page" => "pages of reading",
            "ledger_page" => "records of ledger file",
            _ => "lines of bank file",
        };
        let parent: i64 = row.get("parent_id")?;
        Ok(format!("{of} {parent}, which is not in the store"))
    })
    .during("checking foreign keys")?;
    let wrong_totals = include_str!("../sql/evidence/wrong_totals.sql");
    let wrong_totals: Vec<String> = rows(store.connection(), wrong_totals, [], |row| {
        let (day, merchant): (String, String) = (row.get("day")?, row.get("merchant_id")?);
        let (currency, deposit): (String, i64) = (row.get("currency")?, row.get("ach_deposit_id")?);
        Ok(format!(
            "transaction_total of {day}, merchant {merchant}, {currency}, deposit {deposit} is not \
             what its transactions add up to"
        ))
    })
    .during("adding up transactions")?;
    broken.extend(orphans.into_iter().chain(wrong_totals));
    Ok(broken)
}
