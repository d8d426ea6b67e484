//! Passes 3 and 4: the same amount and last four digits on the same day, then on days at a distance
//! of 1, 2, … banking days, nearest first. Either day of an item will do.
//!
//! Both passes work inside one group of kind, currency, amount and last four. A group of n costs n
//! log n for each distance of the window, for any content.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::interchange::{carry_out, decide};
use super::nearby_places::pair_nearby;
use super::progress::{Progress, Side};
use super::spelling::orders_agree;
use super::states::Pass;
use super::tickets::{ItemTicket, RecordTicket, ticket_of_item, ticket_of_record};

/// Runs both passes over one side of the start date.
pub(super) fn run(progress: &mut Progress<'_>, side: Side) {
    let mut items: Vec<ItemTicket> =
        progress.items_left(side).filter_map(|at| ticket_of_item(progress, at)).collect();
    let mut records: Vec<RecordTicket> =
        progress.records_left(side).filter_map(|at| ticket_of_record(progress, at)).collect();
    items.sort_unstable();
    records.sort_unstable();
    let mut others = records.chunk_by(|one, other| one.0 == other.0).peekable();
    for same in items.chunk_by(|one, other| one.0 == other.0) {
        while others.next_if(|other| other[0].0 < same[0].0).is_some() {}
        let Some(equal) = others.next_if(|other| other[0].0 == same[0].0) else { continue };
        if let ([item], [record]) = (same, equal) {
            pair_two(progress, item, record);
            continue;
        }
        pair_same_day(progress, same, equal, 0);
        pair_same_day(progress, same, equal, 1);
        pair_nearby(progress, same, equal);
    }
}

/// The common case, without any list: one item and one record. Takes the days from the tickets,
/// since a million visits to the records would cost more than the sort.
fn pair_two(progress: &mut Progress<'_>, item: &ItemTicket, record: &RecordTicket) {
    if !orders_agree(item.3, record.3) {
        return;
    }
    let terms = progress.input.terms;
    let away = item.1.map(|day| terms.banking_days.distance(day, record.1));
    let distance = away[0].min(away[1]);
    if distance <= terms.window_days {
        let pass = if distance == 0 { Pass::SameDay } else { Pass::NearbyDay };
        progress.pair(pass, &[item.2], &[record.2]);
    }
}

/// Pairs records with items whose first or second day is the record's date.
fn pair_same_day(
    progress: &mut Progress<'_>,
    items: &[ItemTicket],
    records: &[RecordTicket],
    which_day: usize,
) {
    // What has not settled has no first day.
    let has_day = |item: u32| which_day > 0 || !progress.is_waiting(item);
    let open = items.iter().filter(|one| progress.is_item_open(one.2) && has_day(one.2));
    let mut items: Vec<(NaiveDate, u32)> = open.map(|one| (one.1[which_day], one.2)).collect();
    let open = records.iter().filter(|one| progress.is_record_open(one.2));
    let records: Vec<(NaiveDate, u32)> = open.map(|one| (one.1, one.2)).collect();
    items.sort_unstable();
    let mut others = records.chunk_by(|one, other| one.0 == other.0).peekable();
    for same in items.chunk_by(|one, other| one.0 == other.0) {
        while others.next_if(|other| other[0].0 < same[0].0).is_some() {}
        let Some(equal) = others.next_if(|other| other[0].0 == same[0].0) else { continue };
        let positions = |ones: &[(NaiveDate, u32)]| ones.iter().map(|one| one.1).collect();
        for (items, records) in by_order(progress, positions(same), positions(equal)) {
            let decision = decide(progress, items, records, false);
            carry_out(progress, Pass::SameDay, decision);
        }
    }
}

/// Splits the entries by order id if all carry one: entries with different order ids never fit.
fn by_order(
    progress: &Progress<'_>,
    items: Vec<u32>,
    records: Vec<u32>,
) -> Vec<(Vec<u32>, Vec<u32>)> {
    let item_order = |item: u32| progress.item_orders[item as usize];
    let record_order = |record: u32| progress.record_orders[record as usize];
    let is_any_plain = items.iter().any(|&one| item_order(one) == 0)
        || records.iter().any(|&one| record_order(one) == 0);
    if is_any_plain {
        return vec![(items, records)];
    }
    let mut orders: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for item in items {
        orders.entry(item_order(item)).or_default().0.push(item);
    }
    for record in records {
        orders.entry(record_order(record)).or_default().1.push(record);
    }
    orders.into_values().collect()
}
