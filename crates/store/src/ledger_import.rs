//! Imports a ledger file into the store. Its earlier content is replaced in one transaction, page
//! by page: when a file grew, only the last page of each date and the new pages are written.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Transaction, params};

use super::columns::parse_date;
use super::record_page::RecordPage;
use super::seal::seal;
use super::{Store, StoreError, While};
use tieout_model::LedgerFile;
use tieout_model::money::Currency;
use tieout_model::{LedgerKind, LedgerRecord, MerchantId};

pub(super) const IMPORTING: &str = "importing a ledger file";

/// A ledger file that is being read; dropped without [`LedgerImport::finish`], it changes
/// nothing.
pub struct LedgerImport<'store> {
    transaction: Transaction<'store>,
    file_id: i64,
    /// The digests of its earlier pages, until they are met again.
    before: HashMap<(NaiveDate, i64), String>,
    /// Pages that are not full, and how many pages of their date come before.
    open: BTreeMap<NaiveDate, (i64, RecordPage)>,
    /// Records in open pages.
    waiting: usize,
    /// The earliest date of a record that was added, removed or changed.
    changed_since: Option<NaiveDate>,
}

/// The most records that are held at once in open pages. The same file gives the same pages.
const ROWS_WAITING: usize = 20_000;

impl LedgerImport<'_> {
    /// Keeps one record; they come in order of their lines.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn add(&mut self, record: &LedgerRecord) -> Result<(), StoreError> {
        let (_, page) = self.open.entry(record.date).or_default();
        page.add(record).during(IMPORTING)?;
        let is_full = page.is_full();
        self.waiting += 1;
        if is_full {
            self.write(record.date).during(IMPORTING)
        } else if self.waiting < ROWS_WAITING {
            Ok(())
        } else {
            self.write_all().during(IMPORTING)
        }
    }

    fn write_all(&mut self) -> rusqlite::Result<()> {
        let dates: Vec<NaiveDate> = self.open.keys().copied().collect();
        dates.into_iter().try_for_each(|date| self.write(date))
    }

    /// Writes the open page of a date, unless the same page was stored before.
    fn write(&mut self, date: NaiveDate) -> rusqlite::Result<()> {
        let Some((number, open)) = self.open.get_mut(&date).filter(|(_, page)| page.rows() > 0)
        else {
            return Ok(());
        };
        let page = std::mem::take(open);
        let number = std::mem::replace(number, *number + 1);
        self.waiting -= page.rows();
        let page = page.finish()?;
        if self.before.remove(&(date, number)).as_ref() == Some(&page.digest) {
            return Ok(());
        }
        self.note_change(date);
        self.transaction
            .prepare_cached(include_str!("../sql/ingest/ledger_page.sql"))?
            .execute((
                self.file_id,
                date.to_string(),
                number,
                page.digest,
                page.ids,
                page.returned,
                page.text,
            ))
            .map(drop)
    }

    fn note_change(&mut self, date: NaiveDate) {
        let since = self.changed_since.map_or(date, |since| since.min(date));
        self.changed_since = Some(since);
    }

    /// Deletes the earlier pages that were not met again.
    fn forget_before(&mut self) -> rusqlite::Result<()> {
        for ((date, number), _) in std::mem::take(&mut self.before) {
            self.note_change(date);
            self.transaction
                .prepare_cached(
                    "delete from ledger_page where file_id = ?1 and date = ?2 and page = ?3",
                )?
                .execute((self.file_id, date.to_string(), number))?;
        }
        Ok(())
    }

    /// Stores the totals of the file and commits the import.
    ///
    /// # Errors
    /// When the store refuses; then the earlier content is kept.
    pub fn finish(
        mut self,
        file: &LedgerFile,
        configuration_digest: &str,
        seen: Option<&str>,
    ) -> Result<(), StoreError> {
        self.write_all().and_then(|()| self.forget_before()).during(IMPORTING)?;
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
                    (self.file_id, since.to_string()),
                )
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

/// Begins to replace the stored content of the file at `path`.
///
/// # Errors
/// When the store refuses.
pub fn begin<'store>(
    store: &'store mut Store,
    ledger: &str,
    path: &str,
) -> Result<LedgerImport<'store>, StoreError> {
    let transaction = store.connection.transaction().during(IMPORTING)?;
    let known: Option<i64> = transaction
        .query_row(
            "select file_id from ledger_file \
             where ledger = ?1 and path = ?2 and error is null",
            (ledger, path),
            |row| row.get(0),
        )
        .optional()
        .during(IMPORTING)?;
    let (file_id, before) = match known {
        Some(file_id) => transaction
            .execute("delete from ledger_quarantine where file_id = ?1", [file_id])
            .and_then(|_| pages_of(&transaction, file_id))
            .map(|before| (file_id, before))
            .during(IMPORTING)?,
        None => replace_file(&transaction, ledger, path, None)
            .map(|file_id| (file_id, HashMap::new()))
            .during(IMPORTING)?,
    };
    let (open, waiting, changed_since) = (BTreeMap::new(), 0, None);
    Ok(LedgerImport { transaction, file_id, before, open, waiting, changed_since })
}

/// The digests of the pages of a file.
fn pages_of(
    transaction: &Transaction<'_>,
    file_id: i64,
) -> rusqlite::Result<HashMap<(NaiveDate, i64), String>> {
    let sql = "select date, page, sha256 from ledger_page where file_id = ?1";
    let mut statement = transaction.prepare_cached(sql)?;
    let pages = statement.query_map([file_id], |row| {
        let date = parse_date("date", &row.get::<_, String>(0)?)?;
        Ok(((date, row.get(1)?), row.get(2)?))
    })?;
    pages.collect()
}

/// Deletes the earlier content of the file and inserts an empty row; returns its number.
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

/// Deletes a file with its content, and notes from which date its ledger changed.
pub(super) fn forget_file(
    connection: &rusqlite::Connection,
    ledger: &str,
    path: &str,
) -> rusqlite::Result<()> {
    connection.execute(
        "insert into ledger_change (ledger, since) \
         select file.ledger, min(page.date) from ledger_file as file \
         inner join ledger_page as page on page.file_id = file.file_id \
         where file.ledger = ?1 and file.path = ?2 group by file.ledger",
        (ledger, path),
    )?;
    connection
        .execute("delete from ledger_file where ledger = ?1 and path = ?2", (ledger, path))?;
    Ok(())
}
