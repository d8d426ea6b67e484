//! Properties of every input. `tests/long/worlds.rs` and `tests/rules` check over whole worlds that
//! clean books match and that planted differences are found.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::super::order_by_id::last4_agree;
use super::super::spelling::spelling;
use super::*;
use tieout_model::AuthorizationId;

/// Small ranges, so that values collide often.
fn any_item() -> impl Strategy<Value = Item> {
    let text = |names: &'static [&'static str]| prop::option::of(select(names));
    (
        select(&[ItemKind::Capture, ItemKind::Return, ItemKind::Payment, ItemKind::Refund][..]),
        1_u32..40,
        prop::option::of(1_i64..6),
        (
            -3_i64..30,
            select(&[100_i64, 200, 300][..]),
            prop::bool::weighted(0.9),
            prop::option::of(0_i64..3),
        ),
        text(&["X-1", "x1", "Z"]),
        text(&["1111", "2222"]),
        prop::option::weighted(0.2, 1_u32..40),
        any_facts(),
    )
        .prop_map(|(kind, id, authorization, money, order, last4, again, facts)| Item {
            kind,
            item_id: id.to_string().into(),
            authorization_id: authorization.filter(|_| kind.is_card()).map(AuthorizationId),
            day: day(money.0),
            second_day: money.3.map(|before| day(money.0 - before)),
            amount: Some(Minor(money.1)),
            currency: Currency::from_code(if money.2 { "USD" } else { "CAD" }),
            order_id: order.filter(|_| !kind.is_card()).map(str::to_owned).map(Into::into),
            last4: last4.and_then(Last4::from_digits),
            facts: facts.filter(|_| !kind.is_card()).map(|facts| {
                let again = again.filter(|_| kind == ItemKind::Payment);
                let representment_of = again.map(|id| id.to_string().into());
                Box::new(TransferFacts { representment_of, ..facts })
            }),
        })
}

fn any_facts() -> impl Strategy<Value = Option<TransferFacts>> {
    let status = select(&["complete", "declined", "returned", "pending"][..]);
    (status, prop::collection::vec((1_i64..30, any::<bool>()), 0..2)).prop_map(
        |(status, returns)| {
            Some(TransferFacts {
                status: TransferStatus::from_name(status),
                returns: returns
                    .into_iter()
                    .map(|(date, is_closed)| ReturnFact {
                        date: day(date),
                        undone_on: is_closed.then(|| day(date + 4)).filter(|_| date % 2 == 0),
                        is_closed,
                        is_represented: Some(false),
                    })
                    .collect(),
                representment_of: None,
            })
        },
    )
}

fn any_record() -> impl Strategy<Value = Record> {
    (
        select(&LedgerKind::ALL[..]),
        (1_u32..60, 2_u32..5),
        (-3_i64..30, select(&[100_i64, 200, 300][..]), prop::bool::weighted(0.9)),
        prop::option::of(select(&["X-1", "x 01", "Z"][..])),
        prop::option::weighted(0.3, 1_u32..60),
        prop::option::of(select(&["1111", "2222"][..])),
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(kind, id, money, order, reference, last4, is_paid, day_not_read)| Record {
            ledger_id: id.0.to_string().into(),
            line: id.1,
            kind,
            date: day(money.0),
            amount: Minor(money.1),
            currency: Currency::from_code(if money.2 { "USD" } else { "CAD" }).unwrap(),
            order_id: order.map(str::to_owned).map(Into::into),
            reference: reference.map(|id| id.to_string()).map(Into::into),
            last4: last4.and_then(Last4::from_digits),
            status: if is_paid { LedgerStatus::Paid } else { LedgerStatus::Void },
            day_not_read,
        })
}

