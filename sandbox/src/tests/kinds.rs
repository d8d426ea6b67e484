//! Worlds with settlement events beside plain life: each kind occurs, and amounts are conserved.
//! `tests/long/kinds.rs` proves that a night finds such worlds clean.

use std::collections::BTreeMap;

use crate::world::disputes::{Dispute, DisputeStatus};
use crate::world::records::{CardKind, Records, Role, Standing, TransferStatus};
use crate::{Kind, World, WorldOptions, newer_plants};

fn options(seed: u64, kinds: &[Kind]) -> WorldOptions {
    WorldOptions {
        seed,
        from: "2026-11-02".parse().unwrap(),
        to: "2026-11-11".parse().unwrap(),
        merchants: 7,
        transactions_per_day: 80,
        plants: Vec::new(),
        kinds: kinds.to_vec(),
        lateness: None,
    }
}

fn world(seed: u64, kinds: &[Kind]) -> World {
    World::generate(&options(seed, kinds)).unwrap().0
}

/// The number of occurrences of a kind in a world.
fn occurrences(kind: Kind, world: &World) -> usize {
    let records = world.records();
    let items = || records.authorizations.iter();
    let days: Vec<_> = records.batches.iter().map(|batch| (batch.merchant, batch.date)).collect();
    let named: Vec<_> =
        records.deposits.iter().map(|one| (one.merchant, one.association_date)).collect();
    let standing = |wanted: &[Standing]| items().filter(|i| wanted.contains(&i.standing)).count();
    match kind {
        // Each leaves batch dates that no deposit names.
        Kind::WeekendDeposits | Kind::DateBeside => {
            let owed = records.batches.iter().filter(|batch| batch.count > 0);
            owed.filter(|batch| !named.contains(&(batch.merchant, batch.date))).count()
        }
        Kind::SplitCaptures => items().filter(|item| item.part_of != 0).count(),
        Kind::Tips => items().filter(|item| exceeds(item.preauthorization, item.amount)).count(),
        Kind::Disputes => records.disputes.len(),
        Kind::ReturnsWithoutBatch => named.iter().filter(|day| !days.contains(day)).count(),
        Kind::UndatedReturns => records
            .transfers
            .iter()
            .filter(|one| one.status == TransferStatus::Returned && one.return_of.is_none())
            .filter(|one| one.returns.is_empty())
            .count(),
        Kind::Holds => standing(&[
            Standing::Held,
            Standing::HeldFor30Days,
            Standing::HeldAsDuplicate,
            Standing::Released,
            Standing::PartlyReleased,
            Standing::ReleasedAfterAudit,
        ]),
        Kind::ThirdParty => standing(&[Standing::PaidByThirdParty, Standing::SettledByThirdParty]),
        Kind::Withdrawn => standing(&[Standing::Withdrawn]),
        Kind::LateRecords => records.late.batches.len(),
        Kind::RareStatuses => {
            let rare = [TransferStatus::Expired, TransferStatus::Referral, TransferStatus::Pickup];
            records.transfers.iter().filter(|one| rare.contains(&one.status)).count()
        }
        Kind::OrderSpellings
        | Kind::DamagedReferences
        | Kind::OverlappingExports
        | Kind::VoidedEntries
        | Kind::FreeOrders => changed_books(kind, world),
        // Further kinds are counted when they are worked in.
        _ => world.occurrences().get(&kind).copied().unwrap_or_default(),
    }
}

/// Files of the books that differ from those of a plain world.
fn changed_books(kind: Kind, world: &World) -> usize {
    if !world.options().kinds.contains(&kind) {
        return 0;
    }
    let plain = WorldOptions { kinds: Vec::new(), ..world.options().clone() };
    let (plain, base) = (World::generate(&plain).unwrap().0, "http://127.0.0.1:1");
    let plain = plain.files(base);
    world.files(base).iter().filter(|file| !plain.contains(file)).count()
}

