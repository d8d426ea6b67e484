//! Bank statements in the store, and the inputs of pairing them with deposits. A file that is read
//! again replaces its earlier content, in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Row, Transaction, named_params};

use super::columns::{currency_column, date_column, merchant_column, minor_column};
use super::columns::{required_date, wrong};
use super::seal::seal;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::money::{Currency, Minor};
use tieout_model::{BankFile, DepositId, MerchantId, Recall, Span};

const IMPORTING: &str = "importing a bank statement";
const READING: &str = "reading deposits and bank lines";

/// A statement file as it was read last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankFileState {
    pub bank: String,
    pub path: String,
    pub lines: u64,
    pub quarantined: u64,
    /// Empty when no line was quarantined.
    pub first_fault: String,
    pub error: Option<String>,
}

/// A deposit as the bank checks see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankedDeposit {
    pub ach_deposit_id: DepositId,
    pub association_date: Option<NaiveDate>,
    pub ach_date: Option<NaiveDate>,
    /// The date of its listing when it states none.
    pub payment_date: NaiveDate,
    /// Whether it states its payment date.
    pub is_dated: bool,
    pub net_amount: Option<Minor>,
    pub currency: Option<Currency>,
    /// The deposit of the same group and figures that was paid before it.
    pub twin_of: Option<DepositId>,
}

/// A line of a statement as the bank checks see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankedLine {
    pub key: String,
    pub account_last4: String,
    pub date: NaiveDate,
    pub amount: Minor,
    pub currency: Currency,
    pub merchant_id: Option<MerchantId>,
    /// Digests of the numbers in its text, joined with spaces.
    pub names: String,
    /// File and line, for a person.
    pub place: String,
}

/// Whether the stored content of a file came from these bytes under these settings.
///
/// # Errors
/// When the store refuses.
pub fn has_file(
    store: &Store,
    bank: &str,
    path: &str,
    sha256: &str,
    configuration_digest: &str,
) -> Result<bool, StoreError> {
    let same: Option<bool> = store
        .connection
        .query_row(
            "select sha256 = ?3 and configuration_digest = ?4 and error is null \
             from bank_file where bank = ?1 and path = ?2",
            (bank, path, sha256, configuration_digest),
            |row| row.get(0),
        )
        .optional()
        .during(IMPORTING)?;
    Ok(same.unwrap_or(false))
}

/// Replaces the stored content of the file at `path`.
///
/// # Errors
/// When the store refuses; then the earlier content is kept.
pub fn save_file(
    store: &mut Store,
    bank: &str,
    path: &str,
    file: &BankFile,
    configuration_digest: &str,
) -> Result<(), StoreError> {
    let transaction = store.connection.transaction().during(IMPORTING)?;
    write_file(&transaction, (bank, path), file, configuration_digest).during(IMPORTING)?;
    transaction.commit().during(IMPORTING)
}

/// Notes that the file at `path` cannot be read, and deletes its earlier content.
///
/// # Errors
/// When the store refuses.
pub fn note_unreadable(
    store: &mut Store,
    bank: &str,
    path: &str,
    error: &str,
) -> Result<(), StoreError> {
    let transaction = store.connection.transaction().during(IMPORTING)?;
    let file_id = replace_file(&transaction, bank, path).during(IMPORTING)?;
    transaction
        .execute("update bank_file set error = ?2 where file_id = ?1", (file_id, error))
        .and_then(|_| seal(&transaction, "bank_file", &[&file_id]))
        .during(IMPORTING)?;
    transaction.commit().during(IMPORTING)
}

/// Deletes every file but those of `kept` (bank and path): a removed file contributes nothing.
///
/// # Errors
/// When the store refuses.
pub fn keep_files(store: &mut Store, kept: &BTreeSet<(String, String)>) -> Result<(), StoreError> {
    for file in files(store)? {
        if !kept.contains(&(file.bank.clone(), file.path.clone())) {
            store
                .connection
                .execute(
                    "delete from bank_file where bank = ?1 and path = ?2",
                    (&file.bank, &file.path),
                )
                .during(IMPORTING)?;
        }
    }
    Ok(())
}

