//! Writes bank transfers, which appear in several listings each, and notes these listings.

use std::collections::BTreeMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension, named_params, params};
use serde_json::json;

use super::returns;
use super::values::{code, minor};
use crate::reading::Reading;
use tieout_model::{BankTransfer, Selector, TransferKind};

/// Unchanged bank transfers by number, with the newest reading that held them: most appear in
/// several listings of a night. They are assigned to it together, before the transaction is
/// committed, as every statement keeps an undo log of its changes.
pub(super) type Same = BTreeMap<i64, i64>;

/// Assigns the unchanged bank transfers to their newest readings.
pub(super) fn tell_the_same(connection: &Connection, same: &mut Same) -> rusqlite::Result<()> {
    if same.is_empty() {
        return Ok(());
    }
    let pairs = json!(same.iter().collect::<Vec<_>>());
    let changed = connection
        .prepare_cached(include_str!("../../sql/ingest/same_transfers.sql"))?
        .execute([pairs.to_string()])?;
    assert_eq!(changed, same.len(), "the rows were there");
    same.clear();
    Ok(())
}

/// The statements that store bank transfers.
pub(super) struct Transfers<'connection> {
    connection: &'connection Connection,
    find: CachedStatement<'connection>,
    insert: CachedStatement<'connection>,
    again: CachedStatement<'connection>,
    said: CachedStatement<'connection>,
    list: CachedStatement<'connection>,
}

/// The stored row of a bank transfer.
struct Stored {
    number: i64,
    /// The newest reading that held it.
    reading_id: i64,
    says_the_same: bool,
}

/// The result of storing a bank transfer.
pub(super) struct Kept {
    /// Whether this reading, or a newer one of the same listing, is the first of its readings to
    /// hold it.
    pub(super) is_listed: bool,
    /// Whether this reading has listed it with another content.
    pub(super) is_contradicted: bool,
}

impl<'connection> Transfers<'connection> {
    pub(super) fn prepare(connection: &'connection Connection) -> rusqlite::Result<Self> {
        let prepare = |sql| connection.prepare_cached(sql);
        Ok(Self {
            connection,
            find: prepare(
                "select transfer_number, reading, content, status, amount_minor \
                 from bank_transfer where transfer_id = ?1 and kind = ?2",
            )?,
            insert: prepare(include_str!("../../sql/ingest/bank_transfer.sql"))?,
            again: prepare(include_str!("../../sql/ingest/bank_transfer_again.sql"))?,
            said: prepare(include_str!("../../sql/ingest/transfer_said.sql"))?,
            list: prepare(include_str!("../../sql/ingest/transfer_listed.sql"))?,
        })
    }

    /// Stores the transfer, unless this reading or a newer one has stored the same content, and
    /// notes that it appeared in the listing.
    pub(super) fn keep(
        &mut self,
        same: &mut Same,
        reading: &Reading,
        transfer: &BankTransfer,
        content: i64,
    ) -> rusqlite::Result<Kept> {
        let mut stored = self.stored(transfer, content)?;
        if let Some(stored) = &mut stored
            && let Some(held) = same.get(&stored.number)
        {
            stored.reading_id = *held;
        }
        let number = match &stored {
            Some(stored) if stored.reading_id >= reading.reading_id => stored.number,
            // Most appear in several listings, with the same content in each.
            Some(stored) if stored.says_the_same => {
                same.insert(stored.number, reading.reading_id);
                stored.number
            }
            before => {
                // The version that is kept of the old row names the last reading that held it.
                if before.is_some() {
                    tell_the_same(self.connection, same)?;
                }
                let known = before.as_ref().map(|stored| stored.number);
                self.write(known, reading, transfer, content)?
            }
        };
        self.list(reading, number, content)
    }

    fn stored(
        &mut self,
        transfer: &BankTransfer,
        content: i64,
    ) -> rusqlite::Result<Option<Stored>> {
        let key = (transfer.transfer_id.as_str(), transfer.kind.as_str());
        self.find
            .query_row(key, |row| {
                Ok(Stored {
                    number: row.get(0)?,
                    reading_id: row.get(1)?,
                    // The status and the amount are compared besides the hash of the content.
                    says_the_same: row.get::<_, i64>(2)? == content
                        && row.get_ref(3)?.as_str()? == transfer.status
                        && row.get::<_, Option<i64>>(4)? == minor(transfer.amount),
                })
            })
            .optional()
    }

    /// Writes a new row, or overwrites the one with the number `known`; returns the number.
    fn write(
        &mut self,
        known: Option<i64>,
        reading: &Reading,
        transfer: &BankTransfer,
        content: i64,
    ) -> rusqlite::Result<i64> {
        let statement = if known.is_some() { &mut self.again } else { &mut self.insert };
        statement.execute(params![
            transfer.kind.as_str(),
            transfer.transfer_id.as_str(),
            transfer.terminal_id.as_str(),
            transfer.order_id.as_deref(),
            transfer.run_at.map(moment),
            minor(transfer.amount),
            code(transfer.currency),
            transfer.transfer_type,
            transfer.status,
            transfer.account_last4.as_deref(),
            transfer.representment.as_ref().map(|payment| payment.payment_id.as_str()),
            transfer.payment.as_ref().map(|payment| payment.payment_id.as_str()),
            reading.reading_id,
            content,
        ])?;
        let number = known.unwrap_or_else(|| self.connection.last_insert_rowid());
        self.said.execute((number, reading.reading_id))?;
        if transfer.kind == TransferKind::Payment {
            if known.is_some() {
                for table in ["transfer_return", "refund_summary"] {
                    self.connection
                        .prepare_cached(&format!("delete from {table} where payment_id = ?1"))?
                        .execute([transfer.transfer_id.as_str()])?;
                }
            }
            returns::write(self.connection, transfer)?;
            write_refund_summaries(self.connection, transfer)?;
        }
        Ok(number)
    }

    fn list(&mut self, reading: &Reading, number: i64, content: i64) -> rusqlite::Result<Kept> {
        let is_settled = matches!(reading.listing.selector, Selector::Settled { .. });
        let row = (reading.listing_id, number, reading.reading_id, content, is_settled);
        let is_new = self.list.execute(row)? > 0;
        if is_new {
            return Ok(Kept { is_listed: true, is_contradicted: false });
        }
        let (listed_in, said): (i64, i64) = self
            .connection
            .prepare_cached(
                "select reading, content from transfer_listed \
                 where listing_id = ?1 and transfer_number = ?2",
            )?
            .query_row((reading.listing_id, number), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Kept {
            is_listed: listed_in > reading.reading_id,
            is_contradicted: listed_in == reading.reading_id && said != content,
        })
    }
}

fn moment(moment: chrono::DateTime<chrono::Utc>) -> String {
    moment.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
}

fn write_refund_summaries(connection: &Connection, payment: &BankTransfer) -> rusqlite::Result<()> {
    let payment_id = payment.transfer_id.as_str();
    let mut insert =
        connection.prepare_cached(include_str!("../../sql/ingest/refund_summary.sql"))?;
    for refund in &payment.refunds {
        insert.execute(named_params! {
            ":payment_id": payment_id,
            ":refund_id": refund.refund_id.as_str(),
            ":run_at": refund.run_at.map(moment),
            ":currency": code(refund.currency),
            ":amount_minor": minor(refund.amount),
            ":status": refund.status,
        })?;
    }
    Ok(())
}
