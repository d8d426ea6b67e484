//! Chooses the dispute movements that add up to an amount. Pure.
//!
//! All movements of one status date come before any other choice, then at most three movements.

use std::collections::BTreeMap;

use chrono::NaiveDate;

pub(super) use tieout_matching::search::Part;
use tieout_matching::search::{Budget, Entry, Kind, Set, Sets, sets};

/// A movement of money that a dispute can cause once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Movement {
    /// The status dates after which it can have happened.
    pub dates: Vec<NaiveDate>,
    /// The amounts that it can have, positive where the merchant is debited.
    pub amounts: Vec<i64>,
    /// For a dispute decided in part: any amount up to this can come back.
    pub at_most: Option<i64>,
}

impl Movement {
    pub(super) fn first(&self) -> NaiveDate {
        self.dates.iter().min().copied().unwrap_or_default()
    }

    /// Each movement is a party of its own: two equal disputes are not interchangeable.
    pub(super) fn entry(&self, id: usize, day: NaiveDate) -> Entry {
        let mut amounts = self.amounts.clone();
        amounts.sort_unstable();
        amounts.dedup();
        Entry { id, day, party: id, amounts, at_most: self.at_most }
    }
}

/// The choices that add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choices {
    None,
    One(Set),
    Several(Vec<Set>),
    /// More movements, or more sums, than the search examines.
    TooMany,
}

/// The choices among `movements` that add up to `left`.
pub(super) fn choices(left: i64, movements: &[Movement]) -> Choices {
    let mut budget = Budget::default();
    let mut of_dates: BTreeMap<(NaiveDate, usize), Entry> = BTreeMap::new();
    for (at, movement) in movements.iter().enumerate() {
        for date in &movement.dates {
            of_dates.insert((*date, at), movement.entry(at, *date));
        }
    }
    let of_dates: Vec<Entry> = of_dates.into_values().collect();
    let each: Vec<Entry> =
        movements.iter().enumerate().map(|(at, one)| one.entry(at, one.first())).collect();
    let of_date = sets(Kind::Day, left, &of_dates, 1, &mut budget);
    let found = match of_date {
        Sets::None => sets(Kind::Few, left, &each, 1, &mut budget),
        of_date => of_date,
    };
    match found {
        Sets::None => Choices::None,
        Sets::One(set) => Choices::One(set),
        Sets::Several(several) => Choices::Several(several),
        Sets::Bounded => Choices::TooMany,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn day(number: u64) -> NaiveDate {
        "2026-11-02".parse::<NaiveDate>().unwrap() + chrono::Days::new(number)
    }

    fn debit(date: u64, amount: i64, fee: i64) -> Movement {
        Movement { dates: vec![day(date)], amounts: vec![amount, fee, amount + fee], at_most: None }
    }

    fn credit(date: u64, amount: i64) -> Movement {
        Movement { dates: vec![day(date)], amounts: vec![-amount], at_most: None }
    }

    #[test]
    fn finds_the_one_choice_that_adds_up() {
        let two = [debit(0, 10_000, 1_500), debit(1, 20_000, 1_700)];
        let one = |parts: &[Part]| Choices::One(parts.to_vec());
        assert_eq!(choices(11_500, &two), one(&[(0, 11_500)]));
        assert_eq!(choices(30_000, &two), one(&[(0, 10_000), (1, 20_000)]));
        assert_eq!(choices(33_200, &two), one(&[(0, 11_500), (1, 21_700)]));
        assert_eq!(choices(30_001, &two), Choices::None);
        let alike = [debit(0, 10_000, 1_500), debit(1, 20_000, 1_500)];
        assert!(matches!(choices(1_500, &alike), Choices::Several(ways) if ways.len() == 2));
        assert!(matches!(choices(31_500, &alike), Choices::Several(ways) if ways.len() == 2));
    }

    #[test]
    fn what_cancels_itself_makes_no_further_choice() {
        let cancelling = [debit(0, 10_000, 0), debit(1, 20_000, 0), credit(2, 20_000)];
        assert_eq!(choices(10_000, &cancelling), Choices::One(vec![(0, 10_000)]));
    }

    #[test]
    fn takes_all_movements_of_one_date_and_no_four_others() {
        let amounts = [10_100, 10_203, 10_407, 10_811];
        let of_one_day: Vec<Movement> = amounts.iter().map(|one| debit(0, *one, 0)).collect();
        let sum = amounts.iter().sum();
        let Choices::One(parts) = choices(sum, &of_one_day) else { panic!("one choice") };
        assert_eq!(parts.len(), 4);
        let apart: Vec<Movement> = (0..).zip(amounts).map(|(at, one)| debit(at, one, 0)).collect();
        assert_eq!(choices(sum, &apart), Choices::None);
    }

    #[test]
    fn a_dispute_decided_in_part_gives_back_up_to_its_amount() {
        let part = Movement { dates: vec![day(0)], amounts: Vec::new(), at_most: Some(5_000) };
        assert_eq!(choices(-3_000, std::slice::from_ref(&part)), Choices::One(vec![(0, -3_000)]));
        assert_eq!(choices(-5_001, std::slice::from_ref(&part)), Choices::None);
        let taken = [debit(0, 10_000, 0), part];
        assert_eq!(choices(7_000, &taken), Choices::One(vec![(0, 10_000), (1, -3_000)]));
    }

    #[test]
    fn says_when_there_is_more_than_it_looks_at() {
        let many: Vec<Movement> = (0..20).map(|_| debit(0, 100, 1)).collect();
        assert_eq!(choices(100, &many), Choices::TooMany);
        let other = [many, vec![debit(1, 777, 3)]].concat();
        assert_eq!(choices(777, &other), Choices::One(vec![(20, 777)]));
    }

    proptest! {
        #[test]
        fn every_choice_adds_up_and_the_order_changes_nothing(
            amounts in prop::collection::vec((0_u64..4, 1_i64..9, 0_i64..3, prop::bool::ANY), 0..9),
            left in -12_i64..30,
        ) {
            let mut movements: Vec<Movement> = amounts
                .into_iter()
                .map(|(date, amount, fee, is_credit)| {
                    if is_credit { credit(date, amount) } else { debit(date, amount, fee) }
                })
                .collect();
            for movement in &mut movements {
                movement.amounts.retain(|amount| *amount != 0);
            }
            let sums = |found: &Choices| match found {
                Choices::One(one) => vec![one.clone()],
                Choices::Several(several) => several.clone(),
                _ => Vec::new(),
            };
            let found = choices(left, &movements);
            for way in sums(&found) {
                prop_assert_eq!(way.iter().map(|part| part.1).sum::<i64>(), left);
                let own: BTreeSet<usize> = way.iter().map(|part| part.0).collect();
                prop_assert_eq!(own.len(), way.len());
            }
            movements.reverse();
            let turned = choices(left, &movements);
            prop_assert_eq!(sums(&found).len(), sums(&turned).len());
        }
    }
}
