//! A prover and the stores that it ingests readings into.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use rusqlite::types::Value;

use super::compared::row_of;
use super::pages::{ReadEvidence, Unproved, ingest, prove_pages};
use super::tables::{Columns, Table};
use crate::{Store, StoreError, While};

/// The result of proving a date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Altered or damaged evidence, a sentence each.
    pub problems: BTreeSet<String>,
    /// Pages that retention has removed: the records that they brought can no longer be proved.
    pub pruned: BTreeSet<String>,
    /// The number of records that their pages prove.
    pub proved: u64,
}

/// The tables that ingesting fills, each before those that it refers to.
const FILLED: [&str; 18] = [
    "deposit",
    "batch",
    "authorization",
    "fee",
    "card_transaction",
    "transfer_listed",
    "transfer_return",
    "refund_summary",
    "bank_transfer",
    "record_version",
    "overtaken",
    "page",
    "page_body",
    "dispute_status",
    "dispute",
    "reading",
    "listing",
    "merchant",
];

/// Deletes everything that was ingested.
fn empty(connection: &Connection) -> rusqlite::Result<()> {
    for table in FILLED {
        connection.prepare_cached(&format!("delete from {table}"))?.execute([])?;
    }
    Ok(())
}

/// Prepared statements to keep: those that ingest every kind of record, and those that compare.
const STATEMENTS: usize = 128;

/// A store in memory, with a transaction open.
fn in_memory() -> Result<Store, StoreError> {
    let store = Store::in_memory()?;
    store.connection().set_prepared_statement_cache_capacity(STATEMENTS);
    store.connection().execute_batch("begin").during(DURING)?;
    Ok(store)
}

/// A store in memory without foreign keys, for records whose parents are not ingested.
fn loose() -> Result<Store, StoreError> {
    let store = in_memory()?;
    let sql = "commit; pragma foreign_keys = off; begin";
    store.connection().execute_batch(sql).during(DURING)?;
    Ok(store)
}

pub(super) const DURING: &str = "proving records by their pages";

/// A prover of one store.
pub struct Prover<'run> {
    pub(super) store: &'run Store,
    pub(super) replayed: Store,
    /// Reading to whether its pages could be ingested.
    pub(super) readings: BTreeMap<i64, bool>,
    read: ReadEvidence<'run>,
    pub(super) proof: Proof,
    /// Holds the reading that was last ingested by itself: neighbouring records need the same one.
    pub(super) alone: Store,
    alone_in: Option<i64>,
    /// Where the store's triggers write the version of a record that a change keeps.
    pub(super) scratch: Store,
    /// Records that need no second proof, as dates share readings.
    pub(super) known: Known,
}

/// Readings and bank transfers that were proved while there was no problem: readings with their
/// number of records, bank transfers by kind and id.
#[derive(Default)]
pub(super) struct Known {
    pub(super) readings: BTreeMap<i64, u64>,
    pub(super) transfers: BTreeSet<(String, String)>,
}

impl<'run> Prover<'run> {
    /// A prover that has proved nothing yet.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(store: &'run Store, read: ReadEvidence<'run>) -> Result<Self, StoreError> {
        store.connection().set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(Self {
            store,
            replayed: in_memory()?,
            readings: BTreeMap::new(),
            read,
            proof: Proof::default(),
            alone: loose()?,
            alone_in: None,
            scratch: loose()?,
            known: Known::default(),
        })
    }

    /// Returns the proof so far and begins a new one. Only the proved readings and bank transfers
    /// that need no second proof are kept, so that memory holds the records of one date at a time.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn finish(&mut self) -> Result<Proof, StoreError> {
        self.readings.clear();
        let connection = self.replayed.connection();
        empty(connection).during(DURING)?;
        connection.execute_batch("commit; begin").during(DURING)?;
        Ok(std::mem::take(&mut self.proof))
    }

    /// Whether there is no problem and no pruned page so far.
    pub(super) fn is_clean(&self) -> bool {
        self.proof.problems.is_empty() && self.proof.pruned.is_empty()
    }

    pub(super) fn as_read_in(
        &mut self,
        table: &Table,
        row: &Columns,
        reading: i64,
    ) -> rusqlite::Result<Option<Columns>> {
        let connection = self.replayed.connection();
        let newest = row_of(connection, table, row)?;
        match newest {
            // A reading that held the record would have left a row.
            None => Ok(None),
            Some(found) if found[table.reading] == Value::Integer(reading) => Ok(Some(found)),
            // A newer reading overwrote the row.
            Some(_) => {
                self.read_alone(reading)?;
                let found = row_of(self.alone.connection(), table, row)?;
                Ok(found.filter(|found| found[table.reading] == Value::Integer(reading)))
            }
        }
    }

    /// Ingests one reading by itself; its pages must be whole.
    pub(super) fn read_alone(&mut self, reading: i64) -> rusqlite::Result<()> {
        if self.alone_in != Some(reading) {
            empty(self.alone.connection())?;
            ingest(self.store, self.read, &self.alone, reading)?;
            self.alone_in = Some(reading);
        }
        Ok(())
    }

    /// Ingests the pages of a reading; `false` when they cannot be ingested, which is noted once.
    pub(super) fn replay(&mut self, reading: i64) -> rusqlite::Result<bool> {
        if let Some(is_replayed) = self.readings.get(&reading) {
            return Ok(*is_replayed);
        }
        let is_replayed = self.are_pages_whole(reading)?;
        if is_replayed {
            ingest(self.store, self.read, &self.replayed, reading)?;
        }
        self.readings.insert(reading, is_replayed);
        Ok(is_replayed)
    }

    /// Whether the pages of a reading are as they were received; else notes the problem.
    pub(super) fn are_pages_whole(&mut self, reading: i64) -> rusqlite::Result<bool> {
        match prove_pages(self.store, reading)? {
            Some(Unproved::Pruned(what)) => {
                self.proof.pruned.insert(what);
                Ok(false)
            }
            Some(Unproved::Altered(what)) => {
                self.proof.problems.insert(what);
                Ok(false)
            }
            None => Ok(true),
        }
    }
}
