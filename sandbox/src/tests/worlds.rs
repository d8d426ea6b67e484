//! Conservation over many seeds, determinism, files and configuration.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::week;
use crate::world::records::{Authorization, CardKind, Records, Role, TransferType};
use crate::{World, WorldError, WorldOptions, plant_codes};

/// Sales, returns and count.
type Figures = (i64, i64, i64);

fn add(to: &mut Figures, kind: CardKind, amount: i64) {
    match kind {
        CardKind::None => return,
        CardKind::Capture => to.0 += amount,
        CardKind::Return => to.1 += amount,
    }
    to.2 += 1;
}

fn each_world(check: impl Fn(u64, &Records)) {
    for seed in 0..30 {
        let (world, key) = World::generate(&week(seed)).unwrap();
        assert!(key.expected.is_empty());
        check(seed, world.records());
    }
}

#[test]
fn batch_headers_equal_their_items_on_every_merchant_day() {
    each_world(|seed, records| {
        let mut items: BTreeMap<(usize, NaiveDate), Figures> = BTreeMap::new();
        for item in &records.authorizations {
            let key = (item.merchant as usize, item.date);
            add(items.entry(key).or_default(), item.kind, item.amount);
        }
        for transfer in records.transfers.iter().filter(|transfer| transfer.is_item()) {
            let key = (transfer.merchant, transfer.settled.unwrap());
            let is_refund = transfer.transfer_type.is_refund();
            let kind = if is_refund { CardKind::Return } else { CardKind::Capture };
            add(items.entry(key).or_default(), kind, transfer.amount);
        }
        let mut headers: BTreeMap<(usize, NaiveDate), Figures> = BTreeMap::new();
        for batch in &records.batches {
            let header = headers.entry((batch.merchant, batch.date)).or_default();
            header.0 += batch.sales;
            header.1 += batch.returns;
            header.2 += batch.count;
        }
        headers.retain(|_, header| *header != (0, 0, 0));
        items.retain(|_, item| *item != (0, 0, 0));
        assert_eq!(headers, items, "seed {seed}");
    });
}

#[test]
fn deposits_equal_the_headers_and_their_fees_and_their_net() {
    each_world(|seed, records| {
        let mut groups: BTreeMap<(usize, NaiveDate), Figures> = BTreeMap::new();
        for batch in &records.batches {
            let group = groups.entry((batch.merchant, batch.date)).or_default();
            *group = (group.0 + batch.sales, group.1 + batch.returns, group.2 + batch.count);
        }
        for deposit in &records.deposits {
            let group = groups.get_mut(&(deposit.merchant, deposit.association_date)).unwrap();
            group.0 -= deposit.sales;
            group.1 -= deposit.returns;
            group.2 -= deposit.transactions;
            assert_eq!(deposit.components(), deposit.net_amount, "seed {seed}");
            assert_eq!(deposit.held_sales + deposit.holdback, 0, "seed {seed}");
            let fees = records.fees.iter().filter(|fee| fee.deposit_id == Some(deposit.id));
            assert_eq!(fees.map(|fee| fee.amount).sum::<i64>(), deposit.daily_fees);
            let calendar = &records.merchants[deposit.merchant].calendar;
            assert!(deposit.payment_date <= calendar.due(deposit.association_date, 2));
            assert!(calendar.is_banking_day(deposit.payment_date));
        }
        assert!(groups.values().all(|rest| *rest == (0, 0, 0)), "seed {seed}");
    });
}

#[test]
fn what_came_back_is_taken_back_once() {
    each_world(|seed, records| {
        let last: BTreeMap<usize, NaiveDate> =
            records.batches.iter().map(|batch| (batch.merchant, batch.date)).collect();
        let returned: i64 = records
            .transfers
            .iter()
            .flat_map(|transfer| transfer.returns.iter().map(move |entry| (transfer, entry)))
            .filter(|(transfer, entry)| entry.date <= last[&transfer.merchant])
            .map(|(transfer, _)| transfer.amount)
            .sum();
        let adjusted: i64 = records.deposits.iter().map(|deposit| deposit.ach_adjustment).sum();
        assert_eq!(returned, adjusted, "seed {seed}");
    });
}

#[test]
fn links_of_transactions_split_a_group_as_its_deposits_do() {
    let mut splits = 0;
    for seed in 0..30 {
        let (world, _) = World::generate(&week(seed)).unwrap();
        let records = world.records();
        let mut linked: BTreeMap<i64, Figures> = BTreeMap::new();
        for item in &records.authorizations {
            add(linked.entry(item.deposit_id).or_default(), item.kind, item.amount);
        }
        for pair in records.deposits.windows(2) {
            let [first, second] = pair else { continue };
            let is_split = (first.merchant, first.association_date)
                == (second.merchant, second.association_date);
            if is_split {
                splits += 1;
                // Bank transfers are paid with the second deposit, so the first one pays only
                // cards.
                let cards = linked[&first.id];
                assert_eq!(cards, (first.sales, first.returns, first.transactions), "seed {seed}");
            }
        }
    }
    assert!(splits > 30, "{splits} groups were paid in two parts");
}

