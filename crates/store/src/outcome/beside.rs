//! Writes and reads the further results of a date: disputes, the state at the banks, the journal
//! and acceptances.

use chrono::{NaiveDate, SecondsFormat};
use rusqlite::{Connection, Row, Transaction, named_params};

use super::day::DayOutcome;
use super::rows::verdict_or_null;
use crate::columns::{
    added, currency_column, date_column, minor_column, moment_column, required_date, wrong,
};
use tieout_model::money::{Currency, Minor};
use tieout_model::{Acceptance, Accounts, BankMatchRow, DisputeRow, JournalEntry, Verdict};

/// The tables of this file. Table sums prove their rows; the digest of a date also covers those
/// that its reports show.
pub(super) const TABLES: [&str; 5] = [
    "dispute_result",
    "bank_match_result",
    "bank_standing_result",
    "journal_result",
    "acceptance_result",
];

pub(super) fn write(
    transaction: &Transaction<'_>,
    date: &str,
    outcome: &DayOutcome,
) -> rusqlite::Result<()> {
    let minor = |amount: Option<Minor>| amount.map(|amount| amount.0);
    let day = |date: Option<NaiveDate>| date.map(|date| date.to_string());
    let mut dispute =
        transaction.prepare_cached(include_str!("../../sql/ingest/dispute_result.sql"))?;
    for row in &outcome.disputes {
        dispute.execute(named_params! {
            ":business_date": date,
            ":dispute_id": row.dispute_id,
            ":merchant_id": row.merchant_id,
            ":merchant_name": row.merchant_name,
            ":currency": row.currency.map(Currency::code),
            ":dispute_type": row.dispute_type,
            ":status": row.status,
            ":status_date": day(row.status_date),
            ":received_date": day(row.received_date),
            ":due_date": day(row.due_date),
            ":amount_minor": minor(row.amount),
            ":fee_minor": minor(row.fee),
            ":transaction_id": row.transaction_id,
            ":authorization_id": row.authorization_id,
            ":ach_deposit_id": row.ach_deposit_id,
            ":verdict": row.verdict,
        })?;
    }
    let mut bank =
        transaction.prepare_cached(include_str!("../../sql/ingest/bank_match_result.sql"))?;
    for (ordinal, row) in (0_i64..).zip(&outcome.bank_matches) {
        bank.execute(named_params! {
            ":business_date": date,
            ":ordinal": ordinal,
            ":ach_deposit_id": row.ach_deposit_id,
            ":merchant_id": row.merchant_id,
            ":merchant_name": row.merchant_name,
            ":currency": row.currency.map(Currency::code),
            ":payment_date": day(row.payment_date),
            ":due_date": day(row.due_date),
            ":net_minor": minor(row.net_amount),
            ":bank": row.bank,
            ":bank_date": day(row.bank_date),
            ":bank_minor": minor(row.bank_amount),
            ":bank_file": row.bank_file,
            ":bank_line": row.bank_line,
            ":verdict": row.verdict,
            ":deposit_verdict": row.deposit_verdict.map(Verdict::as_str),
        })?;
    }
    super::standing::write(transaction, date, &outcome.bank_standing)?;
    write_journal(transaction, date, &outcome.journal)?;
    write_acceptances(transaction, date, &outcome.acceptances)
}

fn write_acceptances(
    transaction: &Transaction<'_>,
    date: &str,
    acceptances: &[Acceptance],
) -> rusqlite::Result<()> {
    let mut insert =
        transaction.prepare_cached(include_str!("../../sql/ingest/acceptance_result.sql"))?;
    for one in acceptances {
        insert.execute(named_params! {
            ":business_date": date,
            ":discrepancy_id": one.discrepancy_id,
            ":who": one.who,
            ":moment": one.moment.to_rfc3339_opts(SecondsFormat::Secs, true),
            ":note": one.note,
            ":accepted_from": one.since.to_string(),
            ":accepted_until": one.until.map(|until| until.to_string()),
            ":is_new": one.is_new,
        })?;
    }
    Ok(())
}

pub(super) fn acceptances(
    connection: &Connection,
    date: &str,
) -> rusqlite::Result<Vec<Acceptance>> {
    let sql = "select * from acceptance_result where business_date = ?1 order by discrepancy_id";
    connection.prepare(sql)?.query_map([date], acceptance)?.collect()
}

