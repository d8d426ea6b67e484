//! Which disputes can have moved an amount: an exact search within stated bounds. Pure.
//!
//! A choice is at most three movements, or all of one status date, that add up to the amount. One
//! that holds a smaller choice is none: what it adds cancels itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;

/// Movements that are looked at for one group: three of them make a million sums.
const MAX_MOVEMENTS: usize = 120;

/// Sums, and beginnings of ways to come to one, that are looked at where all movements of a date are
/// taken.
const MAX_SUMS: usize = 100_000;

/// Choices that are named; further ones change nothing.
const MAX_CHOICES: usize = 12;

/// What a dispute can move, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Movement {
    /// The status dates after which it can have happened.
    pub dates: Vec<NaiveDate>,
    /// What it can be, each positive when the merchant is debited.
    pub amounts: Vec<i64>,
    /// Of a dispute that was decided in part: anything up to this can come back.
    pub at_most: Option<i64>,
}

/// A movement by its position, and its amount.
pub(super) type Part = (usize, i64);

/// The choices that add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choices {
    None,
    One(Vec<Part>),
    Several(Vec<Vec<Part>>),
    /// More movements, or more sums, than are looked at.
    TooMany,
}

/// The choices among `movements` that add up to `left`.
pub(super) fn choices(left: i64, movements: &[Movement]) -> Choices {
    if movements.len() > MAX_MOVEMENTS {
        return Choices::TooMany;
    }
    let mut search = Search::new(left, movements);
    for count in 1..=3 {
        search.of_count(count);
    }
    let is_bounded = !search.of_dates();
    match (search.found.len(), is_bounded) {
        (0, false) => Choices::None,
        (0 | 1, true) => Choices::TooMany,
        (1, false) => search.found.pop().map_or(Choices::None, Choices::One),
        _ => Choices::Several(search.found),
    }
}

struct Search<'a> {
    left: i128,
    movements: &'a [Movement],
    /// Every movement with every amount that it can have.
    parts: Vec<Part>,
    /// The same by amount.
    by_amount: HashMap<i128, Vec<usize>>,
    found: Vec<Vec<Part>>,
}

impl<'a> Search<'a> {
    fn new(left: i64, movements: &'a [Movement]) -> Self {
        let of_one = |(at, one): (usize, &Movement)| {
            let amounts: BTreeSet<i64> = one.amounts.iter().copied().collect();
            amounts.into_iter().map(move |amount| (at, amount)).collect::<Vec<_>>()
        };
        let parts: Vec<Part> = movements.iter().enumerate().flat_map(of_one).collect();
        let mut by_amount: HashMap<i128, Vec<usize>> = HashMap::new();
        for (place, (_, amount)) in parts.iter().enumerate() {
            by_amount.entry(i128::from(*amount)).or_default().push(place);
        }
        Self { left: i128::from(left), movements, parts, by_amount, found: Vec::new() }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= MAX_CHOICES
    }

    /// Notes a choice unless a smaller one is within it.
    fn note(&mut self, mut choice: Vec<Part>) {
        choice.sort_unstable();
        if !self.is_full() && !self.holds_a_smaller(&choice) {
            self.found.push(choice);
        }
    }

    fn holds_a_smaller(&self, choice: &[Part]) -> bool {
        self.found.iter().any(|known| known.iter().all(|part| choice.contains(part)))
    }

    /// The choices of exactly `count` movements.
    fn of_count(&mut self, count: usize) {
        let fixed = self.parts.len();
        match count {
            1 => self.complete(&[]),
            2 => {
                for one in 0..fixed {
                    self.complete(&[one]);
                }
            }
            _ => {
                for one in 0..fixed {
                    for two in one + 1..fixed {
                        if self.is_full() {
                            return;
                        }
                        if self.parts[one].0 != self.parts[two].0 {
                            self.complete(&[one, two]);
                        }
                    }
                }
            }
        }
    }

