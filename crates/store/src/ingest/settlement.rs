//! Writes deposits, fees and batches, which are few.

use rusqlite::{Connection, named_params};

use super::held::{Held, is_first};
use super::page::{IngestError, PageContent};
use super::values::{code, day, minor, text};
use crate::page_number::PageNumber;
use crate::reading::Reading;
use crate::tally::ordinal;
use tieout_model::{Batch, Deposit, Fee, MerchantId, Record};

pub(super) fn insert_deposit(
    connection: &Connection,
    reading: &Reading,
    deposit: &Deposit,
    content: i64,
) -> rusqlite::Result<bool> {
    let changed = connection
        .prepare_cached(include_str!("../../sql/ingest/deposit.sql"))?
        .execute(named_params! {
            ":ach_deposit_id": deposit.ach_deposit_id.0,
            ":day": day(deposit.payment_date, reading),
            ":merchant_id": deposit.merchant.merchant_id.as_ref().map(MerchantId::as_str),
            ":association_date": text(deposit.association_date),
            ":ach_date": text(deposit.ach_date),
            ":payment_date": text(deposit.payment_date),
            ":transactions": deposit.transactions,
            ":sales_minor": minor(deposit.sales),
            ":returns_minor": minor(deposit.returns),
            ":daily_fees_minor": minor(deposit.daily_fees),
            ":held_sales_minor": minor(deposit.held_sales),
            ":ach_adjustment_minor": minor(deposit.ach_adjustment),
            ":holdback_minor": minor(deposit.holdback),
            ":reserve_release_minor": minor(deposit.reserve_release),
            ":net_amount_minor": minor(deposit.net_amount),
            ":reading": reading.reading_id,
            ":content": content,
        })?;
    Ok(changed > 0)
}

/// Two equal fee lines are two fees, so every line is a row.
pub(super) fn insert_fee(
    connection: &Connection,
    reading: &Reading,
    page: PageNumber,
    index: usize,
    fee: &Fee,
) -> rusqlite::Result<bool> {
    connection.prepare_cached(include_str!("../../sql/ingest/fee.sql"))?.execute(
        named_params! {
            ":listing_id": reading.listing_id,
            ":ordinal": ordinal(page, index),
            ":merchant_id": fee.merchant.merchant_id.as_ref().map(MerchantId::as_str),
            ":ach_deposit_id": fee.ach_deposit_id.map(|id| id.0),
            ":association_date": text(fee.association_date),
            ":adjustment_date": text(fee.adjustment_date),
            ":description": fee.description,
            ":amount_minor": minor(fee.amount),
            ":reading": reading.reading_id,
        },
    )?;
    Ok(true)
}

pub(super) fn insert_batch(
    connection: &Connection,
    reading: &Reading,
    batch: &Batch,
    content: i64,
) -> rusqlite::Result<bool> {
    let changed = connection.prepare_cached(include_str!("../../sql/ingest/batch.sql"))?.execute(
        named_params! {
            ":batch_id": batch.batch_id.0,
            ":day": day(batch.date, reading),
            ":merchant_id": batch.merchant.merchant_id.as_ref().map(MerchantId::as_str),
            ":sale_amount_minor": minor(batch.sale_amount),
            ":return_amount_minor": minor(batch.return_amount),
            ":transaction_count": batch.transaction_count,
            ":currency": code(batch.currency),
            ":reading": reading.reading_id,
            ":content": content,
        },
    )?;
    Ok(changed > 0)
}

/// A record that was stored in this reading must keep its content. Returns whether it is listed for
/// the first time while a newer reading holds it: then it counts as stored, though not by this
/// reading.
pub(super) fn refuse_two_contents(
    connection: &Connection,
    reading: &Reading,
    page: &PageContent,
    record: &Record,
    content: i64,
) -> Result<bool, IngestError> {
    let (sql, id) = match record {
        Record::Deposit(deposit) => (
            "select reading, content from deposit where ach_deposit_id = ?1",
            deposit.ach_deposit_id.0,
        ),
        Record::Batch(batch) => {
            ("select reading, content from batch where batch_id = ?1", batch.batch_id.0)
        }
        Record::Dispute(dispute) => {
            ("select reading, content from dispute where dispute_id = ?1", dispute.dispute_id.0)
        }
        // Two equal fee lines are two fees, and all others are compared when they are written.
        Record::Fee(_)
        | Record::Authorization(_)
        | Record::Transaction(_)
        | Record::DisputeStatus(_)
        | Record::BankTransfer(_) => return Ok(false),
    };
    let held = connection.prepare_cached(sql)?.query_row([id], |row| {
        Ok(Held { id, part: 0, reading_id: row.get(0)?, content: row.get(1)? })
    })?;
    is_first(reading, page, record, held.said_before(connection, reading, content)?, content)
}