fn acceptance(row: &Row<'_>) -> rusqlite::Result<Acceptance> {
    Ok(Acceptance {
        discrepancy_id: row.get("discrepancy_id")?,
        who: row.get("who")?,
        moment: moment_column(row, "moment")?,
        note: row.get("note")?,
        since: required_date(row, "accepted_from")?,
        until: date_column(row, "accepted_until")?,
        is_new: row.get("is_new")?,
    })
}

fn write_journal(
    transaction: &Transaction<'_>,
    date: &str,
    entries: &[JournalEntry],
) -> rusqlite::Result<()> {
    let mut insert =
        transaction.prepare_cached(include_str!("../../sql/ingest/journal_result.sql"))?;
    for entry in entries {
        let amounts = entry.amounts;
        insert.execute(named_params! {
            ":business_date": date,
            ":ach_deposit_id": entry.ach_deposit_id,
            ":merchant_id": entry.merchant_id,
            ":merchant_name": entry.merchant_name,
            ":currency": entry.currency.code(),
            ":cash_minor": amounts.cash.0,
            ":fees_minor": amounts.fees.0,
            ":reserve_minor": amounts.reserve.0,
            ":chargebacks_minor": amounts.chargebacks.0,
            ":returns_minor": amounts.returns.0,
            ":clearing_minor": amounts.clearing.0,
        })?;
    }
    Ok(())
}

pub(super) fn journal(connection: &Connection, date: &str) -> rusqlite::Result<Vec<JournalEntry>> {
    let sql = "select * from journal_result where business_date = ?1 order by ach_deposit_id";
    connection.prepare(sql)?.query_map([date], journal_entry)?.collect()
}

/// A row of `journal_result`.
pub(super) fn journal_entry(row: &Row<'_>) -> rusqlite::Result<JournalEntry> {
    let minor = |name: &str| row.get(name).map(Minor);
    Ok(JournalEntry {
        ach_deposit_id: row.get("ach_deposit_id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?.ok_or_else(|| wrong("currency", ""))?,
        amounts: Accounts {
            cash: minor("cash_minor")?,
            fees: minor("fees_minor")?,
            reserve: minor("reserve_minor")?,
            chargebacks: minor("chargebacks_minor")?,
            returns: minor("returns_minor")?,
            clearing: minor("clearing_minor")?,
        },
    })
}

pub(super) fn disputes(connection: &Connection, date: &str) -> rusqlite::Result<Vec<DisputeRow>> {
    let sql = "select * from dispute_result where business_date = ?1 order by dispute_id";
    connection.prepare(sql)?.query_map([date], dispute)?.collect()
}

pub(super) fn bank_matches(
    connection: &Connection,
    date: &str,
) -> rusqlite::Result<Vec<BankMatchRow>> {
    let sql = "select * from bank_match_result where business_date = ?1 order by ordinal";
    connection.prepare(sql)?.query_map([date], bank_match)?.collect()
}

/// The same columns come from the store and from SQL.
pub fn dispute(row: &Row<'_>) -> rusqlite::Result<DisputeRow> {
    Ok(DisputeRow {
        dispute_id: row.get("dispute_id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        dispute_type: added(row, "dispute_type")?.unwrap_or_default(),
        status: added(row, "status")?.unwrap_or_default(),
        status_date: date_column(row, "status_date")?,
        received_date: date_column(row, "received_date")?,
        due_date: date_column(row, "due_date")?,
        amount: minor_column(row, "amount_minor")?,
        fee: minor_column(row, "fee_minor")?,
        transaction_id: row.get("transaction_id")?,
        authorization_id: row.get("authorization_id")?,
        ach_deposit_id: row.get::<_, Option<String>>("ach_deposit_id")?.unwrap_or_default(),
        verdict: row.get("verdict")?,
    })
}

fn bank_match(row: &Row<'_>) -> rusqlite::Result<BankMatchRow> {
    Ok(BankMatchRow {
        ach_deposit_id: row.get("ach_deposit_id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        payment_date: date_column(row, "payment_date")?,
        due_date: date_column(row, "due_date")?,
        net_amount: minor_column(row, "net_minor")?,
        bank: row.get("bank")?,
        bank_date: date_column(row, "bank_date")?,
        bank_amount: minor_column(row, "bank_minor")?,
        bank_file: row.get("bank_file")?,
        bank_line: row.get("bank_line")?,
        verdict: row.get("verdict")?,
        deposit_verdict: verdict_or_null(row, "deposit_verdict")?,
    })
}