/// Every statement file, in order of bank and path.
///
/// # Errors
/// When the store refuses.
pub fn files(store: &Store) -> Result<Vec<BankFileState>, StoreError> {
    rows(&store.connection, include_str!("../sql/banks/files.sql"), [], |row| {
        Ok(BankFileState {
            bank: row.get("bank")?,
            path: row.get("path")?,
            lines: natural(row, "lines")?,
            quarantined: natural(row, "quarantined")?,
            first_fault: row.get("first_fault")?,
            error: row.get("error")?,
        })
    })
    .during(READING)
}

/// The deposits of a merchant that were paid from `first` to the prepared date. The merchant is
/// of this shard or of another that shares its account. `configured` is its currency.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn deposits(
    store: &Store,
    merchant_id: &MerchantId,
    configured: Option<Currency>,
    first: NaiveDate,
) -> Result<Vec<BankedDeposit>, StoreError> {
    let sql = store.query_of(include_str!("../sql/banks/deposits.sql")).during(READING)?;
    let parameters = named_params! {
        ":merchant_id": merchant_id.as_str(),
        ":currency": configured.map(Currency::code),
        ":first_date": first.to_string(),
    };
    rows(&store.connection, sql, parameters, |row| {
        Ok(BankedDeposit {
            ach_deposit_id: row.get("ach_deposit_id").map(DepositId)?,
            association_date: date_column(row, "association_date")?,
            ach_date: date_column(row, "ach_date")?,
            payment_date: required_date(row, "payment_date")?,
            is_dated: row.get("is_dated")?,
            net_amount: minor_column(row, "net_amount_minor")?,
            currency: currency_column(row, "currency")?,
            twin_of: row.get::<_, Option<_>>("twin_of")?.map(DepositId),
        })
    })
    .during(READING)
}

/// The deposits up to the prepared date that name no merchant, and the dates of their listings.
///
/// # Errors
/// As [`deposits`].
pub fn nameless_deposits(store: &Store) -> Result<Vec<(DepositId, NaiveDate)>, StoreError> {
    let sql = include_str!("../sql/banks/nameless_deposits.sql");
    rows(&store.connection, sql, [], |row| {
        Ok((row.get("ach_deposit_id").map(DepositId)?, required_date(row, "day")?))
    })
    .during(READING)
}

/// The deposits whose statement `date` awaited, or that it could not evaluate past their due
/// date.
///
/// # Errors
/// As [`deposits`].
pub fn awaited_deposits(store: &Store, date: NaiveDate) -> Result<BTreeSet<DepositId>, StoreError> {
    let sql = include_str!("../sql/banks/awaited.sql");
    rows(&store.connection, sql, [date.to_string()], |row| row.get(0).map(DepositId))
        .during(READING)
}

/// The lines of a bank section from `first` to the prepared date.
///
/// # Errors
/// As [`deposits`].
pub fn lines(store: &Store, bank: &str, first: NaiveDate) -> Result<Vec<BankedLine>, StoreError> {
    let sql = include_str!("../sql/banks/lines.sql");
    let parameters = named_params! { ":bank": bank, ":first_date": first.to_string() };
    rows(&store.connection, sql, parameters, |row| {
        Ok(BankedLine {
            key: row.get("line_key")?,
            account_last4: row.get("account_last4")?,
            date: required_date(row, "date")?,
            amount: Minor(row.get("amount_minor")?),
            currency: currency_column(row, "currency")?.ok_or_else(|| wrong("currency", ""))?,
            merchant_id: merchant_column(row, "merchant_id")?,
            names: row.get("names")?,
            place: row.get("place")?,
        })
    })
    .during(READING)
}

/// The days that the statements of a bank section cover completely.
///
/// # Errors
/// As [`deposits`].
pub fn spans(store: &Store, bank: &str) -> Result<Vec<Span>, StoreError> {
    let sql = include_str!("../sql/banks/spans.sql");
    rows(&store.connection, sql, named_params! { ":bank": bank }, |row| {
        Ok(Span {
            account_last4: row.get("account_last4")?,
            first: required_date(row, "first_date")?,
            last: required_date(row, "last_date")?,
        })
    })
    .during(READING)
}

