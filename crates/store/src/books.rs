//! The merchants' own books in the store: what ledger files gave, and what matching them came
//! to. A file that is read again replaces what it gave before, in one transaction.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use rusqlite::{Connection, OptionalExtension, Row};

use super::columns::{Repeated, short};
use super::columns::{date_column, kept, wrong};
use super::ingest::bound::{Bound, DateText, integer, text};
use super::ledger_import::{IMPORTING, forget_file, replace_file};
use super::seal::seal;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::MatchRow;
use tieout_model::money::{Currency, Minor};

/// A ledger file as it was read last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFileState {
    pub ledger: String,
    pub path: String,
    pub rows: u64,
    pub quarantined: u64,
    /// The first row that was left out, with line, column and reason.
    pub first_fault: Option<String>,
    /// Mapped headers that it does not have; empty without any.
    pub absent_columns: String,
    /// Why it could not be read.
    pub error: Option<String>,
    /// The newest date of a record.
    pub last_date: Option<NaiveDate>,
}

impl Store {
    /// Whether what the store holds of a file (its ledger, path and the digest of the settings) came
    /// from a file of that size and those times.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn has_seen_ledger_file(
        &self,
        (ledger, path, configuration_digest): (&str, &str, &str),
        seen: &str,
    ) -> Result<bool, StoreError> {
        let same: Option<bool> = self
            .connection
            .query_row(
                "select coalesce(seen = ?4, 0) and configuration_digest = ?3 and error is null \
                 from ledger_file where ledger = ?1 and path = ?2",
                (ledger, path, configuration_digest, seen),
                |row| row.get(0),
            )
            .optional()
            .during(IMPORTING)?;
        Ok(same.unwrap_or(false))
    }

    /// Whether it came from these bytes under these settings.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn has_ledger_file(
        &self,
        (ledger, path, configuration_digest): (&str, &str, &str),
        sha256: &str,
    ) -> Result<bool, StoreError> {
        let same: Option<bool> = self
            .connection
            .query_row(
                "select sha256 = ?4 and configuration_digest = ?3 and error is null \
                 from ledger_file where ledger = ?1 and path = ?2",
                (ledger, path, configuration_digest, sha256),
                |row| row.get(0),
            )
            .optional()
            .during(IMPORTING)?;
        Ok(same.unwrap_or(false))
    }

    /// Notes the size and times of a file whose bytes are what the store holds.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn note_seen_ledger_file(
        &mut self,
        ledger: &str,
        path: &str,
        seen: Option<&str>,
    ) -> Result<(), StoreError> {
        let noted = self.connection.execute(
            "update ledger_file set seen = ?3 where ledger = ?1 and path = ?2",
            (ledger, path, seen),
        );
        noted.map(drop).during(IMPORTING)
    }

    /// Notes that the file at `path` cannot be read: it gives nothing any more.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn note_unreadable_ledger_file(
        &mut self,
        ledger: &str,
        path: &str,
        error: &str,
    ) -> Result<(), StoreError> {
        let transaction = self.connection.transaction().during(IMPORTING)?;
        replace_file(&transaction, ledger, path, Some(error))
            .and_then(|file_id| seal(&transaction, "ledger_file", &[&file_id]))
            .during(IMPORTING)?;
        transaction.commit().during(IMPORTING)
    }

    /// Forgets every file but those of `kept` (ledger and path): a file that is gone gives
    /// nothing.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn keep_ledger_files(
        &mut self,
        kept: &BTreeSet<(String, String)>,
    ) -> Result<(), StoreError> {
        let gone: Vec<LedgerFileState> = self
            .ledger_files()?
            .into_iter()
            .filter(|file| !kept.contains(&(file.ledger.clone(), file.path.clone())))
            .collect();
        for file in gone {
            forget_file(&self.connection, &file.ledger, &file.path).during(IMPORTING)?;
        }
        Ok(())
    }

    /// Every ledger file, in order of ledger and path.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn ledger_files(&self) -> Result<Vec<LedgerFileState>, StoreError> {
        const DURING: &str = "reading the ledger files";
        rows(&self.connection, include_str!("../sql/books/files.sql"), [], |row| {
            Ok(LedgerFileState {
                ledger: row.get("ledger")?,
                path: row.get("path")?,
                rows: natural(row, "rows")?,
                quarantined: natural(row, "quarantined")?,
                first_fault: row.get("first_fault")?,
                absent_columns: row.get("absent_columns")?,
                error: row.get("error")?,
                last_date: date_column(row, "last_date")?,
            })
        })
        .during(DURING)
    }
}

fn natural(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

/// Writes the rows of `matches.csv`.
pub(super) fn write_matches(
    connection: &Connection,
    date: &str,
    matches: &[MatchRow],
) -> rusqlite::Result<()> {
    let minor = |amount: Option<Minor>| integer(amount.map(|amount| amount.0));
    let (mut item_date, mut ledger_date) = (DateText::default(), DateText::default());
    let mut insert = Bound::prepare(connection, include_str!("../sql/ingest/match_result.sql"))?;
    for (ordinal, row) in (0..).zip(matches) {
        // In the order in which the statement names them.
        insert.execute(&[
            text(Some(date)),
            integer(Some(ordinal)),
            text(Some(row.item_type.as_str())),
            text(Some(row.item_id.as_str())),
            text(Some(row.ledger_id.as_str())),
            text(Some(row.merchant_id.as_str())),
            text(Some(row.currency.code())),
            text(Some(item_date.of(row.item_date))),
            text(Some(ledger_date.of(row.ledger_date))),
            minor(row.item_amount),
            minor(row.ledger_amount),
            minor(row.difference),
            text(Some(row.pass.as_str())),
            text(Some(row.order_id.as_str())),
            text(kept(row.note.as_str())),
        ])?;
    }
    Ok(())
}

/// Reads the rows of `match_result`, in the order in which `sql/report/matches.sql` names them.
#[derive(Default)]
pub(super) struct MatchReader {
    currencies: Repeated<Currency>,
    item_dates: Repeated<NaiveDate>,
    ledger_dates: Repeated<NaiveDate>,
}

impl MatchReader {
    pub(super) fn row(&mut self, row: &Row<'_>) -> rusqlite::Result<MatchRow> {
        let minor = |place| row.get::<_, Option<i64>>(place).map(|amount| amount.map(Minor));
        Ok(MatchRow {
            item_type: short(row, 2)?,
            item_id: short(row, 3)?,
            ledger_id: short(row, 4)?,
            merchant_id: short(row, 5)?,
            currency: self.currencies.currency(row, 6)?.ok_or_else(|| wrong("currency", ""))?,
            item_date: self.item_dates.date(row, 7)?,
            ledger_date: self.ledger_dates.date(row, 8)?,
            item_amount: minor(9)?,
            ledger_amount: minor(10)?,
            difference: minor(11)?,
            pass: short(row, 12)?,
            order_id: short(row, 13)?,
            note: row.get::<_, Option<String>>(14)?.unwrap_or_default().into(),
        })
    }
}