    /// Adds one more movement to `chosen` (ascending places), such that all add up.
    fn complete(&mut self, chosen: &[usize]) {
        let sum: i128 = chosen.iter().map(|&at| i128::from(self.parts[at].1)).sum();
        let missing = self.left - sum;
        let taken: Vec<usize> = chosen.iter().map(|&at| self.parts[at].0).collect();
        let base: Vec<Part> = chosen.iter().map(|&at| self.parts[at]).collect();
        let after = chosen.last().copied();
        let places = self.by_amount.get(&missing).cloned().unwrap_or_default();
        for place in places {
            if after.is_none_or(|last| place > last) && !taken.contains(&self.parts[place].0) {
                self.note([base.clone(), vec![self.parts[place]]].concat());
            }
        }
        for at in 0..self.movements.len() {
            let Some(at_most) = self.movements[at].at_most else { continue };
            let is_possible = missing < 0 && -missing <= i128::from(at_most);
            if let Some(amount) = i64::try_from(missing).ok().filter(|_| is_possible)
                && !taken.contains(&at)
            {
                self.note([base.clone(), vec![(at, amount)]].concat());
            }
        }
    }

    /// The choices of all movements of a date, where these are more than three; whether all of
    /// them could be looked at.
    fn of_dates(&mut self) -> bool {
        let mut by_date: BTreeMap<NaiveDate, Vec<usize>> = BTreeMap::new();
        for (at, movement) in self.movements.iter().enumerate() {
            for date in &movement.dates {
                by_date.entry(*date).or_default().push(at);
            }
        }
        for own in by_date.into_values().filter(|own| own.len() > 3) {
            // What a dispute that was decided in part brought is whatever is missing.
            if own.iter().any(|&at| self.movements[at].at_most.is_some()) {
                continue;
            }
            let Some(ways) = self.ways_of_all(&own) else { return false };
            for way in ways {
                self.note(way);
            }
        }
        true
    }

    /// Up to two ways in which all of `own` add up without a smaller choice within them; `None` when
    /// there are too many sums or ways to look at. Goes on only with what can still come to the
    /// amount, so that the order of the movements changes nothing.
    fn ways_of_all(&self, own: &[usize]) -> Option<Vec<Vec<Part>>> {
        let amounts_of = |at: &usize| self.movements[*at].amounts.iter().copied();
        let amounts: Vec<BTreeSet<i64>> = own.iter().map(|at| amounts_of(at).collect()).collect();
        // What the last movements can come to, from none of them to all.
        let mut rest = vec![BTreeSet::from([0_i128])];
        for of_one in amounts.iter().rev() {
            let sums = rest[rest.len() - 1].iter();
            let next: BTreeSet<i128> = sums
                .flat_map(|sum| of_one.iter().map(move |amount| sum + i128::from(*amount)))
                .collect();
            if next.len() > MAX_SUMS {
                return None;
            }
            rest.push(next);
        }
        let (mut ways, mut looked_at) = (Vec::new(), 0);
        let mut waiting: Vec<(Vec<Part>, i128)> = vec![(Vec::new(), self.left)];
        while let Some((way, missing)) = waiting.pop() {
            if !rest[own.len() - way.len()].contains(&missing) || self.holds_a_smaller(&way) {
                continue;
            }
            let Some(of_next) = amounts.get(way.len()) else {
                ways.push(way);
                if ways.len() == 2 {
                    break;
                }
                continue;
            };
            looked_at += 1;
            if looked_at > MAX_SUMS {
                return None;
            }
            let at = own[way.len()];
            waiting.extend(of_next.iter().map(|amount| {
                ([way.clone(), vec![(at, *amount)]].concat(), missing - i128::from(*amount))
            }));
        }
        Some(ways)
    }
}

#[cfg(test)]
mod tests {
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
        let many: Vec<Movement> = (0..=MAX_MOVEMENTS).map(|_| debit(0, 100, 0)).collect();
        assert_eq!(choices(100, &many), Choices::TooMany);
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