fn any_transfer() -> impl Strategy<Value = KnownTransfer> {
    (
        select(&[TransferKind::Payment, TransferKind::Refund][..]),
        40_u32..60,
        prop::option::of(select(&["X-1", "x 01", "Z"][..])),
        select(&[100_i64, 200, 300][..]),
        (prop::option::of(1_i64..28), prop::option::of(select(&["1111", "2222"][..]))),
        any_facts(),
    )
        .prop_map(|(kind, id, order, amount, (run, last4), facts)| KnownTransfer {
            kind,
            transfer_id: format!("{id}").into(),
            order_id: order.map(str::to_owned).map(Into::into),
            amount: Some(Minor(amount)),
            currency: Currency::from_code("USD"),
            last4: last4.and_then(Last4::from_digits),
            run_date: run.map(day),
            is_listed: true,
            facts: facts.unwrap(),
        })
}

prop_compose! {
    fn any_scene()(
        items in prop::collection::vec(any_item(), 0..40),
        records in prop::collection::vec(any_record(), 0..40),
        transfers in prop::collection::vec(any_transfer(), 0..6),
        returns_unread in any::<bool>(),
    ) -> Scene {
        // Ids are unique at the processor, within a kind.
        let mut seen = BTreeSet::new();
        let items = items.into_iter().filter(|one| seen.insert((one.kind, one.item_id.clone())));
        let mut seen = BTreeSet::new();
        let transfers = transfers.into_iter();
        let transfers = transfers.filter(|one| seen.insert((one.kind, one.transfer_id.clone())));
        Scene {
            terms: terms(2, 27),
            items: items.collect(),
            records,
            transfers: transfers.collect(),
            others: vec!["58".into(), "59".into()],
            returns_unread,
            disputed: None,
            left_out: Vec::new(),
        }
    }
}

fn shuffle<T>(list: &mut [T], order: &[Index]) {
    for (at, index) in (1..list.len()).rev().zip(order.iter().cycle()) {
        list.swap(at, index.index(at + 1));
    }
}

/// Whether each member of a set under one order id has one on the other side whose last four is
/// compatible: entries of different cards are in one set through an entry without a last four.
fn each_can_be_another(scene: &Scene, items: &[u32], records: &[u32]) -> bool {
    let agree = |item: u32, record: u32| {
        last4_agree(scene.items[item as usize].last4, scene.records[record as usize].last4)
    };
    items.iter().all(|&item| records.iter().any(|&record| agree(item, record)))
        && records.iter().all(|&record| items.iter().any(|&item| agree(item, record)))
}