fn exceeds(asked: Option<i64>, amount: i64) -> bool {
    asked.is_some_and(|asked| asked > 0 && asked < amount)
}

#[test]
fn every_kind_occurs_and_no_plain_world_holds_one() {
    for kind in Kind::ALL {
        let worlds = (0..8).filter(|seed| occurrences(kind, &world(*seed, &[kind])) > 0).count();
        assert!(worlds >= 6, "{}: {worlds} of 8 worlds", kind.name());
        assert_eq!(occurrences(kind, &world(1, &[])), 0, "{}", kind.name());
        assert_eq!(Kind::find(kind.name()), Some(kind));
    }
}

#[test]
fn headers_equal_their_items_and_deposits_what_is_linked_to_them() {
    for seed in 0..25 {
        let world = world(seed, &Kind::ALL);
        let records = world.records();
        assert_order(records);
        // Sales, returns and count of every merchant.
        let mut paid: BTreeMap<usize, [i64; 3]> = BTreeMap::new();
        let mut owed = paid.clone();
        for batch in &records.batches {
            add(&mut owed, batch.merchant, [batch.sales, batch.returns, batch.count], 1);
        }
        for item in records.authorizations.iter().filter(|item| item.kind != CardKind::None) {
            let merchant = item.merchant as usize;
            let is_out = item.standing != Standing::Ordinary && item.deposit_id == 0;
            match item.standing {
                Standing::PartlyReleased => add(&mut owed, merchant, [item.amount / 3, 0, 0], -1),
                _ if is_out => add(&mut owed, merchant, [item.amount, 0, 1], -1),
                _ => {}
            }
        }
        for deposit in &records.deposits {
            let figures = [deposit.sales, deposit.returns, deposit.transactions];
            add(&mut paid, deposit.merchant, figures, 1);
            assert_eq!(deposit.components(), deposit.net_amount, "seed {seed}");
            let fees = records.fees.iter().filter(|fee| fee.deposit_id == Some(deposit.id));
            assert_eq!(fees.map(|fee| fee.amount).sum::<i64>(), deposit.daily_fees);
        }
        assert_eq!(paid, owed, "seed {seed}");
        assert_eq!(adjusted(records), known(records), "seed {seed}");
    }
}

fn add(to: &mut BTreeMap<usize, [i64; 3]>, merchant: usize, figures: [i64; 3], sign: i64) {
    let sums = to.entry(merchant).or_default();
    for (sum, figure) in sums.iter_mut().zip(figures) {
        *sum += sign * figure;
    }
}

fn assert_order(records: &Records) {
    for pair in records.authorizations.windows(2) {
        assert!(pair[0].id < pair[1].id && pair[0].batch_id <= pair[1].batch_id);
        assert!(pair[0].date <= pair[1].date);
        assert!(pair[0].transaction_id <= pair[1].transaction_id);
    }
    assert!(records.deposits.is_sorted_by(|one, other| one.id < other.id));
    assert!(records.fees.is_sorted_by_key(|fee| fee.listed_date));
    assert!(records.disputes.is_sorted_by(|one, other| one.id < other.id));
}

fn adjusted(records: &Records) -> i64 {
    records.deposits.iter().map(|deposit| deposit.ach_adjustment).sum()
}

/// The returns, dated or not, and the amounts that disputes took and gave.
fn known(records: &Records) -> i64 {
    let last: BTreeMap<usize, chrono::NaiveDate> =
        records.batches.iter().map(|batch| (batch.merchant, batch.date)).collect();
    let mut sum = 0;
    for transfer in &records.transfers {
        let taken_alone = |date| {
            records.deposits.iter().any(|one| {
                (one.merchant, one.association_date) == (transfer.merchant, date)
                    && one.transactions == 0
                    && one.ach_adjustment == transfer.amount
            })
        };
        for entry in &transfer.returns {
            if entry.date <= last[&transfer.merchant] || taken_alone(entry.date) {
                sum += transfer.amount;
            }
        }
        let is_undated = transfer.status == TransferStatus::Returned
            && transfer.returns.is_empty()
            && transfer.return_of.is_none();
        if is_undated {
            sum += transfer.amount;
        }
    }
    sum + records.disputes.iter().map(|dispute| moved(records, dispute)).sum::<i64>()
}