/// Whether two deposits of a group of a merchant with a bank have equal figures.
///
/// # Errors
/// When the store refuses.
pub fn has_twin_deposits(store: &Store) -> Result<bool, StoreError> {
    let sql = include_str!("../sql/banks/has_twins.sql");
    store.connection.query_row(sql, [], |row| row.get(0)).during(READING)
}

/// The deposits below zero that were carried into later ones, whole or with a rest that later
/// deposits can still take.
///
/// # Errors
/// When the store refuses.
pub fn carried_deposits(store: &Store) -> Result<Vec<DepositId>, StoreError> {
    let rests = carried_rests(store)?;
    Ok(rests.into_iter().filter(|(_, rest)| *rest == 0).map(|(id, _)| id).collect())
}

/// The deposits below zero that were carried, with the amount that no deposit can take any
/// more.
///
/// # Errors
/// When the store refuses.
pub fn carried_rests(store: &Store) -> Result<Vec<(DepositId, i64)>, StoreError> {
    let sql = "select carried.ach_deposit_id, iif( \
                   max(carried.until_date) > asof.business_date, 0, min(carried.rest_minor) \
               ) from temp.carried_balances as carried cross join temp.asof as asof \
               where carried.ach_deposit_id is not null group by carried.ach_deposit_id";
    rows(&store.connection, sql, [], |row| Ok((row.get(0).map(DepositId)?, row.get(1)?)))
        .during(READING)
}

/// The deposits below zero that the adjustments of later ones exceed, with these in words.
///
/// # Errors
/// When the store refuses.
pub fn exceeded_deposits(store: &Store) -> Result<BTreeMap<String, String>, StoreError> {
    let sql = "select cast(ach_deposit_id as text), group_concat(said, ' ') \
               from temp.exceeded_balances where ach_deposit_id is not null \
               group by ach_deposit_id";
    rows(&store.connection, sql, [], |row| Ok((row.get(0)?, row.get(1)?))).during(READING)
}

/// The dates up to the prepared one whose deposits are all known.
///
/// # Errors
/// When the store refuses.
pub fn deposit_days_read(store: &Store) -> Result<BTreeSet<NaiveDate>, StoreError> {
    let sql = include_str!("../sql/banks/days_read.sql");
    rows(&store.connection, sql, [], |row| required_date(row, "day")).during(READING)
}

fn write_file(
    transaction: &Transaction<'_>,
    (bank, path): (&str, &str),
    file: &BankFile,
    configuration_digest: &str,
) -> rusqlite::Result<()> {
    let file_id = replace_file(transaction, bank, path)?;
    let fault = file.quarantined.first();
    transaction.execute(
        "update bank_file set sha256 = ?2, configuration_digest = ?3, lines = ?4, \
         other_lines = ?5, quarantined = ?6, first_fault = ?7 where file_id = ?1",
        (
            file_id,
            &file.sha256,
            configuration_digest,
            stored(file.lines.len() as u64),
            stored(file.other_lines),
            stored(file.quarantined_lines),
            fault.map(|one| format!("line {}: {}", one.line, one.reason)).unwrap_or_default(),
        ),
    )?;
    let mut insert = transaction.prepare_cached(include_str!("../sql/ingest/bank_line.sql"))?;
    for (ordinal, line) in (0_u64..).zip(&file.lines) {
        insert.execute(named_params! {
            ":file_id": file_id,
            ":ordinal": stored(ordinal),
            ":line_key": line.key,
            ":line": stored(line.line),
            ":account_last4": line.account_last4,
            ":date": line.date.to_string(),
            ":amount_minor": line.amount.0,
            ":currency": line.currency.code(),
            ":merchant_id": line.merchant_id.as_ref().map(MerchantId::as_str),
            ":is_interim": line.is_interim.then_some(1),
            ":names": Some(line.names.join(" ")).filter(|names| !names.is_empty()),
            ":id_hash": line.id_hash,
        })?;
    }
    let mut insert = transaction.prepare_cached(
        "insert or ignore into bank_correction (file_id, account_last4, id_hash) \
         values (?1, ?2, ?3)",
    )?;
    for (account_last4, id_hash) in &file.corrections {
        insert.execute((file_id, account_last4, id_hash))?;
    }
    write_spans(transaction, file_id, file)?;
    seal(transaction, "bank_file", &[&file_id])
}

