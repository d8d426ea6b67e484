//! Kinds that a world contains only when named: each occurs, is counted, and ties out in money.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::details::{CORRECTION_NOTICE, DISHONORED};
use crate::world::disputes::{Dispute, DisputeStatus};
use crate::world::records::{CardKind, Records, Transfer};
use crate::{Kind, World, WorldOptions};

fn world(seed: u64, kinds: &[Kind]) -> World {
    World::generate(&options(seed, kinds)).unwrap().0
}

fn options(seed: u64, kinds: &[Kind]) -> WorldOptions {
    WorldOptions {
        seed,
        from: "2026-11-02".parse().unwrap(),
        to: "2026-11-20".parse().unwrap(),
        merchants: 12,
        transactions_per_day: 160,
        plants: Vec::new(),
        kinds: kinds.to_vec(),
        lateness: None,
    }
}

#[test]
fn each_occurs_where_it_is_named_and_is_counted() {
    for kind in Kind::NAMED {
        let counts = (0..3).map(|seed| world(seed, &[kind]).occurrences());
        let counts: Vec<usize> =
            counts.map(|found| found.get(&kind).copied().unwrap_or_default()).collect();
        let worlds = counts.iter().filter(|count| **count > 0).count();
        assert!(worlds >= 2, "{}: {counts:?}", kind.name());
        assert_eq!(Kind::find(kind.name()), Some(kind));
        assert!(!Kind::clean_for(true).contains(&kind));
    }
    assert!(world(1, &[]).occurrences().is_empty());
}

#[test]
fn worlds_with_all_of_them_tie_out_in_money() {
    for seed in 0..3 {
        let world = world(seed, &Kind::NAMED);
        let records = world.records();
        headers(records, seed);
        deposits(records, seed);
        let adjusted: i64 = records.deposits.iter().map(|one| one.ach_adjustment).sum();
        assert_eq!(adjusted, known(records), "seed {seed}");
    }
}

/// Asserts that each merchant-day's headers are the sums of its items and settled bank transfers.
fn headers(records: &Records, seed: u64) {
    let mut days: BTreeMap<_, [i64; 3]> = BTreeMap::new();
    for batch in &records.batches {
        let sums = days.entry((batch.merchant, batch.date)).or_default();
        add(sums, [batch.sales, batch.returns, batch.count], 1);
    }
    for item in records.authorizations.iter().filter(|item| item.kind != CardKind::None) {
        let sums = days.entry((item.merchant as usize, item.date)).or_default();
        let is_return = item.kind == CardKind::Return;
        add(sums, figures(is_return, item.amount), -1);
    }
    for one in records.transfers.iter().filter(|one| one.is_item()) {
        let day = (one.merchant, one.settled.unwrap());
        let sums = days.entry(day).or_default();
        add(sums, figures(one.transfer_type.is_refund(), one.amount), -1);
    }
    for (day, sums) in days {
        assert_eq!(sums, [0, 0, 0], "seed {seed}: {day:?}");
    }
}

fn figures(is_return: bool, amount: i64) -> [i64; 3] {
    if is_return { [0, amount, 1] } else { [amount, 0, 1] }
}

fn add(sums: &mut [i64; 3], figures: [i64; 3], sign: i64) {
    for (sum, figure) in sums.iter_mut().zip(figures) {
        *sum += sign * figure;
    }
}

/// Asserts that deposits add up, as do their fees, and that they pay the amounts of the headers
/// less those that another company pays.
fn deposits(records: &Records, seed: u64) {
    let mut left: BTreeMap<usize, [i64; 3]> = BTreeMap::new();
    for batch in &records.batches {
        add(left.entry(batch.merchant).or_default(), [batch.sales, batch.returns, batch.count], 1);
    }
    for item in records.authorizations.iter().filter(|item| item.kind != CardKind::None) {
        if item.deposit_id == 0 {
            let is_return = item.kind == CardKind::Return;
            let sums = left.entry(item.merchant as usize).or_default();
            add(sums, figures(is_return, item.amount), -1);
        }
    }
    for one in &records.deposits {
        assert_eq!(one.components(), one.net_amount, "seed {seed}");
        let fees = records.fees.iter().filter(|fee| fee.deposit_id == Some(one.id));
        assert_eq!(fees.map(|fee| fee.amount).sum::<i64>(), one.daily_fees, "seed {seed}");
        let sums = left.entry(one.merchant).or_default();
        add(sums, [one.sales, one.returns, one.transactions], -1);
    }
    assert!(left.values().all(|sums| *sums == [0, 0, 0]), "seed {seed}: {left:?}");
}

/// The deducted returns and the movements of disputes.
fn known(records: &Records) -> i64 {
    let last: BTreeMap<usize, _> =
        records.batches.iter().map(|batch| (batch.merchant, batch.date)).collect();
    let returned: i64 = records.transfers.iter().map(|one| deducted(one, &last)).sum();
    returned + records.disputes.iter().map(moved).sum::<i64>()
}

fn deducted(one: &Transfer, last: &BTreeMap<usize, chrono::NaiveDate>) -> i64 {
    let Some(settled) = one.settled else { return 0 };
    let counted = one.returns.iter().filter(|entry| {
        settled <= entry.date
            && entry.date <= last[&one.merchant]
            && entry.code != CORRECTION_NOTICE
    });
    counted.map(|entry| if entry.code == DISHONORED { -one.amount } else { one.amount }).sum()
}

/// A dispute from before the first date was debited long ago.
fn moved(dispute: &Dispute) -> i64 {
    let has = |wanted| dispute.statuses.iter().any(|(status, _)| *status == wanted);
    match (dispute.item.is_none(), has(DisputeStatus::PrearbitrationAccepted)) {
        (true, _) => -dispute.amount,
        (false, true) => dispute.amount,
        (false, false) => 0,
    }
}

#[test]
fn books_of_these_kinds_add_up_to_what_they_stand_for() {
    let kinds = [Kind::PaidTogether, Kind::Instalments, Kind::OrdersInParts, Kind::Subscriptions];
    for seed in 0..2 {
        let (plain, written) = (world(seed, &kinds[2..]), world(seed, &kinds));
        let named = |world: &World| -> BTreeSet<String> {
            world.items_behind_books().into_values().flatten().collect()
        };
        assert_eq!(named(&plain), named(&written), "seed {seed}");
        assert!(written.items_behind_books().len() > plain.items_behind_books().len());
    }
}
