//! Proves stored records by their pages: each reading is ingested once more, into a store in
//! memory, and what the store holds of it must be the same.

mod pages;
mod past;
mod rows;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::OptionalExtension;
use rusqlite::types::Value;

use super::{Store, StoreError, While};
use crate::model::{Listing, Record};
use pages::Unproved;
use rows::{difference, key_of, parts, row_of, rows, shown};

/// Reads the records of a page that was kept: listing, page number, JSON.
pub type ReadEvidence<'run> = &'run dyn Fn(&Listing, u32, &[u8]) -> Option<Vec<Record>>;

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

/// A table of records, and how a row is found and named.
struct Table {
    name: &'static str,
    /// Columns that make a row the same one.
    key: &'static [&'static str],
    /// Where its reading stands.
    reading: &'static str,
    /// Columns that say how it was stored, and nothing that the page says.
    ignored: &'static [&'static str],
    /// Columns of schema 3: what was read before it leaves them unknown.
    added: &'static [&'static str],
}

const RECORDS: [Table; 6] = [
    Table {
        name: "deposit",
        key: &["ach_deposit_id"],
        reading: "reading",
        ignored: &["first_reading", "content", "gone_in"],
        added: &[],
    },
    Table {
        name: "batch",
        key: &["batch_id"],
        reading: "reading",
        ignored: &["first_reading", "content", "gone_in"],
        added: &[],
    },
    Table {
        name: "authorization",
        key: &["authorization_id"],
        reading: "reading",
        ignored: &["first_reading", "content", "gone_in"],
        added: &[],
    },
    Table {
        name: "card_transaction",
        key: &["transaction_id"],
        reading: "reading",
        ignored: &["content", "gone_in"],
        added: &["status", "settled_by"],
    },
    Table {
        name: "bank_transfer",
        key: &["kind", "transfer_id"],
        reading: "reading",
        ignored: &["transfer_number", "first_reading", "content"],
        added: &[],
    },
    Table {
        name: "dispute",
        key: &["dispute_id"],
        reading: "reading",
        ignored: &["content", "gone_in"],
        added: &[],
    },
];

const FEE: Table = Table {
    name: "fee",
    key: &["listing_id", "ordinal"],
    reading: "reading",
    ignored: &[],
    added: &[],
};

const DISPUTE_STATUS: Table = Table {
    name: "dispute_status",
    key: &["listing_id", "ordinal"],
    reading: "reading",
    ignored: &[],
    added: &[],
};

const LISTED: Table = Table {
    name: "listed_transfer",
    key: &["listing_id", "transfer_id"],
    reading: "reading",
    ignored: &["first_reading"],
    added: &[],
};

type Columns = BTreeMap<String, Value>;

/// Forgets the reading that was ingested by itself.
const EMPTY: &str = "
    delete from deposit; delete from batch; delete from authorization; delete from fee;
    delete from card_transaction; delete from transfer_listed; delete from transfer_return;
    delete from refund_summary; delete from bank_transfer; delete from record_version;
    delete from overtaken; delete from page; delete from page_body; delete from reading;
    delete from listing; delete from merchant; delete from dispute; delete from dispute_status;
";

/// A store in memory for records without what they belong to.
fn loose() -> Result<Store, StoreError> {
    let store = Store::in_memory()?;
    store.connection().pragma_update(None, "foreign_keys", false).during(DURING)?;
    Ok(store)
}

const DURING: &str = "proving records by their pages";

/// A prover of one store.
pub struct Prover<'run> {
    store: &'run Store,
    replayed: Store,
    /// Reading to whether its pages could be ingested.
    readings: BTreeMap<i64, bool>,
    read: ReadEvidence<'run>,
    proof: Proof,
    /// The reading that was ingested by itself last: neighbours ask for the same one.
    alone: Store,
    alone_in: Option<i64>,
    /// Where the triggers of the store say how a record is kept when it changes.
    scratch: Store,
    /// The newest reading before an upgrade that added columns.
    upgraded_at: i64,
}