/// Stores the days that the file covers, and those for which it recalls lines of other files.
fn write_spans(
    transaction: &Transaction<'_>,
    file_id: i64,
    file: &BankFile,
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "insert or ignore into bank_span (file_id, account_last4, first_date, last_date, recalls) \
         values (?1, ?2, ?3, ?4, ?5)",
    )?;
    let day = |recall: &Recall| Span {
        account_last4: recall.account_last4.clone(),
        first: recall.date,
        last: recall.date,
    };
    for recall in &file.recalls {
        let span = day(recall);
        let date = recall.date.to_string();
        let kind = if file.spans.contains(&span) { "correction" } else { "deletion" };
        insert.execute((file_id, &span.account_last4, &date, &date, kind))?;
    }
    for span in &file.spans {
        let (first, last) = (span.first.to_string(), span.last.to_string());
        insert.execute((file_id, &span.account_last4, first, last, None::<&str>))?;
    }
    Ok(())
}

/// Deletes the earlier content of the file and inserts an empty row; returns its number.
fn replace_file(transaction: &Transaction<'_>, bank: &str, path: &str) -> rusqlite::Result<i64> {
    transaction.execute("delete from bank_file where bank = ?1 and path = ?2", (bank, path))?;
    transaction.query_row(
        "insert into bank_file (bank, path, sha256, configuration_digest, lines, other_lines, \
         quarantined, first_fault) values (?1, ?2, '', '', 0, 0, 0, '') returning file_id",
        (bank, path),
        |row| row.get(0),
    )
}

fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn natural(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    /// Steps that the statements of one account take where each day has a file of its own.
    fn steps(days: u32) -> i32 {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tieout.db")).unwrap();
        let connection = store.connection();
        connection
            .execute_batch("create temp table asof as select '2026-12-31' as business_date")
            .unwrap();
        for rows in [
            "bank_file (file_id, bank, path, sha256, configuration_digest, lines, other_lines, \
             quarantined, first_fault) select n, 'bank', 'file ' || n, '', '', 1, 0, 0, ''",
            "bank_span (file_id, account_last4, first_date, last_date) \
             select n, '1234', date('2026-01-01', n || ' days'), '2026-12-31'",
            "bank_line (file_id, ordinal, line_key, line, account_last4, date, amount_minor, \
             currency) select n, 1, n, 1, '1234', date('2026-01-01', n || ' days'), 100, 'USD'",
        ] {
            let sql = format!(
                "with recursive days (n) as (select 1 union all select n + 1 from days where n < ?1) \
                 insert into {rows} from days"
            );
            connection.execute(&sql, [days]).unwrap();
        }
        let mut steps = 0;
        for sql in [include_str!("../sql/banks/lines.sql"), include_str!("../sql/banks/spans.sql")]
        {
            let mut statement = connection.prepare(sql).unwrap();
            statement.raw_bind_parameter(1, "bank").unwrap();
            if statement.parameter_count() > 1 {
                statement.raw_bind_parameter(2, "2026-01-01").unwrap();
            }
            let mut rows = statement.raw_query();
            let mut count = 0;
            while rows.next().unwrap().is_some() {
                count += 1;
            }
            assert_eq!(count, days);
            drop(rows);
            steps += statement.get_status(StatementStatus::VmStep);
        }
        steps
    }

    #[test]
    fn a_file_more_costs_what_one_before_it_did() {
        let (few, many) = (steps(40), steps(320));
        assert!(many < 10 * few, "{few} steps for 40 files, {many} for 320");
    }
}
