//! Properties of the search over any entries.

use std::time::Instant;

use chrono::NaiveDate;
use proptest::prelude::*;

use super::*;

fn day(number: u64) -> NaiveDate {
    "2026-11-02".parse::<NaiveDate>().unwrap() + chrono::Days::new(number)
}

fn entries(amounts: &[(u64, usize, i64)]) -> Vec<Entry> {
    let mut all: Vec<Entry> = amounts
        .iter()
        .enumerate()
        .map(|(id, (on, party, amount))| Entry::new(id, day(*on), *party, *amount))
        .collect();
    all.sort_by_key(|one| (one.day, one.id));
    all
}

fn found(kind: Kind, target: i64, all: &[Entry]) -> Sets {
    sets(kind, target, all, 2, &mut Budget::default())
}

fn ids(sets: &Sets) -> Vec<Vec<usize>> {
    let of_set = |set: &Set| set.iter().map(|part| part.0).collect();
    sets.all().iter().map(of_set).collect()
}

#[test]
fn takes_whole_days_of_one_party_before_those_of_all() {
    let all = entries(&[(0, 0, 10), (0, 0, 20), (0, 1, 30), (1, 0, 40)]);
    assert_eq!(ids(&found(Kind::DayOfOne, 30, &all)), [[0, 1]]);
    assert_eq!(ids(&found(Kind::Day, 60, &all)), [[0, 1, 2]]);
    assert_eq!(ids(&found(Kind::Days, 70, &all)), [[0, 1, 3]]);
    assert_eq!(ids(&found(Kind::Days, 100, &all)), [[0, 1, 2, 3]]);
    assert_eq!(ids(&found(Kind::Few, 50, &all)), [vec![0, 3], vec![1, 2]]);
}

#[test]
fn equal_entries_make_one_set_and_what_cancels_itself_none() {
    let equal = entries(&[(0, 0, 10), (0, 0, 10), (0, 0, 10), (1, 0, 7)]);
    assert_eq!(ids(&found(Kind::Few, 20, &equal)), [[0, 1]]);
    let cancelling = entries(&[(0, 0, 10), (0, 0, 20), (1, 0, 5), (2, 0, -5)]);
    assert_eq!(ids(&found(Kind::Few, 30, &cancelling)), [[0, 1]]);
}

#[test]
fn a_thousand_equal_entries_end_in_the_bound() {
    let began = Instant::now();
    let all = entries(&vec![(0, 0, 7); 1_000]);
    assert_eq!(found(Kind::Few, 21, &all), Sets::Bounded);
    assert_eq!(found(Kind::DayOfOne, 21, &all), Sets::None);
    let mut budget = Budget::default();
    let answers = (0..5_000).map(|_| sets(Kind::Day, 22, &all, 2, &mut budget));
    assert_eq!(answers.last(), Some(Sets::Bounded));
    let disputed: Vec<Entry> = (0..1_000)
        .map(|id| Entry { amounts: vec![7, 2, 9], ..Entry::new(id, day(0), 0, 7) })
        .collect();
    assert_eq!(found(Kind::DayOfOne, 4_001, &disputed), Sets::Bounded);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn names_the_nearest_sets_first() {
    let all = entries(&[(0, 0, 100), (0, 0, 45), (1, 0, 60)]);
    let near = nearest(106, &all, 3);
    let named: Vec<(Vec<usize>, i128)> = near
        .into_iter()
        .map(|one| (one.set.iter().map(|part| part.0).collect(), one.sum))
        .collect();
    assert_eq!(named, [(vec![1, 2], 105), (vec![0], 100), (vec![0, 1], 145)]);
    assert_eq!(nearest(-50, &all, 3), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_set_adds_up_and_the_order_of_the_input_changes_nothing(
        amounts in prop::collection::vec((0_u64..4, 0_usize..3, -9_i64..20), 0..13),
        target in -9_i64..40,
    ) {
        let all = entries(&amounts);
        let mut turned: Vec<(u64, usize, i64)> = amounts.clone();
        turned.reverse();
        let turned = entries(&turned);
        for kind in Kind::IN_ORDER {
            let (one, other) = (found(kind, target, &all), found(kind, target, &turned));
            prop_assert_eq!(one.all().len(), other.all().len());
            for set in one.all() {
                prop_assert_eq!(set.iter().map(|part| part.1).sum::<i64>(), target);
                let mut own: Vec<usize> = set.iter().map(|part| part.0).collect();
                own.sort_unstable();
                own.dedup();
                prop_assert_eq!(own.len(), set.len());
            }
        }
    }

    #[test]
    fn what_is_settled_shares_nothing(
        wishes in prop::collection::btree_map(
            0_usize..8,
            prop::collection::vec(prop::collection::btree_set(10_usize..20, 1..4), 1..3),
            0..8,
        ),
    ) {
        let settled = settle(&wishes, |_, _| false);
        let mut used = std::collections::BTreeSet::new();
        let taken = settled.taken.iter().flat_map(|target| wishes[target][0].iter().copied());
        for node in taken.chain(settled.contested.iter().flatten().copied()) {
            prop_assert!(used.insert(node), "{node} is needed twice");
        }
    }
}
