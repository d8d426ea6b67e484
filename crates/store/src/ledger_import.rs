//! A ledger file on its way into the store. What it gave before is replaced in one transaction: its
//! rows are compared one by one, so that a file which grew writes what is new alone.

use std::collections::VecDeque;

use compact_str::ToCompactString as _;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::columns::{short, short_or_null};
use super::ingest::bound::{Bound, integer, text};
use super::seal::seal;
use super::{Store, StoreError, While};
use tieout_model::LedgerFile;
use tieout_model::money::Currency;
use tieout_model::{LedgerKind, LedgerRecord, MerchantId, ShortText};

pub(super) const IMPORTING: &str = "importing a ledger file";

/// A ledger file that is being read; dropped without [`LedgerImport::finish`], it changes
/// nothing.
pub struct LedgerImport<'store> {
    transaction: Transaction<'store>,
    file_id: i64,
    /// The next rows of what it gave before, in order of line.
    before: VecDeque<StoredRow>,
    /// The line up to which the rows from before were read; `None` once all were.
    read_up_to: Option<i64>,
    /// Rows that are to be written together.
    new: Vec<StoredRow>,
    /// The earliest date of a row that came, went or changed.
    changed_since: Option<ShortText>,
}

/// A row as the store holds it.
#[derive(PartialEq)]
struct StoredRow {
    line: i64,
    merchant_id: ShortText,
    ledger_id: ShortText,
    kind: ShortText,
    date: ShortText,
    amount_minor: i64,
    currency: ShortText,
    order_id: Option<ShortText>,
    reference: Option<ShortText>,
    last4: Option<ShortText>,
    status: ShortText,
}

/// Rows that are written together.
const ROWS_TOGETHER: usize = 1_000;

/// Rows from before that are held at once.
const ROWS_AHEAD: i64 = 10_000;

impl LedgerImport<'_> {
    /// Keeps one record; they come in order of their lines.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn add(&mut self, record: &LedgerRecord) -> Result<(), StoreError> {
        let row = StoredRow::of(record);
        self.forget_before(row.line).during(IMPORTING)?;
        if self.before.front().is_some_and(|before| before.line == row.line) {
            let before = self.before.pop_front();
            if before.as_ref() == Some(&row) {
                return Ok(());
            }
            if let Some(before) = before {
                self.delete(&before).during(IMPORTING)?;
            }
        }
        self.note_change(&row.date);
        self.new.push(row);
        if self.new.len() < ROWS_TOGETHER { Ok(()) } else { self.insert().during(IMPORTING) }
    }

    fn insert(&mut self) -> rusqlite::Result<()> {
        let sql = include_str!("../sql/ingest/ledger_record.sql");
        let mut insert = Bound::prepare(&self.transaction, sql)?;
        for row in self.new.drain(..) {
            // In the order in which the statement names them.
            insert.execute(&[
                integer(Some(self.file_id)),
                integer(Some(row.line)),
                text(Some(row.merchant_id.as_str())),
                text(Some(row.ledger_id.as_str())),
                text(Some(row.kind.as_str())),
                text(Some(row.date.as_str())),
                integer(Some(row.amount_minor)),
                text(Some(row.currency.as_str())),
                text(row.order_id.as_deref()),
                text(row.reference.as_deref()),
                text(row.last4.as_deref()),
                text(Some(row.status.as_str())),
            ])?;
        }
        Ok(())
    }

    fn delete(&mut self, row: &StoredRow) -> rusqlite::Result<()> {
        self.note_change(&row.date);
        self.transaction
            .prepare_cached("delete from ledger_record where file_id = ?1 and line = ?2")?
            .execute((self.file_id, row.line))?;
        Ok(())
    }

    fn note_change(&mut self, date: &ShortText) {
        if self.changed_since.as_ref().is_none_or(|since| date < since) {
            self.changed_since = Some(date.clone());
        }
    }

    /// Deletes the rows from before that stood above `line`.
    fn forget_before(&mut self, line: i64) -> rusqlite::Result<()> {
        loop {
            self.read_ahead()?;
            if self.before.front().is_none_or(|gone| gone.line >= line) {
                return Ok(());
            }
            if let Some(gone) = self.before.pop_front() {
                self.delete(&gone)?;
            }
        }
    }

    /// Sees to it that the next row from before is at hand, if there is one.
    fn read_ahead(&mut self) -> rusqlite::Result<()> {
        let Some(after) = self.read_up_to.filter(|_| self.before.is_empty()) else {
            return Ok(());
        };
        let mut statement =
            self.transaction.prepare_cached(include_str!("../sql/books/rows_of_file.sql"))?;
        let rows = statement.query_map((self.file_id, after, ROWS_AHEAD), StoredRow::from_row)?;
        self.before = rows.collect::<rusqlite::Result<_>>()?;
        self.read_up_to = self.before.back().map(|row| row.line);
        Ok(())
    }

    /// Keeps what is known of the file as a whole, and makes all of it count.
    ///
    /// # Errors
    /// When the store refuses; then what the file gave before is still there.
    pub fn finish(
        mut self,
        file: &LedgerFile,
        configuration_digest: &str,
        seen: Option<&str>,
    ) -> Result<(), StoreError> {
        self.forget_before(i64::MAX).during(IMPORTING)?;
        self.insert().during(IMPORTING)?;
        self.transaction
            .execute(
                "update ledger_file set sha256 = ?2, configuration_digest = ?3, rows = ?4, \
                 quarantined = ?5, seen = ?6, last_date = ?7 where file_id = ?1",
                (
                    self.file_id,
                    &file.sha256,
                    configuration_digest,
                    stored(file.record_rows),
                    stored(file.quarantined_rows),
                    seen,
                    file.last_date.map(|date| date.to_string()),
                ),
            )
            .during(IMPORTING)?;
        for fault in &file.quarantined {
            self.transaction
                .prepare_cached(
                    "insert into ledger_quarantine (file_id, line, column_name, reason, \
                     merchant_id, date, amount_minor, currency, reference, kind) \
                     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
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
                        fault.reference.as_deref(),
                        fault.kind.map(LedgerKind::as_str),
                    ])
                })
                .during(IMPORTING)?;
        }
        if let Some(since) = &self.changed_since {
            self.transaction
                .execute(
                    "insert into ledger_change (ledger, since) \
                     select ledger, ?2 from ledger_file where file_id = ?1",
                    (self.file_id, since.as_str()),
                )
                .during(IMPORTING)?;
        }
        seal(&self.transaction, "ledger_file", &[&self.file_id]).during(IMPORTING)?;
        self.transaction.commit().during(IMPORTING)
    }
}