/// The transactions linked to a group's deposits, plus the bank transfers settled on its date, add
/// up to its deposits, unless a plant says that they do not.
#[test]
fn links_contradict_a_deposit_only_where_a_plant_says_so() {
    let mut compared = 0;
    for seed in 0..40 {
        let plants: Vec<String> = plant_codes().into_iter().map(str::to_owned).collect();
        let merchants = 4 + u32::try_from(seed % 3).unwrap();
        let (world, key) =
            World::generate(&WorldOptions { merchants, plants, ..week(seed) }).unwrap();
        let records = world.records();
        let mut groups: BTreeMap<(usize, NaiveDate), Vec<i64>> = BTreeMap::new();
        for deposit in &records.deposits {
            let group = (deposit.merchant, deposit.association_date);
            groups.entry(group).or_default().push(deposit.id);
        }
        for ((merchant, date), ids) in groups {
            let deposits: Vec<_> =
                records.deposits.iter().filter(|deposit| ids.contains(&deposit.id)).collect();
            if deposits.iter().any(|deposit| deposit.payment_date > world.options().to) {
                continue;
            }
            let mut detail = Figures::default();
            for item in &records.authorizations {
                if ids.contains(&item.deposit_id) && item.role == Role::Ordinary {
                    add(&mut detail, item.kind, item.amount);
                }
            }
            for transfer in &records.transfers {
                let is_of_group = (transfer.merchant, transfer.settled) == (merchant, Some(date));
                if is_of_group && transfer.is_item() {
                    let is_refund = transfer.transfer_type.is_refund();
                    let kind = if is_refund { CardKind::Return } else { CardKind::Capture };
                    add(&mut detail, kind, transfer.amount);
                }
            }
            let stated = (
                deposits.iter().map(|deposit| deposit.sales).sum(),
                deposits.iter().map(|deposit| deposit.returns).sum(),
                deposits.iter().map(|deposit| deposit.transactions).sum(),
            );
            let is_planted = key.expected.iter().any(|entry| {
                entry.code.starts_with("DEPOSIT_")
                    && ids.iter().any(|id| entry.ach_deposit_id.contains(&id.to_string()))
            });
            compared += 1;
            assert!(
                detail == stated || is_planted,
                "seed {seed}: {} {date}: {detail:?}, {stated:?}",
                records.merchants[merchant].id
            );
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_million_authorizations_fit_into_a_hundred_megabytes() {
    assert!(size_of::<Authorization>() <= 96, "{} bytes each", size_of::<Authorization>());
}

#[test]
fn worlds_hold_the_oddities_of_ordinary_life() {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for seed in 0..30 {
        let (world, _) = World::generate(&week(seed)).unwrap();
        let records = world.records();
        let mut note = |name, holds: bool| {
            if holds {
                seen.insert(name);
            }
        };
        note("negative deposit", records.deposits.iter().any(|deposit| deposit.net_amount < 0));
        note("deposit of zero", records.deposits.iter().any(|deposit| deposit.net_amount == 0));
        note("reserve release", records.deposits.iter().any(|d| d.reserve_release > 0));
        note("empty batch", records.batches.iter().any(|batch| batch.count == 0));
        note("two batches", records.batches.iter().any(|batch| batch.is_evening));
        note("fee of zero", records.fees.iter().any(|fee| fee.amount == 0));
        note("equal fees", {
            let equal = |pair: &[crate::world::records::Fee]| {
                pair[0].deposit_id == pair[1].deposit_id && pair[0].amount == pair[1].amount
            };
            records.fees.windows(2).any(equal)
        });
        for transfer in &records.transfers {
            note("closed return", transfer.returns.iter().any(|entry| entry.closed));
            note("re-presented return", transfer.returns.iter().any(|entry| entry.represented));
            note("outstanding return", {
                transfer.returns.iter().any(|entry| !entry.closed && !entry.represented)
            });
            note("two refunds", transfer.refunds.len() > 1);
            note("listed return", transfer.return_of.is_some() && transfer.is_listed);
            note("unlisted return", transfer.return_of.is_some() && !transfer.is_listed);
            note("no run time", !transfer.shows_time);
            note("verification", transfer.transfer_type == TransferType::AccountVerification);
            note(transfer.status.as_str(), true);
        }
    }
    assert_eq!(seen.len(), 22, "{seen:?}");
}

#[test]
fn submits_exactly_as_many_authorizations_a_day_as_asked_for() {
    let options = WorldOptions { transactions_per_day: 777, ..week(5) };
    let (world, _) = World::generate(&options).unwrap();
    for date in options.from.iter_days().take(7) {
        let of_date = |item: &&Authorization| item.date == date;
        assert_eq!(world.records().authorizations.iter().filter(of_date).count(), 777, "{date}");
    }
}

#[test]
fn keeps_authorizations_in_the_order_that_listings_rely_on() {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    let options = WorldOptions { plants, merchants: 6, ..week(2) };
    let (world, _) = World::generate(&options).unwrap();
    let records = world.records();
    for pair in records.authorizations.windows(2) {
        assert!(pair[0].id < pair[1].id);
        assert!(pair[0].batch_id <= pair[1].batch_id);
        assert!(pair[0].date <= pair[1].date);
        assert!(pair[0].transaction_id <= pair[1].transaction_id);
    }
    assert!(records.batches.is_sorted_by(|one, other| one.id < other.id));
    assert!(records.batches.is_sorted_by_key(|batch| batch.date));
    assert!(records.deposits.is_sorted_by(|one, other| one.id < other.id));
    assert!(records.fees.is_sorted_by_key(|fee| fee.listed_date));
}

#[test]
fn the_same_seed_gives_the_same_world_and_another_seed_another() {
    let text = |seed| {
        let plants = vec!["DEPOSIT_NET_MISMATCH".to_owned()];
        let (world, key) = World::generate(&WorldOptions { plants, ..week(seed) }).unwrap();
        format!("{:?} {key:?}", world.records())
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn a_saved_world_comes_back_with_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.json");
    let plants = vec!["UNKNOWN_MERCHANT".to_owned(), "FUNDS_HELD".to_owned()];
    let (world, key) = World::generate(&WorldOptions { plants, ..week(9) }).unwrap();
    world.save(&path).unwrap();
    let loaded = World::load(&path).unwrap();
    assert_eq!(*loaded.answer_key(), key);
    assert_eq!(format!("{:?}", loaded.records()), format!("{:?}", world.records()));
    let text = serde_json::to_string(&key).unwrap();
    assert_eq!(serde_json::from_str::<crate::AnswerKey>(&text).unwrap(), key);
}

#[test]
fn refuses_a_world_file_of_another_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.json");
    for (text, expected) in [
        ("{\"format\": 7}", "has format 7, expected 1"),
        ("{\"seed\": 7}", "is not a world"),
        ("", "is not a world"),
    ] {
        std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), text.as_bytes())
            .unwrap();
        let error = World::load(&path).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}

#[test]
fn the_configuration_names_every_merchant_but_the_unknown_ones() {
    let plants = vec!["UNKNOWN_MERCHANT".to_owned()];
    let options = WorldOptions { plants, merchants: 3, ..week(9) };
    let (world, key) = World::generate(&options).unwrap();
    let text = world.configuration("http://127.0.0.1:8080");
    let table: toml::Table = text.parse().unwrap();
    assert_eq!(table["api"]["base_url"].as_str(), Some("http://127.0.0.1:8080/v1"));
    assert_eq!(table["api"]["auth_url"].as_str(), Some("http://127.0.0.1:8080"));
    let merchants = table["merchants"].as_array().unwrap();
    assert_eq!(merchants.len(), 3);
    assert_eq!(merchants[1]["calendar"].as_str(), Some("canada"));
    assert!(!text.contains(&key.expected[0].merchant_id));
}

#[test]
fn refuses_what_cannot_be_generated() {
    let long_ago: NaiveDate = "2020-01-01".parse().unwrap();
    let day = week(1).from;
    let plants = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect();
    let cases: [(WorldOptions, &str); 6] = [
        (WorldOptions { to: long_ago, ..week(1) }, "runs backwards"),
        (WorldOptions { from: long_ago, ..week(1) }, "expected 1 to 1000"),
        (WorldOptions { merchants: 0, ..week(1) }, "expected 1 to 10000, found 0"),
        (WorldOptions { transactions_per_day: u32::MAX, ..week(1) }, "transactions a day"),
        (WorldOptions { plants: plants(&["NO_SUCH"]), ..week(1) }, "no plant is called"),
        (
            WorldOptions { to: day, plants: plants(&["BATCH_WITHOUT_DEPOSIT"]), ..week(1) },
            "does not fit between 2026-11-02 and 2026-11-02",
        ),
    ];
    for (options, expected) in cases {
        let error: WorldError = World::generate(&options).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
