//! Writes disputes and their statuses.

use rusqlite::{Connection, named_params};

use super::page::PageContent;
use super::values::{code, day, minor, text};
use crate::reading::Reading;
use crate::tally::ordinal;
use tieout_model::{Dispute, DisputeStatus, MerchantId, Selector};

pub(super) fn insert_dispute(
    connection: &Connection,
    reading: &Reading,
    dispute: &Dispute,
    content: i64,
) -> rusqlite::Result<bool> {
    let transaction = &dispute.transaction;
    let changed = connection
        .prepare_cached(include_str!("../../sql/ingest/dispute.sql"))?
        .execute(named_params! {
            ":dispute_id": dispute.dispute_id.0,
            ":day": day(None, reading),
            ":merchant_id": dispute.merchant.merchant_id.as_ref().map(MerchantId::as_str),
            ":dispute_type": dispute.dispute_type.as_deref(),
            ":status": dispute.status.as_deref(),
            ":status_date": text(dispute.status_date),
            ":created_date": text(dispute.created_date),
            ":received_date": text(dispute.received_date),
            ":reference_number": dispute.reference_number.as_deref(),
            ":amount_minor": minor(dispute.amount),
            ":fee_minor": minor(dispute.fee),
            ":currency": code(dispute.currency),
            ":card_last4": dispute.card_last4.as_deref(),
            ":transaction_id": transaction.transaction_id.map(|id| id.0),
            ":transaction_type": transaction.transaction_type.as_deref(),
            ":transaction_date": text(transaction.date),
            ":transaction_minor": minor(transaction.amount),
            ":reading": reading.reading_id,
            ":content": content,
        })?;
    Ok(changed > 0)
}

/// A status does not name its dispute: the listing does. Two equal statuses are two rows, as the
/// list states them.
pub(super) fn insert_status(
    connection: &Connection,
    reading: &Reading,
    page: &PageContent,
    index: usize,
    status: &DisputeStatus,
) -> rusqlite::Result<bool> {
    let Selector::Dispute(dispute_id) = reading.listing.selector else { return Ok(false) };
    connection.prepare_cached(include_str!("../../sql/ingest/dispute_status.sql"))?.execute(
        named_params! {
            ":listing_id": reading.listing_id,
            ":ordinal": ordinal(page.number, index),
            ":dispute_id": dispute_id.0,
            ":dispute_status_id": status.dispute_status_id,
            ":status": status.status.as_deref(),
            ":status_date": text(status.date),
            ":reading": reading.reading_id,
        },
    )?;
    Ok(true)
}
