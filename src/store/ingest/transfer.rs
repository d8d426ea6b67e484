//! Writes bank transfers, which stand in several listings each, and notes in which.

use rusqlite::{CachedStatement, Connection, named_params, params};

use super::{Reading, code, minor};
use crate::model::{BankTransfer, TransferKind};

/// The statements that store bank transfers.
pub(super) struct Transfers<'connection> {
    connection: &'connection Connection,
    again: CachedStatement<'connection>,
    write: CachedStatement<'connection>,
    list: CachedStatement<'connection>,
}

impl<'connection> Transfers<'connection> {
    pub(super) fn prepare(connection: &'connection Connection) -> rusqlite::Result<Self> {
        let prepare = |sql| connection.prepare_cached(sql);
        Ok(Self {
            connection,
            again: prepare(include_str!("../../../sql/ingest/bank_transfer_again.sql"))?,
            write: prepare(include_str!("../../../sql/ingest/bank_transfer.sql"))?,
            list: prepare(include_str!("../../../sql/ingest/transfer_listed.sql"))?,
        })
    }

    /// Stores what the transfer says; answers whether this reading is now the newest that holds it,
    /// and was not before.
    pub(super) fn write(
        &mut self,
        reading: &Reading,
        transfer: &BankTransfer,
        content: i64,
    ) -> rusqlite::Result<bool> {
        // Most stand in several listings, and say the same in each.
        let is_same = self.again.execute(params![
            transfer.kind.as_str(),
            transfer.transfer_id.as_str(),
            reading.reading_id,
            content,
            transfer.status,
            minor(transfer.amount),
        ])? > 0;
        if is_same {
            return Ok(true);
        }
        let changed = self.write.execute(params![
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
        ])? > 0;
        if changed && transfer.kind == TransferKind::Payment {
            replace_returns(self.connection, transfer)?;
            replace_refund_summaries(self.connection, transfer)?;
        }
        Ok(changed)
    }

    /// Notes that the transfer stood in the listing; answers whether this reading, or a newer
    /// one of the same listing, is the first of its readings to hold it.
    pub(super) fn list(
        &mut self,
        reading: &Reading,
        transfer: &BankTransfer,
    ) -> rusqlite::Result<bool> {
        let changed = self.list.execute((
            reading.listing_id,
            transfer.kind.as_str(),
            transfer.transfer_id.as_str(),
            reading.reading_id,
        ))?;
        if changed > 0 {
            return Ok(true);
        }
        let listed_in: i64 = self
            .connection
            .prepare_cached(
                "select reading from transfer_listed where listing_id = ?1 and transfer_id = ?2",
            )?
            .query_row((reading.listing_id, transfer.transfer_id.as_str()), |row| row.get(0))?;
        Ok(listed_in > reading.reading_id)
    }
}

fn moment(moment: chrono::DateTime<chrono::Utc>) -> String {
    moment.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
}

fn replace_returns(connection: &Connection, payment: &BankTransfer) -> rusqlite::Result<()> {
    let payment_id = payment.transfer_id.as_str();
    connection
        .prepare_cached("delete from transfer_return where payment_id = ?1")?
        .execute([payment_id])?;
    let mut insert =
        connection.prepare_cached(include_str!("../../../sql/ingest/transfer_return.sql"))?;
    for returned in &payment.returns {
        insert.execute(named_params! {
            ":payment_id": payment_id,
            ":return_id": returned.return_id.as_str(),
            ":return_date": returned.date.to_string(),
            ":code": returned.code,
            ":reason": returned.reason,
            ":represented": returned.represented,
            ":closed": returned.closed,
        })?;
    }
    Ok(())
}

fn replace_refund_summaries(
    connection: &Connection,
    payment: &BankTransfer,
) -> rusqlite::Result<()> {
    let payment_id = payment.transfer_id.as_str();
    connection
        .prepare_cached("delete from refund_summary where payment_id = ?1")?
        .execute([payment_id])?;
    let mut insert =
        connection.prepare_cached(include_str!("../../../sql/ingest/refund_summary.sql"))?;
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
