//! Writes the results of a reconciled date.

use std::collections::BTreeSet;

use rusqlite::{Connection, Transaction};

use super::day::DayOutcome;
use super::kept::{insert, insert_into};
use super::standing;
use crate::match_page;
use crate::seal::seal;
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

/// The columns of a discrepancy that a finding of a closed date has not: they follow from the date
/// that reports it.
const OF_A_REPORT: [&str; 11] = [
    "business_date",
    "status",
    "first_seen",
    "age_days",
    "merchant_name",
    "is_reopened",
    "also_near",
    "owner",
    "ticket",
    "due_date",
    "note",
];

/// A finding that was made before takes these columns from the new one, and keeps the others. One
/// that was withdrawn is to be reported again.
const MADE_AGAIN: &str = "on conflict (closed_date, discrepancy_id) do update set \
     reported_on = case when not is_withdrawn then reported_on end, is_withdrawn = 0, \
     severity = excluded.severity, currency = excluded.currency, \
     expected_currency = excluded.expected_currency, expected = excluded.expected, \
     actual = excluded.actual, batch_date = excluded.batch_date, \
     explanation = excluded.explanation";

/// Keeps a discrepancy as it was found in the closed `date`.
pub(crate) fn write_prior_finding(
    transaction: &Transaction<'_>,
    date: &str,
    found: &Discrepancy,
) -> rusqlite::Result<()> {
    let of_date = [("closed_date", date)];
    insert_into(transaction, "prior_finding", &of_date, &OF_A_REPORT, MADE_AGAIN, [found])?;
    seal(transaction, "prior_finding", &[&date, &found.discrepancy_id])
}
