//! A prover and the stores that it ingests readings into.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use rusqlite::types::Value;

use super::pages::{ReadEvidence, Unproved, ingest, prove_pages};
use super::rows::row_of;
use super::tables::{Columns, Table};
use crate::{Store, StoreError, While};

/// What proves a date, and what does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// What was altered or is damaged, a sentence each.
    pub problems: BTreeSet<String>,
    /// Pages that retention has removed: what they brought can no longer be proved.
    pub pruned: BTreeSet<String>,
    /// Records that their pages prove.
    pub proved: u64,
}

/// The tables that ingesting fills, before those that they refer to.
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

/// Forgets what was ingested.
fn empty(connection: &Connection) -> rusqlite::Result<()> {
    for table in FILLED {
        connection.prepare_cached(&format!("delete from {table}"))?.execute([])?;
    }
    Ok(())
}

/// Statements that are kept prepared: those that ingest every kind of record, and those that compare.
const STATEMENTS: usize = 128;

/// A store in memory, of which nothing is committed.
fn in_memory() -> Result<Store, StoreError> {
    let store = Store::in_memory()?;
    store.connection().set_prepared_statement_cache_capacity(STATEMENTS);
    store.connection().execute_batch("begin").during(DURING)?;
    Ok(store)
}

/// The same for records without what they belong to.
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
    /// The reading that was ingested by itself last: neighbours ask for the same one.
    pub(super) alone: Store,
    alone_in: Option<i64>,
    /// Where the triggers of the store say how a record is kept when it changes.
    pub(super) scratch: Store,
    /// What needs no second proof, as dates rest on the same readings.
    pub(super) known: Known,
}

/// What was proved when there was no problem yet: readings with the number of their records, and
/// bank transfers by kind and id.
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

    /// What was found so far. What follows begins anew, but for what needs no second proof; the
    /// records of one date at a time are in memory.
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

    /// Whether everything so far is as it was received.
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
            // Every reading that held it would have left it there.
            None => Ok(None),
            Some(found) if found[table.reading] == Value::Integer(reading) => Ok(Some(found)),
            // A newer one overwrote what this one says.
            Some(_) => {
                self.read_alone(reading)?;
                let found = row_of(self.alone.connection(), table, row)?;
                Ok(found.filter(|found| found[table.reading] == Value::Integer(reading)))
            }
        }
    }

    /// Ingests a reading that can be, and no other.
    pub(super) fn read_alone(&mut self, reading: i64) -> rusqlite::Result<()> {
        if self.alone_in != Some(reading) {
            empty(self.alone.connection())?;
            ingest(self.store, self.read, &self.alone, reading)?;
            self.alone_in = Some(reading);
        }
        Ok(())
    }

    /// Ingests the pages of a reading; `false` when they cannot be, which is said once.
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

    /// Whether the pages of a reading are what was received; what is not is said.
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
