//! Proves stored records by their pages: each reading is ingested once more, into a store in
//! memory, and must give the stored rows.

mod compared;
mod pages;
mod past;
mod prover;
mod tables;

use chrono::NaiveDate;
use rusqlite::OptionalExtension;
use rusqlite::types::Value;

use super::seal::refuse;
use super::{StoreError, While};
use compared::{difference, key_of, parts, row_of, rows, select, shown};
pub use pages::ReadEvidence;
use prover::DURING;
pub use prover::{Proof, Prover};
use tables::{Columns, DISPUTE_STATUS, FEE, LISTED, RECORDS, Table};

impl Prover<'_> {
    /// Proves a reading: its pages, its digest, and every record that it brought.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn reading(&mut self, reading: i64) -> Result<(), StoreError> {
        if let Some(proved) = self.known.readings.get(&reading) {
            self.proof.proved += proved;
            return Ok(());
        }
        let before = self.proof.proved;
        self.prove_reading(reading)?;
        if self.is_clean() {
            self.known.readings.insert(reading, self.proof.proved - before);
        }
        Ok(())
    }

    fn prove_reading(&mut self, reading: i64) -> Result<(), StoreError> {
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

    /// Proves every settlement record of `date` in the store, and the bank transfers that it lists
    /// for that date.
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
            .prepare_cached(include_str!("../sql/evidence/listings_of_date.sql"))
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

    /// Refuses a date of which a record differs from its page. Where nothing of the date was read up to
    /// `reading`, its records have just come from their pages.
    ///
    /// # Errors
    /// When one does, or the store refuses.
    pub fn refuse_altered(&mut self, date: NaiveDate, reading: i64) -> Result<(), StoreError> {
        let is_older: bool = self
            .store
            .connection()
            .prepare_cached(include_str!("../sql/evidence/has_older_readings.sql"))
            .and_then(|mut statement| {
                statement.query_row((date.to_string(), reading), |row| row.get(0))
            })
            .during(DURING)?;
        if is_older {
            self.records_of(date)?;
        }
        refuse(self.finish()?.problems.into_iter().next())
    }

    /// Proves every dispute and every status of one, whatever day it is listed under: what is open is
    /// read again for later dates.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn disputes(&mut self) -> Result<Proof, StoreError> {
        for table in [&RECORDS[5], &DISPUTE_STATUS] {
            let sql = format!("select * from {} order by {}", table.name, table.key.join(", "));
            let stored = self.store.connection().prepare(&sql);
            let stored = stored.and_then(|mut statement| select(&mut statement, []));
            for row in stored.during(DURING)? {
                self.is_brought(table, &row)?;
            }
        }
        self.finish()
    }

    /// Proves a listed bank transfer once; as a record it is counted with its own reading.
    fn transfer(&mut self, listed: &Columns) -> Result<(), StoreError> {
        let name = (shown(&listed["kind"]), shown(&listed["transfer_id"]));
        if self.known.transfers.contains(&name) {
            return Ok(());
        }
        let before = self.proof.proved;
        self.prove_transfer(listed)?;
        self.proof.proved = before;
        if self.is_clean() {
            self.known.transfers.insert(name);
        }
        Ok(())
    }

    fn prove_transfer(&mut self, listed: &Columns) -> Result<(), StoreError> {
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
                    .insert(format!("payment {id}: table {table} differs from its page"));
            }
        }
        Ok(())
    }

    /// A stored record must be the one that its reading brought.
    fn is_brought(&mut self, table: &Table, row: &Columns) -> Result<(), StoreError> {
        let Value::Integer(reading) = row[table.reading] else { return Ok(()) };
        if !self.replay(reading).during(DURING)? {
            return Ok(());
        }
        let key = key_of(table, row);
        // A record of several replayed readings has the content of the newest: read that of this
        // one.
        let replayed = self.as_read_in(table, row, reading).during(DURING)?;
        match replayed {
            None => {
                self.proof.problems.insert(format!(
                    "{} {key} is stored, and no page of its reading holds it",
                    table.name
                ));
            }
            Some(replayed) => match difference(table, row, &replayed) {
                None => self.proof.proved += 1,
                Some((column, said, page)) => {
                    self.proof.problems.insert(format!(
                        "{} {key}: {column} is {said} in the store, {page} on its page",
                        table.name
                    ));
                }
            },
        }
        Ok(())
    }

    /// A record that a reading brought must be stored, with its content or that of a newer reading.
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
            // Fees of an older reading were replaced; a transfer of another local date than the
            // requested one was left out.
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

    /// Whether the listing rests on this reading, and keeps every record of its pages.
    fn is_current_and_whole(&self, brought: &Columns, reading: i64) -> rusqlite::Result<bool> {
        self.store
            .connection()
            .prepare_cached(
                "select exists (select 1 from listing where listing_id = ?1 \
                 and reading_id = ?2 and selector not in ('run', 'unsettled', 'returned'))",
            )?
            .query_row((&brought["listing_id"], reading), |row| row.get(0))
    }

    /// A record is marked as delisted when a complete reading missed it, and only then.
    fn is_rightly_gone(&mut self, table: &Table, row: &Columns) -> Result<(), StoreError> {
        let (Value::Integer(reading), Value::Text(day)) = (&row["reading"], &row["day"]) else {
            return Ok(());
        };
        let newest: Option<i64> = self
            .store
            .connection()
            .prepare_cached(include_str!("../sql/evidence/newest_of_date.sql"))
            .and_then(|mut statement| {
                statement.query_row((table.name, day), |row| row.get(0)).optional()
            })
            .during(DURING)?;
        let problem = match (&row["gone_in"], newest) {
            (Value::Null, Some(newest)) if newest > *reading => "is not on the newest page",
            (Value::Integer(gone), _) if self.held_back(table, row, *gone)? => {
                "is marked as no longer listed, but a page lists it"
            }
            _ => return Ok(()),
        };
        self.proof.problems.insert(format!("{} {} {problem}", table.name, key_of(table, row)));
        Ok(())
    }

    /// Whether the reading that a record is said to be missing from holds it, or is not complete.
    fn held_back(&mut self, table: &Table, row: &Columns, gone: i64) -> Result<bool, StoreError> {
        let verdict: Option<String> = self
            .store
            .connection()
            .prepare_cached("select verdict from reading where reading_id = ?1")
            .and_then(|mut statement| statement.query_row([gone], |row| row.get(0)).optional())
            .during(DURING)?;
        if verdict.as_deref() != Some("complete") {
            return Ok(true);
        }
        if !self.replay(gone).during(DURING)? {
            return Ok(false);
        }
        Ok(self.as_read_in(table, row, gone).during(DURING)?.is_some())
    }
}