impl StoredRow {
    fn of(record: &LedgerRecord) -> Self {
        Self {
            line: stored(record.line),
            merchant_id: record.merchant_id.as_str().into(),
            ledger_id: record.ledger_id.clone(),
            kind: ShortText::const_new(record.kind.as_str()),
            date: record.date.to_compact_string(),
            amount_minor: record.amount.0,
            currency: ShortText::const_new(record.currency.code()),
            order_id: record.order_id.clone(),
            reference: record.reference.clone(),
            last4: record.last4.clone(),
            status: ShortText::const_new(record.status.as_str()),
        }
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            line: row.get(0)?,
            merchant_id: short(row, 1)?,
            ledger_id: short(row, 2)?,
            kind: short(row, 3)?,
            date: short(row, 4)?,
            amount_minor: row.get(5)?,
            currency: short(row, 6)?,
            order_id: short_or_null(row, 7)?,
            reference: short_or_null(row, 8)?,
            last4: short_or_null(row, 9)?,
            status: short(row, 10)?,
        })
    }
}

/// A count or a line; a file with more than 2^63 of them does not exist.
fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Store {
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
        let known: Option<i64> = transaction
            .query_row(
                "select file_id from ledger_file \
                 where ledger = ?1 and path = ?2 and error is null",
                (ledger, path),
                |row| row.get(0),
            )
            .optional()
            .during(IMPORTING)?;
        let (file_id, read_up_to) = match known {
            Some(file_id) => {
                transaction
                    .execute("delete from ledger_quarantine where file_id = ?1", [file_id])
                    .during(IMPORTING)?;
                (file_id, Some(-1))
            }
            None => (replace_file(&transaction, ledger, path, None).during(IMPORTING)?, None),
        };
        Ok(LedgerImport {
            transaction,
            file_id,
            before: VecDeque::new(),
            read_up_to,
            new: Vec::new(),
            changed_since: None,
        })
    }
}

/// Deletes what the file gave and begins anew; answers with its number.
pub(super) fn replace_file(
    transaction: &Transaction<'_>,
    ledger: &str,
    path: &str,
    error: Option<&str>,
) -> rusqlite::Result<i64> {
    forget_file(transaction, ledger, path)?;
    transaction.query_row(
        "insert into ledger_file (ledger, path, sha256, configuration_digest, rows, quarantined, \
         absent_columns, error) values (?1, ?2, '', '', 0, 0, '', ?3) returning file_id",
        (ledger, path, error),
        |row| row.get(0),
    )
}

/// Deletes a file and what it gave, and notes since when its ledger is another one.
pub(super) fn forget_file(
    connection: &rusqlite::Connection,
    ledger: &str,
    path: &str,
) -> rusqlite::Result<()> {
    connection.execute(
        "insert into ledger_change (ledger, since) \
         select file.ledger, min(record.date) from ledger_file as file \
         inner join ledger_record as record on record.file_id = file.file_id \
         where file.ledger = ?1 and file.path = ?2 group by file.ledger",
        (ledger, path),
    )?;
    connection
        .execute("delete from ledger_file where ledger = ?1 and path = ?2", (ledger, path))?;
    Ok(())
}