/// A dispute can explain the adjustments of its merchant's deposits beyond returns.
fn moved(records: &Records, dispute: &Dispute) -> i64 {
    let is_waiting = dispute.statuses.len() == 1;
    if is_waiting {
        return 0;
    }
    let item = records.authorization(dispute.item.unwrap()).unwrap();
    assert_eq!((item.role, item.kind), (Role::Ordinary, CardKind::Capture));
    let won = [DisputeStatus::RepresentmentPaid, DisputeStatus::IssuerReversal];
    let is_won = won.contains(&dispute.statuses.last().unwrap().0);
    let given = if is_won { dispute.amount } else { 0 };
    dispute.amount + fee_taken(records, dispute, given) - given
}

/// The fee, when the merchant's deposits add up only with it.
fn fee_taken(records: &Records, dispute: &Dispute, given: i64) -> i64 {
    let merchant = dispute.merchant;
    let deposits = records.deposits.iter().filter(|one| one.merchant == merchant);
    let has = |amount: i64| {
        let mut adjusting = deposits.clone();
        adjusting.any(|one| rest(records, one.merchant, one.association_date, one) == amount)
    };
    assert!(has(dispute.amount) || has(dispute.amount + dispute.fee), "{dispute:?}");
    assert!(given == 0 || has(-given), "{dispute:?}");
    if has(dispute.amount + dispute.fee) { dispute.fee } else { 0 }
}

/// The part of a deposit's adjustment beyond the returns of its group.
fn rest(
    records: &Records,
    merchant: usize,
    date: chrono::NaiveDate,
    deposit: &crate::world::records::Deposit,
) -> i64 {
    let returned = crate::world::returned_by_group(records);
    deposit.ach_adjustment - returned.get(&(merchant, date)).copied().unwrap_or(0)
}

#[test]
fn a_dispute_that_waits_is_young() {
    for seed in 0..20 {
        let world = world(seed, &[Kind::Disputes]);
        let to = world.options().to;
        for dispute in &world.records().disputes {
            let (status, since) = *dispute.statuses.last().unwrap();
            let calendar = world.records().merchants[dispute.merchant].calendar;
            let waits = status == DisputeStatus::New;
            assert!(!waits || calendar.due(since, 5) > to, "seed {seed}: {dispute:?}");
            assert!(dispute.statuses.is_sorted_by_key(|(_, since)| *since));
        }
    }
}

#[test]
fn every_newer_plant_finds_its_place_and_names_what_must_be_found() {
    for name in newer_plants() {
        for seed in 0..4 {
            let to = "2026-11-15".parse().unwrap();
            let plants = vec![name.to_owned()];
            let options = WorldOptions { to, plants, merchants: 9, ..options(seed, &[]) };
            let (world, key) = World::generate(&options).unwrap_or_else(|error| panic!("{error}"));
            let code = name.split('/').next().unwrap();
            assert!(key.expected.iter().any(|entry| entry.code == code), "seed {seed}: {name}");
            assert_order(world.records());
            assert!(!world.files("http://127.0.0.1:1").is_empty());
        }
    }
}

#[test]
fn newer_plants_and_kinds_live_in_one_world() {
    for seed in 0..3 {
        let to = "2026-11-22".parse().unwrap();
        let plants = newer_plants().into_iter().map(str::to_owned).collect();
        let options = WorldOptions { to, plants, merchants: 16, ..options(seed, &Kind::ALL) };
        let (world, _) = World::generate(&options).unwrap_or_else(|error| panic!("{error}"));
        assert_order(world.records());
    }
}
