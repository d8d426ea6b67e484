//! The merchants' own books in the store: what ledger files gave, and what matching them came
//! to. A file that is read again replaces what it gave before, in one transaction.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Row, Transaction, named_params, params};

use super::columns::{Repeated, short};
use super::columns::{kept, wrong};
use super::seal::seal;
use super::{Store, StoreError, While};
use crate::import::ledger::LedgerFile;
use crate::model::{LedgerRecord, MatchRow, MerchantId};
use crate::money::{Currency, Minor};

const IMPORTING: &str = "importing a ledger file";

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
}

/// A ledger file that is being read; dropped without [`LedgerImport::finish`], it changes
/// nothing.
pub struct LedgerImport<'store> {
    transaction: Transaction<'store>,
    file_id: i64,
}

impl LedgerImport<'_> {
    /// Keeps one record.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn add(&self, record: &LedgerRecord) -> Result<(), StoreError> {
        let mut insert = self
            .transaction
            .prepare_cached(include_str!("../../sql/ingest/ledger_record.sql"))
            .during(IMPORTING)?;
        insert
            .execute(named_params! {
                ":file_id": self.file_id,
                ":line": stored(record.line),
                ":merchant_id": record.merchant_id.as_str(),
                ":ledger_id": record.ledger_id,
                ":kind": record.kind.as_str(),
                ":date": record.date.to_string(),
                ":amount_minor": record.amount.0,
                ":currency": record.currency.code(),
                ":order_id": record.order_id,
                ":reference": record.reference,
                ":last4": record.last4,
                ":status": record.status.as_str(),
            })
            .during(IMPORTING)?;
        Ok(())
    }

    /// Keeps what is known of the file as a whole, and makes all of it count.
    ///
    /// # Errors
    /// When the store refuses; then what the file gave before is still there.
    pub fn finish(self, file: &LedgerFile, configuration_digest: &str) -> Result<(), StoreError> {
        self.transaction
            .execute(
                "update ledger_file set sha256 = ?2, configuration_digest = ?3, rows = ?4, \
                 quarantined = ?5 where file_id = ?1",
                (
                    self.file_id,
                    &file.sha256,
                    configuration_digest,
                    stored(file.record_rows),
                    stored(file.quarantined_rows),
                ),
            )
            .during(IMPORTING)?;
        for fault in &file.quarantined {
            self.transaction
                .prepare_cached(
                    "insert into ledger_quarantine (file_id, line, column_name, reason, \
                     merchant_id, date, amount_minor, currency, reference) \
                     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                )
                .and_then(|mut insert| {
                    let line = stored(fault.line);
                    insert.execute(params![
                        self.file_id,
                        line,
                        fault.column,
                        fault.reason,
                        fault.merchant_id.as_ref().map(MerchantId::as_str),
                        fault.date.map(|date| date.to_string()),
                        fault.amount.map(|amount| amount.0),
                        fault.currency.map(Currency::code),
                        fault.reference,
                    ])
                })
                .during(IMPORTING)?;
        }
        seal(&self.transaction, "ledger_file", &[&self.file_id]).during(IMPORTING)?;
        self.transaction.commit().during(IMPORTING)
    }
}

/// A count or a line; a file with more than 2^63 of them does not exist.
fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Store {
    /// Whether what the store holds of a file came from these bytes under these settings.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn has_ledger_file(
        &self,
        ledger: &str,
        path: &str,
        sha256: &str,
        configuration_digest: &str,
    ) -> Result<bool, StoreError> {
        let same: Option<bool> = self
            .connection
            .query_row(
                "select sha256 = ?3 and configuration_digest = ?4 and error is null \
                 from ledger_file where ledger = ?1 and path = ?2",
                (ledger, path, sha256, configuration_digest),
                |row| row.get(0),
            )
            .optional()
            .during(IMPORTING)?;
        Ok(same.unwrap_or(false))
    }

    /// Begins to replace what the file at `path` gave.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn begin_ledger_file(
        &mut self,
        ledger: &str,
        path: &str,
    ) -> Result<LedgerImport<'_>, StoreError> {
        let transaction = self.connection.transaction().during(IMPORTING)?;
        let file_id = replace_file(&transaction, ledger, path, None).during(IMPORTING)?;
        Ok(LedgerImport { transaction, file_id })
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
            self.connection
                .execute(
                    "delete from ledger_file where ledger = ?1 and path = ?2",
                    (&file.ledger, &file.path),
                )
                .during(IMPORTING)?;
        }
        Ok(())
    }

    /// Every ledger file, in order of ledger and path.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn ledger_files(&self) -> Result<Vec<LedgerFileState>, StoreError> {
        const DURING: &str = "reading the ledger files";
        let mut statement =
            self.connection.prepare(include_str!("../../sql/books/files.sql")).during(DURING)?;
        let rows = statement.query_map([], |row| {
            Ok(LedgerFileState {
                ledger: row.get("ledger")?,
                path: row.get("path")?,
                rows: natural(row, "rows")?,
                quarantined: natural(row, "quarantined")?,
                first_fault: row.get("first_fault")?,
                absent_columns: row.get("absent_columns")?,
                error: row.get("error")?,
            })
        });
        rows.and_then(Iterator::collect).during(DURING)
    }
}

fn natural(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

/// Deletes what the file gave and begins anew; answers with its number.
fn replace_file(
    transaction: &Transaction<'_>,
    ledger: &str,
    path: &str,
    error: Option<&str>,
) -> rusqlite::Result<i64> {
    transaction
        .execute("delete from ledger_file where ledger = ?1 and path = ?2", (ledger, path))?;
    transaction.query_row(
        "insert into ledger_file (ledger, path, sha256, configuration_digest, rows, quarantined, \
         absent_columns, error) values (?1, ?2, '', '', 0, 0, '', ?3) returning file_id",
        (ledger, path, error),
        |row| row.get(0),
    )
}

/// Writes a row of `matches.csv`.
pub(super) fn write_match(
    transaction: &Transaction<'_>,
    date: &str,
    ordinal: usize,
    row: &MatchRow,
) -> rusqlite::Result<()> {
    let minor = |amount: Option<Minor>| amount.map(|amount| amount.0);
    // In the order in which the statement names them.
    transaction.prepare_cached(include_str!("../../sql/ingest/match_result.sql"))?.execute(
        params![
            date,
            i64::try_from(ordinal).unwrap_or(i64::MAX),
            row.item_type.as_str(),
            row.item_id.as_str(),
            row.ledger_id.as_str(),
            row.merchant_id.as_str(),
            row.currency.code(),
            row.item_date.to_string(),
            row.ledger_date.to_string(),
            minor(row.item_amount),
            minor(row.ledger_amount),
            minor(row.difference),
            row.pass.as_str(),
            row.order_id.as_str(),
            kept(row.note.as_str()),
        ],
    )?;
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
