//! Pass 5: the same day and amount, if equal numbers of items and records are left and none of them
//! contradict each other. First by an item's first day, then by its second. Where their numbers
//! differ, nothing says which one is missing: all of them are one ambiguity, after the last pass.

use super::input::Last4;
use super::keys::{day_key, money_key};
use super::progress::{Progress, Side};
use super::states::Pass;

/// Kind, currency, amount and day in one number; and a position.
type Ticket = (u128, u32);

/// Runs the pass.
pub(super) fn run(progress: &mut Progress<'_>, side: Side) {
    on_each_day(progress, side, pair_as_many);
}

/// Sets aside what is left since the start in unequal numbers.
pub(super) fn set_aside(progress: &mut Progress<'_>) {
    on_each_day(progress, Side::Since, set_unequal_aside);
}

/// Applies `settle` to the items and the records left of each day, kind, currency and amount.
fn on_each_day(
    progress: &mut Progress<'_>,
    side: Side,
    settle: fn(&mut Progress<'_>, &[Ticket], &[Ticket]),
) {
    for which_day in 0..2 {
        let mut items: Vec<Ticket> = progress
            .items_left(side)
            .filter_map(|position| {
                let item = progress.item(position);
                let key = money_key(item.kind.ledger_kind(), item.currency?, item.amount?);
                // An item without a second day was compared on its first; what has not settled has no
                // first.
                let day = match which_day {
                    0 if progress.is_waiting(position) => return None,
                    0 => item.day,
                    _ => item.second_day?,
                };
                Some((key | day_key(day), position))
            })
            .collect();
        let mut records: Vec<Ticket> = progress
            .records_left(side)
            .map(|position| {
                let record = progress.record(position);
                let key = money_key(record.kind, record.currency, record.amount);
                (key | day_key(record.date), position)
            })
            .collect();
        items.sort_unstable();
        records.sort_unstable();
        let mut others = records.chunk_by(|one, other| one.0 == other.0).peekable();
        for same in items.chunk_by(|one, other| one.0 == other.0) {
            while others.next_if(|other| other[0].0 < same[0].0).is_some() {}
            if let Some(equal) = others.next_if(|other| other[0].0 == same[0].0) {
                settle(progress, same, equal);
            }
        }
    }
}

fn pair_as_many(progress: &mut Progress<'_>, items: &[Ticket], records: &[Ticket]) {
    if items.len() != records.len() {
        return;
    }
    if let ([item], [record]) = (items, records) {
        if progress.agree(item.1, record.1) {
            progress.pair(Pass::Unique, &[item.1], &[record.1]);
        }
        return;
    }
    let mut items: Vec<u32> = items.iter().map(|one| one.1).collect();
    let mut records: Vec<u32> = records.iter().map(|one| one.1).collect();
    if !agree_all(progress, &items, &records) {
        return;
    }
    progress.sort_items(&mut items);
    progress.sort_records(&mut records);
    for (item, record) in items.into_iter().zip(records) {
        progress.pair(Pass::Unique, &[item], &[record]);
    }
}

fn set_unequal_aside(progress: &mut Progress<'_>, items: &[Ticket], records: &[Ticket]) {
    if items.len() == records.len() {
        return;
    }
    let items: Vec<u32> = items.iter().map(|one| one.1).collect();
    let records: Vec<u32> = records.iter().map(|one| one.1).collect();
    // A record that names a payment may still be the counter-entry of an undecided dispute.
    let is_any_naming = records.iter().any(|one| progress.naming_payments.contains(one));
    if !is_any_naming && agree_all(progress, &items, &records) {
        progress.mark_ambiguous(Pass::Unique, items, records);
    }
}

/// Whether no item contradicts any of the records, without comparing each with each.
fn agree_all(progress: &Progress<'_>, items: &[u32], records: &[u32]) -> bool {
    let item_last4 = Carried::of(items.iter().map(|&one| progress.item(one).last4));
    let record_last4 = Carried::of(records.iter().map(|&one| progress.record(one).last4));
    let order = |number: u32| (number != 0).then_some(number);
    let item_orders = items.iter().map(|&one| order(progress.item_orders[one as usize]));
    let record_orders = records.iter().map(|&one| order(progress.record_orders[one as usize]));
    agree::<Last4>(&item_last4, &record_last4)
        && agree(&Carried::of(item_orders), &Carried::of(record_orders))
}

/// The values of one field on a side: none, one, or several.
enum Carried<T> {
    Nothing,
    One(T),
    Several,
}

impl<T: PartialEq> Carried<T> {
    fn of(values: impl Iterator<Item = Option<T>>) -> Self {
        let mut carried = Self::Nothing;
        for value in values.flatten() {
            carried = match carried {
                Self::Nothing => Self::One(value),
                Self::One(one) if one == value => Self::One(one),
                Self::One(_) | Self::Several => return Self::Several,
            };
        }
        carried
    }
}

fn agree<T: PartialEq>(one: &Carried<T>, other: &Carried<T>) -> bool {
    match (one, other) {
        (Carried::Nothing, _) | (_, Carried::Nothing) => true,
        (Carried::One(one), Carried::One(other)) => one == other,
        _ => false,
    }
}
