//! Writes the results of a reconciled date.

use std::collections::BTreeSet;

use rusqlite::{Connection, Transaction, named_params};

use super::day::DayOutcome;
use super::kept::{insert, or_null};
use super::standing;
use crate::match_page;
use crate::seal::seal;
use tieout_model::money::Currency;
use tieout_model::{Discrepancy, MatchRow, NotEvaluated};

pub(crate) fn write_outcome(
    transaction: &Transaction<'_>,
    date: &str,
    outcome: &DayOutcome,
    matches: &[MatchRow],
) -> rusqlite::Result<()> {
    let of_date = ("business_date", date);
    insert(transaction, &[of_date], &outcome.discrepancies)?;
    insert(transaction, &[of_date, ("status", "accepted")], &outcome.accepted)?;
    insert(transaction, &[of_date], distinct(&outcome.not_evaluated))?;
    insert(transaction, &[of_date], &outcome.deposits)?;
    insert(transaction, &[of_date], &outcome.batches)?;
    match_page::write(transaction, date, matches)?;
    insert(transaction, &[of_date], &outcome.in_transit)?;
    insert(transaction, &[of_date], &outcome.summary)?;
    insert(transaction, &[of_date], &outcome.disputes)?;
    for (ordinal, row) in outcome.bank_matches.iter().enumerate() {
        insert(transaction, &[of_date, ("ordinal", &ordinal.to_string())], [row])?;
    }
    standing::write(transaction, date, &outcome.bank_standing)?;
    insert(transaction, &[of_date], &outcome.journal)?;
    insert(transaction, &[of_date], &outcome.acceptances)
}

/// The first of the entries that give the same reason.
fn distinct(entries: &[NotEvaluated]) -> impl Iterator<Item = &NotEvaluated> {
    let mut seen = BTreeSet::new();
    entries.iter().filter(move |entry| {
        let NotEvaluated { code, merchant_id, scope, reason, remedy: _ } = entry;
        seen.insert((code, merchant_id, scope, reason))
    })
}

/// Notes, the first time, the complete listings that the date was judged by: later readings are
/// compared with their content at that time.
pub(crate) fn note_reconciled_listings(
    transaction: &Transaction<'_>,
    date: &str,
) -> rusqlite::Result<()> {
    let newest: i64 = newest_reading(transaction)?;
    transaction.execute(include_str!("../../sql/ingest/reconciled_listing.sql"), (date, newest))?;
    Ok(())
}

pub fn newest_reading(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("select coalesce(max(reading_id), 0) from reading", [], |row| row.get(0))
}

/// Keeps a discrepancy as it was found in the closed `date`.
pub(crate) fn write_prior_finding(
    transaction: &Transaction<'_>,
    date: &str,
    stored: &Discrepancy,
) -> rusqlite::Result<()> {
    let row = &stored;
    transaction.prepare_cached(include_str!("../../sql/ingest/prior_finding.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":discrepancy_id": row.discrepancy_id,
            ":code": row.code,
            ":severity": row.severity.as_str(),
            ":is_carried": stored.is_carried,
            ":subject": stored.subject,
            ":merchant_id": row.merchant_id,
            ":currency": row.currency.map(Currency::code),
            ":figure": row.figure.as_str(),
            ":has_difference": stored.has_difference,
            ":expected": row.expected,
            ":actual": row.actual,
            ":batch_date": row.batch_date.map(|date| date.to_string()),
            ":batch_id": row.ids.batch_id,
            ":ach_deposit_id": row.ids.ach_deposit_id,
            ":authorization_id": row.ids.authorization_id,
            ":transaction_id": row.ids.transaction_id,
            ":payment_id": row.ids.payment_id,
            ":refund_id": row.ids.refund_id,
            ":order_id": row.ids.order_id,
            ":ledger_id": row.ids.ledger_id,
            ":explanation": row.explanation,
            ":action": row.action,
            ":dispute_id": or_null::write(&row.ids.dispute_id),
            ":expected_currency": row.expected_currency.map(Currency::code),
        },
    )?;
    seal(transaction, "prior_finding", &[&date, &row.discrepancy_id])
}