/// Whether the pair keeps the rules of its pass.
fn keeps_rules(scene: &Scene, pass: Pass, items: &[u32], records: &[u32]) -> bool {
    let terms = &scene.terms;
    items.iter().all(|&item| {
        let item = &scene.items[item as usize];
        records.iter().all(|&record| {
            let record = &scene.records[record as usize];
            let same_kind = item.kind.ledger_kind() == record.kind;
            let same_currency = item.currency == Some(record.currency);
            let same_amount = item.amount == Some(record.amount);
            let agree_last4 = last4_agree(item.last4, record.last4);
            let agree_order = match (&item.order_id, &record.order_id) {
                (Some(one), Some(other)) => spelling(one) == spelling(other),
                _ => true,
            };
            let same_last4 = item.last4.is_some() && item.last4 == record.last4;
            let distance = terms.away(item, record.date);
            let is_near = distance <= terms.window_days;
            let is_judged = record.status == LedgerStatus::Paid
                && (!record.day_not_read || record.date < terms.start)
                // A pair from before the start on both sides is kept if a re-presentment shares it.
                && (record.date >= terms.start) == (item.day >= terms.start);
            let alike = same_currency && same_amount && agree_order && is_judged;
            let named = record.reference.as_ref();
            let is_named = named == Some(&item.item_id)
                || named
                    == item.authorization_id.map(|id| ShortText::from(id.to_string())).as_ref()
                || (named.is_some() && named.map(ShortText::as_str) == item.representment_of());
            same_kind
                && match pass {
                    Pass::Reference => is_named,
                    Pass::Order => {
                        same_currency && item.order_id.is_some() && item.order_id == record.order_id
                    }
                    Pass::OrderSpelling => {
                        same_currency && same_amount && agree_last4 && item.order_id.is_some()
                    }
                    Pass::NearbyUnique => alike && agree_last4 && is_near,
                    Pass::AcrossStart => {
                        same_currency
                            && same_amount
                            && agree_last4
                            && is_near
                            && (item.day < terms.start) != (record.date < terms.start)
                    }
                    Pass::SameDay => alike && same_last4 && distance == 0,
                    Pass::NearbyDay => {
                        alike && same_last4 && (1..=terms.window_days).contains(&distance)
                    }
                    Pass::Unique => alike && agree_last4 && distance == 0,
                }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_the_input_changes_nothing(
        scene in any_scene(),
        order in prop::collection::vec(any::<Index>(), 1..50),
    ) {
        let mut shuffled = scene.clone();
        shuffle(&mut shuffled.items, &order);
        shuffle(&mut shuffled.records, &order);
        shuffle(&mut shuffled.transfers, &order);
        prop_assert_eq!(scene.story(), shuffled.story());
        prop_assert_eq!(scene.findings(), shuffled.findings());
        prop_assert_eq!(scene.outcome().totals, shuffled.outcome().totals);
    }

    #[test]
    fn where_a_record_stands_in_its_file_changes_nothing(
        scene in any_scene(),
        lines in prop::collection::vec(2_u32..100, 60),
    ) {
        let mut moved = scene.clone();
        for (record, line) in moved.records.iter_mut().zip(&lines) {
            record.line = *line;
        }
        let paired = |scene: &Scene| -> Vec<(u32, Record)> {
            let outcome = scene.outcome();
            let pairs = outcome.pairs.iter();
            let records = pairs.flat_map(|pair| {
                let items = outcome.items_of(pair).first().copied();
                outcome.records_of(pair).iter().map(move |record| (items, *record))
            });
            let mut paired: Vec<(u32, Record)> = records
                .filter_map(|(item, record)| {
                    let record = Record { line: 0, ..scene.records[record as usize].clone() };
                    Some((item?, record))
                })
                .collect();
            paired.sort_by(|one, other| {
                one.0.cmp(&other.0).then_with(|| compare_records(&one.1, &other.1))
            });
            paired
        };
        prop_assert_eq!(paired(&scene), paired(&moved));
        prop_assert_eq!(scene.findings(), moved.findings());
        prop_assert_eq!(scene.outcome().totals, moved.outcome().totals);
    }

    #[test]
    fn every_pair_keeps_the_rules_of_its_pass(scene in any_scene()) {
        let outcome = scene.outcome();
        let mut used = BTreeSet::new();
        for pair in &outcome.pairs {
            let items: Vec<u32> = outcome.summed_items_of(pair).collect();
            let records = outcome.records_of(pair);
            prop_assert!(keeps_rules(&scene, pair.pass, &items, records), "{:?}", scene.story());
            prop_assert!(
                pair.pass != Pass::Order || each_can_be_another(&scene, &items, records),
                "{:?}",
                scene.story()
            );
            let is_one_to_one = items.len() == 1 && records.len() == 1;
            prop_assert!(is_one_to_one || pair.pass <= Pass::Order, "{:?}", scene.story());
            prop_assert!(records.iter().all(|record| used.insert(*record)), "a record used twice");
        }
    }

    #[test]
    fn what_could_still_be_paired_is_paired(scene in any_scene()) {
        // No item and record are left that agree in everything and contradict nothing.
        let outcome = scene.outcome();
        let left = |position: usize| matches!(outcome.records[position], RecordState::Unmatched(_));
        for (item, state) in scene.items.iter().zip(&outcome.items) {
            if !matches!(state, ItemState::Unmatched(_)) {
                continue;
            }
            for (_, record) in scene.records.iter().enumerate().filter(|one| left(one.0)) {
                let is_same = record.kind == item.kind.ledger_kind()
                    && Some(record.amount) == item.amount
                    && Some(record.currency) == item.currency
                    && record.last4.is_some()
                    && record.last4 == item.last4
                    && record.reference.is_none()
                    && (record.order_id.is_none() || item.order_id.is_none());
                let distance = scene.terms.away(item, record.date);
                prop_assert!(!is_same || distance > scene.terms.window_days);
            }
        }
    }
}
