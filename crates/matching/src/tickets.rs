//! The fields of an item or a record that passes 3 and 4 compare, as one number, with its days.

use chrono::NaiveDate;

use super::keys::{last4_key, money_key};
use super::progress::Progress;

/// The compared fields as one number; an item's two days; its position; and its order id as a
/// number.
pub(super) type ItemTicket = (u128, [NaiveDate; 2], u32, u32);
pub(super) type RecordTicket = (u128, NaiveDate, u32, u32);

pub(super) fn ticket_of_item(progress: &Progress<'_>, position: u32) -> Option<ItemTicket> {
    let item = progress.item(position);
    let key = money_key(item.kind.ledger_kind(), item.currency?, item.amount?);
    let order = progress.item_orders[position as usize];
    Some((key | last4_key(item.last4?), item.days(), position, order))
}

pub(super) fn ticket_of_record(progress: &Progress<'_>, position: u32) -> Option<RecordTicket> {
    let record = progress.record(position);
    let key = money_key(record.kind, record.currency, record.amount);
    let order = progress.record_orders[position as usize];
    Some((key | last4_key(record.last4?), record.date, position, order))
}
