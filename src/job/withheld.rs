//! What matching found missing and nobody can be told of, since a part of what it could be paired
//! with is not known. Judges rows; never drops one.

use super::book_rows::Matched;
use crate::matching::{ItemState, LedgerCode, RecordState};
use crate::store::BookFinding;

/// Why the row is not evaluated; `None` when it can be told.
pub(super) fn why(row: &BookFinding, matched: &Matched<'_>) -> Option<String> {
    if row.code == LedgerCode::MissingInLedger.as_str() {
        around_days_not_read(row, matched).or_else(|| unweighed(row, matched))
    } else if row.code == LedgerCode::MissingAtProcessor.as_str() {
        unweighable(row, matched)
    } else {
        None
    }
}

/// Why an item cannot be said to have no ledger record: one that could be its own is out of
/// scope, because not every day was read on which that one's item could lie.
fn around_days_not_read(row: &BookFinding, matched: &Matched<'_>) -> Option<String> {
    let (terms, item_date) = (matched.terms, row.batch_date?);
    let mut records = matched.input.records.iter().zip(&matched.outcome.records);
    let (record, _) = records.find(|(record, state)| {
        record.day_not_read
            && !matches!(state, RecordState::Matched { .. })
            && Some(record.amount.0) == row.actual.map(i64::abs)
            && Some(record.currency) == row.currency
            && terms.banking_days.distance(record.date, item_date) <= terms.window_days
    })?;
    Some(format!(
        "ledger record {} of {} could be its own, but the days around it were not read completely",
        record.ledger_id, record.date
    ))
}

/// Why an item of which the amount or the currency is not known cannot be said to have no ledger
/// record: one that nothing else was paired with could be its own.
fn unweighed(row: &BookFinding, matched: &Matched<'_>) -> Option<String> {
    if row.actual.is_some() && row.currency.is_some() {
        return None;
    }
    let (terms, item_date) = (matched.terms, row.batch_date?);
    let mut records = matched.input.records.iter().zip(&matched.outcome.records);
    let (record, _) = records.find(|(record, state)| {
        matches!(state, RecordState::Unmatched(_))
            && terms.banking_days.distance(record.date, item_date) <= terms.window_days
    })?;
    Some(format!(
        "item {} of {item_date} has no amount or no currency, and ledger record {} of {} could be \
         its own",
        row.subject, record.ledger_id, record.date
    ))
}

/// Why a ledger record cannot be said to have nothing at the processor: an item of which the
/// amount or the currency is not known could be its own.
fn unweighable(row: &BookFinding, matched: &Matched<'_>) -> Option<String> {
    let (terms, record_date) = (matched.terms, row.batch_date?);
    let mut items = matched.input.items.iter().zip(&matched.outcome.items);
    let (item, _) = items.find(|(item, state)| {
        (item.amount.is_none() || item.currency.is_none())
            && item.amount.is_none_or(|amount| Some(amount.0) == row.expected)
            && item.currency.is_none_or(|currency| Some(currency) == row.currency)
            && matches!(state, ItemState::Unmatched(_))
            && terms.banking_days.distance(record_date, item.day) <= terms.window_days
    })?;
    Some(format!(
        "{} {} of {} has no amount or no currency, and could be ledger record {} of {record_date}",
        item.kind.as_str(),
        item.item_id,
        item.day,
        row.ledger_id
    ))
}