impl<'run> Prover<'run> {
    /// A prover that has proved nothing yet.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(store: &'run Store, read: ReadEvidence<'run>) -> Result<Self, StoreError> {
        let upgraded_at = store
            .connection()
            .query_row("select max(up_to_reading) from upgraded", [], |row| row.get(0))
            .during(DURING)?;
        Ok(Self {
            store,
            replayed: Store::in_memory()?,
            readings: BTreeMap::new(),
            read,
            proof: Proof::default(),
            alone: loose()?,
            alone_in: None,
            scratch: loose()?,
            upgraded_at,
        })
    }

    /// What was found so far.
    pub fn finish(self) -> Proof {
        self.proof
    }

    /// Proves a reading: its pages, its digest, and every record that it brought.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn reading(&mut self, reading: i64) -> Result<(), StoreError> {
        if !self.replay(reading).during(DURING)? {
            return Ok(());
        }
        for table in RECORDS.iter().chain([&FEE, &DISPUTE_STATUS, &LISTED]) {
            let brought = rows(self.replayed.connection(), table, "reading", &reading.to_string())
                .during(DURING)?;
            for row in brought {
                self.is_stored(table, &row, reading)?;
                let is_transfer = table.name == "bank_transfer";
                if is_transfer
                    && row_of(self.store.connection(), table, &row).during(DURING)?.is_some()
                {
                    self.transfer(&row)?;
                }
            }
        }
        Ok(())
    }

    /// Proves every settlement record of `date` that the store holds, and what bank transfers
    /// it lists for that date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn records_of(&mut self, date: NaiveDate) -> Result<(), StoreError> {
        let day = date.to_string();
        for table in RECORDS[..4].iter().chain(&RECORDS[5..]) {
            for row in rows(self.store.connection(), table, "day", &day).during(DURING)? {
                self.is_brought(table, &row)?;
                self.is_rightly_gone(table, &row)?;
                self.was_brought(table, &row)?;
                self.names_a_merchant(table, &row)?;
            }
        }
        self.readings_for(&day)?;
        let mut statement = self
            .store
            .connection()
            .prepare(include_str!("../../sql/evidence/listings_of_date.sql"))
            .during(DURING)?;
        let listings: Vec<i64> = statement
            .query_map([&day], |row| row.get(0))
            .and_then(Iterator::collect)
            .during(DURING)?;
        for listing in listings {
            let listing = listing.to_string();
            for table in [&LISTED, &FEE] {
                let found = rows(self.store.connection(), table, "listing_id", &listing);
                for row in found.during(DURING)? {
                    self.is_brought(table, &row)?;
                    if table.name == LISTED.name {
                        self.transfer(&row)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn transfer(&mut self, listed: &Columns) -> Result<(), StoreError> {
        let key = (&listed["kind"], &listed["transfer_id"]);
        let table = &RECORDS[4];
        let Some(row) = row_of(self.store.connection(), table, listed).during(DURING)? else {
            self.proof.problems.insert(format!(
                "{} {} is listed, and not stored",
                shown(key.0),
                shown(key.1)
            ));
            return Ok(());
        };
        self.is_brought(table, &row)?;
        self.was_brought(table, &row)?;
        let (Value::Text(id), Value::Integer(reading)) = (key.1, &row["reading"]) else {
            return Ok(());
        };
        if shown(key.0) != "payment" || !self.replay(*reading).during(DURING)? {
            return Ok(());
        }
        self.read_alone(*reading).during(DURING)?;
        for table in ["transfer_return", "refund_summary"] {
            let stored = parts(self.store.connection(), table, id).during(DURING)?;
            let brought = parts(self.alone.connection(), table, id).during(DURING)?;
            if stored != brought {
                self.proof
                    .problems
                    .insert(format!("payment {id}: table {table} does not say what its page says"));
            }
        }
        Ok(())
    }

    /// What the store holds must be what its reading brought.
    fn is_brought(&mut self, table: &Table, row: &Columns) -> Result<(), StoreError> {
        let Value::Integer(reading) = row[table.reading] else { return Ok(()) };
        if !self.replay(reading).during(DURING)? {
            return Ok(());
        }
        let key = key_of(table, row);
        // A record of several replayed readings is there as the newest says: ask for this one.
        let replayed = self.as_read_in(table, row, reading).during(DURING)?;
        match replayed {
            None => {
                self.proof.problems.insert(format!(
                    "{} {key} is stored, and no page of its reading holds it",
                    table.name
                ));
            }
            Some(replayed) => {
                match difference(table, row, &replayed, reading <= self.upgraded_at) {
                    None => self.proof.proved += 1,
                    Some((column, said, page)) => {
                        self.proof.problems.insert(format!(
                            "{} {key}: {column} is {said} in the store, {page} on its page",
                            table.name
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// What a reading brought must be in the store, as it said or as a newer one says.
    fn is_stored(
        &mut self,
        table: &Table,
        brought: &Columns,
        reading: i64,
    ) -> Result<(), StoreError> {
        let stored = row_of(self.store.connection(), table, brought).during(DURING)?;
        let newer = |row: &Columns| matches!(row[table.reading], Value::Integer(r) if r > reading);
        match stored {
            Some(row) if newer(&row) => Ok(()),
            Some(row) => self.is_brought(table, &row),
            // Fees are replaced by the newest reading of their listing; a transfer that ran on
            // another local date than was asked for is not kept.
            None if brought.contains_key("listing_id")
                && !self.is_current_and_whole(brought, reading).during(DURING)? =>
            {
                Ok(())
            }
            None if table.name == "bank_transfer" => Ok(()),
            None => {
                self.proof.problems.insert(format!(
                    "{} {} is on its page, and not stored",
                    table.name,
                    key_of(table, brought)
                ));
                Ok(())
            }
        }
    }

    /// Whether the listing rests on this very reading, and keeps every record of its pages.
    fn is_current_and_whole(&self, brought: &Columns, reading: i64) -> rusqlite::Result<bool> {
        self.store
            .connection()
            .prepare_cached(
                "select exists (select 1 from listing where listing_id = ?1 \
                 and reading_id = ?2 and selector not in ('run', 'unsettled', 'returned'))",
            )?
            .query_row((&brought["listing_id"], reading), |row| row.get(0))
    }

    /// A record is missing from its listing when a complete reading missed it, and only then.
    fn is_rightly_gone(&mut self, table: &Table, row: &Columns) -> Result<(), StoreError> {
        let (Value::Integer(reading), Value::Text(day)) = (&row["reading"], &row["day"]) else {
            return Ok(());
        };
        let newest: Option<i64> = self
            .store
            .connection()
            .prepare_cached(include_str!("../../sql/evidence/newest_of_date.sql"))
            .and_then(|mut statement| {
                statement.query_row((table.name, day), |row| row.get(0)).optional()
            })
            .during(DURING)?;
        let problem = match (&row["gone_in"], newest) {
            (Value::Null, Some(newest)) if newest > *reading => "is not on the newest page",
            (Value::Integer(gone), _) if self.held_back(table, row, *gone)? => {
                "is said to be gone, and is not"
            }
            _ => return Ok(()),
        };
        self.proof.problems.insert(format!("{} {} {problem}", table.name, key_of(table, row)));
        Ok(())
    }

    /// Whether the reading that a record is said to be missing from holds it, or is none.
    fn held_back(&mut self, table: &Table, row: &Columns, gone: i64) -> Result<bool, StoreError> {
        let verdict: Option<String> = self
            .store
            .connection()
            .query_row("select verdict from reading where reading_id = ?1", [gone], |row| {
                row.get(0)
            })
            .optional()
            .during(DURING)?;
        if verdict.as_deref() != Some("complete") {
            return Ok(true);
        }
        if !self.replay(gone).during(DURING)? {
            return Ok(false);
        }
        Ok(self.as_read_in(table, row, gone).during(DURING)?.is_some())
    }

    fn as_read_in(
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
    fn read_alone(&mut self, reading: i64) -> rusqlite::Result<()> {
        if self.alone_in != Some(reading) {
            self.alone.connection().execute_batch(EMPTY)?;
            self.ingest(&self.alone, reading)?;
            self.alone_in = Some(reading);
        }
        Ok(())
    }

    /// Ingests the pages of a reading; `false` when they cannot be, which is said once.
    fn replay(&mut self, reading: i64) -> rusqlite::Result<bool> {
        if let Some(is_replayed) = self.readings.get(&reading) {
            return Ok(*is_replayed);
        }
        let is_replayed = self.are_pages_whole(reading)?;
        if is_replayed {
            self.ingest(&self.replayed, reading)?;
        }
        self.readings.insert(reading, is_replayed);
        Ok(is_replayed)
    }

    /// Whether the pages of a reading are what was received; what is not is said.
    fn are_pages_whole(&mut self, reading: i64) -> rusqlite::Result<bool> {
        match self.prove_pages(reading)? {
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
