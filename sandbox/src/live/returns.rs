//! Returned payments, and amounts that a person changes by hand.

use chrono::NaiveDate;

use super::command::{Change, ChangedField, Refusal};
use super::{Live, MAX_AMOUNT, MAX_TRANSFERS};
use crate::world::World;
use crate::world::records::{
    Batch, Deposit, PaymentLink, Return, Transfer, TransferStatus, TransferType,
};

/// Returns a payment of a closed batch on its merchant's current day.
pub(super) fn come_back_today(
    live: &mut Live,
    world: &World,
    at: usize,
    code: usize,
) -> Result<(), Refusal> {
    let payment = live.book(world).transfer(at);
    if payment.transfer_type != TransferType::Payment || !payment.is_kept() {
        let because = "only a payment of a closed batch that was kept comes back";
        return Err(Refusal::State { because });
    }
    if live.transfers.len() >= MAX_TRANSFERS {
        return Err(Refusal::Full);
    }
    let date = live.today[payment.merchant];
    come_back(live, world, at, (date, code));
    Ok(())
}

/// Marks the payment as returned on `date`, adds the return itself, and leaves the amount to the
/// next deposit that deducts it.
pub(super) fn come_back(
    live: &mut Live,
    world: &World,
    at: usize,
    (date, code): (NaiveDate, usize),
) {
    let mut returned = live.book(world).transfer(at).clone();
    live.returned.entry(returned.merchant).or_default().push((date, returned.amount));
    returned.id = live.next_id(world);
    returned.run_at = live.now;
    returned.run_date = date;
    returned.status = TransferStatus::Returned;
    returned.settled = None;
    returned.refunds = Vec::new();
    returned.returns = Vec::new();
    returned.representment = None;
    returned.represents = None;
    returned.payment = PaymentLink::None;
    returned.return_of = Some(at);
    let transfer = live.add(world, returned);
    live.change(world, at, |payment| {
        payment.status = TransferStatus::Returned;
        let entry = Return { transfer, date, code, represented: false, closed: false };
        payment.returns.push(entry);
    });
}

/// Changes one amount without the figures that should agree with it; returns the previous amount.
pub(super) fn change_amount(
    live: &mut Live,
    world: &World,
    change: &Change,
) -> Result<i64, Refusal> {
    assert!(change.amount.abs() <= MAX_AMOUNT, "amounts are checked where they are read");
    let (id, book) = (change.id.parse::<i64>(), live.book(world));
    let amount = change.amount;
    if change.field == ChangedField::Amount {
        let at = book.find(&change.id).ok_or(Refusal::NotFound { what: "payment or refund" })?;
        let before = book.transfer(at).amount;
        live.change(world, at, |transfer: &mut Transfer| transfer.amount = amount);
        return Ok(before);
    }
    if let Some(field) = of_deposit(change.field) {
        let missing = Refusal::NotFound { what: "deposit" };
        let found = id.ok().and_then(|id| book.deposit(id));
        let mut deposit = found.ok_or(missing)?.clone();
        let before = std::mem::replace(field(&mut deposit), amount);
        live.changed_deposits.insert(deposit.id, deposit);
        return Ok(before);
    }
    let found = id.ok().and_then(|id| book.batch(id));
    let mut batch = found.ok_or(Refusal::NotFound { what: "batch" })?.clone();
    let before = std::mem::replace(of_batch(change.field, &mut batch), amount);
    live.changed_batches.insert(batch.id, batch);
    Ok(before)
}

fn of_deposit(field: ChangedField) -> Option<fn(&mut Deposit) -> &mut i64> {
    Some(match field {
        ChangedField::NetAmount => |deposit| &mut deposit.net_amount,
        ChangedField::Sales => |deposit| &mut deposit.sales,
        ChangedField::Returns => |deposit| &mut deposit.returns,
        ChangedField::Transactions => |deposit| &mut deposit.transactions,
        ChangedField::DailyFees => |deposit| &mut deposit.daily_fees,
        ChangedField::AchAdjustment => |deposit| &mut deposit.ach_adjustment,
        _ => return None,
    })
}

fn of_batch(field: ChangedField, batch: &mut Batch) -> &mut i64 {
    match field {
        ChangedField::ReturnAmount => &mut batch.returns,
        ChangedField::TransactionCount => &mut batch.count,
        _ => &mut batch.sales,
    }
}
