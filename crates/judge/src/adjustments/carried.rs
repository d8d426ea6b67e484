//! Finds which negative balances were carried into which later deposits: whole, in steps, or
//! several at once. Pure.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use tieout_store::judging::{BelowZero, Group};

use tieout_matching::search::{Budget, Entry, Kind, Part, Set, Sets, sets};

/// A deposit below zero, or a group at or below zero without a deposit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Balance {
    /// Position of its group.
    pub group: usize,
    pub owed: i64,
    /// It can be carried into a deposit paid after `after` and up to `until`.
    pub after: NaiveDate,
    pub until: NaiveDate,
}

/// A group with an unexplained rest of its adjustment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub group: usize,
    pub amount: i64,
    /// The payment dates of its deposits that have an adjustment.
    pub paid: Vec<NaiveDate>,
    /// Returns and movements of disputes that may be parts of it.
    pub others: Vec<Entry>,
}

impl Left {
    /// The only deposit that can have taken the balance; `None` if none or several can.
    pub fn taking(&self, balance: &Balance) -> Option<usize> {
        let can = |paid: &NaiveDate| balance.after < *paid && *paid <= balance.until;
        let mut places = (0..self.paid.len()).filter(|at| can(&self.paid[*at]));
        let only = places.next().filter(|_| balance.group != self.group)?;
        places.next().is_none().then_some(only)
    }
}

/// A part of a balance that a deposit took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Positions of the balance, of the rest, and of the deposit in it.
    pub balance: usize,
    pub left: usize,
    pub deposit: usize,
    pub amount: i64,
    /// The rest of the balance, and the last day on which a deposit may take it.
    pub rest: i64,
    pub until: NaiveDate,
}

/// The position of a rest, the deposit in it and its amount.
pub(super) type Beyond = (usize, usize, i64);

/// Adjustments that together exceed a balance: none of them takes a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exceeded {
    pub balance: usize,
    pub by: Vec<Beyond>,
}

/// The balances that later deposits took, and those that their adjustments exceed.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub steps: Vec<Step>,
    pub exceeded: Vec<Exceeded>,
    /// The parts of a rest that are no balances.
    pub others: Vec<(usize, Set)>,
}

/// The steps, in order of the payment dates. `until` gives the last day of a step that follows
/// another one. An adjustment equal to one balance takes it, the nearest first. One that several
/// balances add up to takes these; else one that few entries of several kinds add up to takes those.
/// A smaller one is a step of the oldest open balance. If an adjustment exceeds the rest, no step of
/// that balance stands, also none after it, and the other balances are taken as if neither were
/// there.
pub(super) fn carried(
    balances: &[Balance],
    left: &[Left],
    until: &dyn Fn(NaiveDate) -> NaiveDate,
) -> Carried {
    let mut open: Vec<Balance> = balances.to_vec();
    let mut order: Vec<usize> = (0..left.len()).filter(|at| left[*at].amount > 0).collect();
    order.sort_by_key(|at| (left[*at].paid.iter().max().copied(), left[*at].group));
    let mut exceeded: Vec<Exceeded> = Vec::new();
    loop {
        let walk = Walk::of(open.clone(), left, &order, until);
        let broken: BTreeSet<usize> = walk.beyond_rest.iter().map(|one| one.0).collect();
        if broken.is_empty() {
            let is_free = |at: usize| walk.steps.iter().all(|step| step.balance != at);
            // An adjustment that is nearer to zero than to the excess has nothing to do with it.
            let is_near = |one: &&(usize, Beyond)| one.1.2 / 2 < balances[one.0].owed;
            let alone = walk.beyond_whole.iter().filter(|one| is_free(one.0)).filter(is_near);
            exceeded
                .extend(alone.map(|(balance, by)| Exceeded { balance: *balance, by: vec![*by] }));
            return Carried { steps: walk.steps, exceeded, others: walk.others };
        }
        for balance in broken {
            let own = walk.steps.iter().filter(|step| step.balance == balance);
            let own = own.map(|step| (step.left, step.deposit, step.amount));
            let beyond = walk.beyond_rest.iter().filter(|one| one.0 == balance).map(|one| one.1);
            let mut by: Vec<Beyond> = own.chain(beyond).collect();
            by.sort_by_key(|one| left[one.0].paid[one.1]);
            order.retain(|at| by.iter().all(|one| one.0 != *at));
            open[balance].owed = 0;
            exceeded.push(Exceeded { balance, by });
        }
    }
}

/// The steps of rests taken one after the other.
#[derive(Default)]
struct Walk {
    steps: Vec<Step>,
    others: Vec<(usize, Set)>,
    /// Rests above what is left of a balance that others took in part, with the balance.
    beyond_rest: Vec<(usize, Beyond)>,
    /// Rests above a whole balance.
    beyond_whole: Vec<(usize, Beyond)>,
}

impl Walk {
    fn of(
        mut open: Vec<Balance>,
        left: &[Left],
        order: &[usize],
        until: &dyn Fn(NaiveDate) -> NaiveDate,
    ) -> Self {
        let mut walk = Self::default();
        let mut budget = Budget::default();
        for &at in order {
            let one = &left[at];
            let reach: Vec<usize> = (0..open.len())
                .filter(|place| open[*place].owed > 0 && one.taking(&open[*place]).is_some())
                .collect();
            let is_used =
                |id: usize| walk.others.iter().flat_map(|one| &one.1).any(|one| one.0 == id);
            let others: Vec<&Entry> = one.others.iter().filter(|one| !is_used(one.id)).collect();
            let chosen = choose(one.amount, (&open, &reach), &others, &mut budget);
            let Some((taken, others)) = chosen else {
                walk.note_beyond(&open, &reach, (at, one));
                continue;
            };
            if !others.is_empty() {
                walk.others.push((at, others));
            }
            for (balance, amount) in taken {
                let Some(deposit) = one.taking(&open[balance]) else { continue };
                let day = one.paid[deposit];
                let rest = open[balance].owed - amount;
                let next = Balance { owed: rest, after: day, until: until(day), ..open[balance] };
                let until = next.until;
                walk.steps.push(Step { balance, left: at, deposit, amount, rest, until });
                open[balance] = next;
            }
        }
        walk
    }

    /// Notes a rest that exceeds the balances in reach: those that others took in part, else the
    /// one that comes nearest.
    fn note_beyond(&mut self, open: &[Balance], reach: &[usize], (at, one): (usize, &Left)) {
        let by = |place: usize| Some((place, (at, one.taking(&open[place])?, one.amount)));
        let is_begun = |at: &usize| self.steps.iter().any(|step| step.balance == *at);
        let begun: Vec<usize> = reach.iter().copied().filter(is_begun).collect();
        if begun.is_empty() {
            let nearest = reach.iter().copied().max_by_key(|at| open[*at].owed);
            self.beyond_whole.extend(nearest.and_then(by));
        }
        self.beyond_rest.extend(begun.into_iter().filter_map(by));
    }
}

/// Chooses the balances in reach that an adjustment takes, with the amount of each, and the entries
/// of other kinds: none if there is a choice. `None` if it exceeds them.
fn choose(
    amount: i64,
    (open, reach): (&[Balance], &[usize]),
    others: &[&Entry],
    budget: &mut Budget,
) -> Option<(Set, Set)> {
    let equal = reach.iter().copied().filter(|at| open[*at].owed == amount);
    if let Some(nearest) = equal.max_by_key(|at| (open[*at].after, std::cmp::Reverse(*at))) {
        return Some((vec![(nearest, amount)], Vec::new()));
    }
    let entry = |&at: &usize| Entry::new(at, open[at].after, 0, open[at].owed);
    let entries: Vec<Entry> = reach.iter().map(entry).collect();
    for kind in Kind::IN_ORDER {
        match sets(kind, amount, &entries, 2, budget) {
            Sets::None => {}
            Sets::One(set) => return Some((set, Vec::new())),
            Sets::Several(_) | Sets::Bounded => return Some((Vec::new(), Vec::new())),
        }
    }
    // Sets of one kind were searched before.
    let behind = open.len();
    let behind_them = others.iter().map(|one| Entry { id: behind + one.id, ..(*one).clone() });
    let mut entries: Vec<Entry> = entries.into_iter().chain(behind_them).collect();
    entries.sort_by_key(|one| (one.day, one.id));
    if !others.is_empty() {
        match sets(Kind::Few, amount, &entries, 2, budget) {
            Sets::None | Sets::Bounded => {}
            Sets::One(set) => {
                let (own, others): (Set, Set) = set.into_iter().partition(|one| one.0 < behind);
                let place = |one: Part| (one.0 - behind, one.1);
                return Some((own, others.into_iter().map(place).collect()));
            }
            Sets::Several(_) => return Some((Vec::new(), Vec::new())),
        }
    }
    let larger = reach.iter().copied().filter(|at| open[*at].owed > amount);
    let oldest = larger.min_by_key(|at| (open[*at].after, *at));
    oldest.map(|at| (vec![(at, amount)], Vec::new()))
}

/// The balances of these groups, and of others.
pub(super) fn balances_of(below: &[BelowZero], groups: &[Group]) -> Vec<Balance> {
    let position = |date: &str| groups.iter().position(|group| group.batch_date == date);
    below
        .iter()
        .enumerate()
        .map(|(at, one)| Balance {
            // A balance outside these groups gets a position of its own.
            group: position(&one.batch_date).unwrap_or(groups.len() + at),
            owed: one.owed,
            after: one.after,
            until: one.until,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: u64) -> NaiveDate {
        "2026-11-02".parse::<NaiveDate>().unwrap() + chrono::Days::new(number)
    }

    fn balance(group: usize, owed: i64, after: u64) -> Balance {
        Balance { group, owed, after: day(after), until: day(after + 7) }
    }

    fn left(group: usize, amount: i64, paid: &[u64]) -> Left {
        let paid = paid.iter().map(|one| day(*one)).collect();
        Left { group, amount, paid, others: Vec::new() }
    }

    #[test]
    fn takes_a_balance_together_with_entries_of_other_kinds() {
        /// The adjustment, the other entries, and what the balance and these give.
        type Case<'a> = (i64, &'a [Entry], &'a [i64], &'a [Part]);
        let balances = [balance(0, 150, 2)];
        let other = |id: usize, amounts: &[i64]| Entry {
            id,
            day: day(2),
            party: 1 + id,
            amounts: amounts.to_vec(),
            at_most: None,
        };
        let both = vec![other(0, &[80, 25, 105]), other(1, &[40])];
        let with = |amount: i64, others: &[Entry]| Left {
            others: others.to_vec(),
            ..left(1, amount, &[3])
        };
        let cases: [Case<'_>; 5] = [
            (255, &both, &[150], &[(0, 105)]),
            (295, &both, &[150], &[(0, 105), (1, 40)]),
            // Without the balance; a set comes before a step; several sets.
            (145, &both, &[], &[(0, 105), (1, 40)]),
            (256, &both, &[], &[]),
            (230, &[other(0, &[80]), other(1, &[80])], &[], &[]),
        ];
        for (amount, others, taken, parts) in cases {
            let found =
                carried(&balances, &[with(amount, others)], &|day| day + chrono::Days::new(7));
            let steps: Vec<i64> = found.steps.iter().map(|one| one.amount).collect();
            let others: Vec<Part> = found.others.iter().flat_map(|one| one.1.clone()).collect();
            assert_eq!((steps.as_slice(), others.as_slice()), (taken, parts), "{amount}");
        }
    }

    #[test]
    fn carries_balances_whole_in_steps_and_together() {
        /// Balance, left, amount and rest of each step.
        type Steps<'a> = &'a [(usize, usize, i64, i64)];
        type Case<'a> = (&'a [Balance], &'a [Left], Steps<'a>);
        let cases: [Case<'_>; 12] = [
            (&[balance(0, 500, 2)], &[left(1, 500, &[3])], &[(0, 0, 500, 0)]),
            // Above the balance, too early, too late, of its own group.
            (&[balance(0, 500, 2)], &[left(1, 501, &[3])], &[]),
            (&[balance(0, 500, 2)], &[left(1, 500, &[2])], &[]),
            (&[balance(0, 500, 2)], &[left(1, 500, &[10])], &[]),
            (&[balance(0, 500, 2)], &[left(0, 500, &[3])], &[]),
            // The nearer one takes it; the other one exceeds the rest.
            (&[balance(0, 500, 2)], &[left(1, 500, &[3]), left(2, 500, &[4])], &[(0, 0, 500, 0)]),
            // Of two equal balances, the nearer one.
            (&[balance(0, 500, 1), balance(2, 500, 2)], &[left(1, 500, &[3])], &[(1, 0, 500, 0)]),
            // Two together.
            (
                &[balance(0, 300, 2), balance(2, 200, 2)],
                &[left(1, 500, &[3])],
                &[(0, 0, 300, 0), (1, 0, 200, 0)],
            ),
            // In steps, each within reach of the one before.
            (
                &[balance(0, 1_000, 2)],
                &[left(1, 400, &[3]), left(2, 400, &[8]), left(3, 200, &[14])],
                &[(0, 0, 400, 600), (0, 1, 400, 200), (0, 2, 200, 0)],
            ),
            (
                &[balance(0, 1_000, 2)],
                &[left(1, 400, &[3]), left(2, 600, &[11])],
                &[(0, 0, 400, 600)],
            ),
            // An adjustment that exceeds the balance removes all its steps.
            (&[balance(0, 1_000, 2)], &[left(1, 400, &[3]), left(2, 700, &[4])], &[]),
            (&[balance(0, 1_000, 2)], &[left(1, -400, &[3])], &[]),
        ];
        for (balances, left, expected) in cases {
            let found = carried(balances, left, &|day| day + chrono::Days::new(7));
            let found: Vec<(usize, usize, i64, i64)> = found
                .steps
                .iter()
                .map(|one| (one.balance, one.left, one.amount, one.rest))
                .collect();
            assert_eq!(found, expected, "{balances:?} {left:?}");
        }
    }

    #[test]
    fn names_the_adjustments_that_exceed_a_balance() {
        /// Balance, and the position and amount of each adjustment.
        type Over<'a> = &'a [(usize, &'a [(usize, i64)])];
        type Steps<'a> = &'a [(usize, i64)];
        type Case<'a> = (&'a [Balance], &'a [Left], Over<'a>, Steps<'a>);
        let one = [balance(0, 1_000, 2)];
        let two = [balance(0, 1_000, 2), balance(9, 300, 3)];
        let cases: [Case<'_>; 7] = [
            (&one, &[left(1, 400, &[3]), left(2, 650, &[4])], &[(0, &[(0, 400), (1, 650)])], &[]),
            (&one, &[left(1, 400, &[3]), left(2, 550, &[4])], &[], &[(0, 400), (1, 550)]),
            // One that follows is accused as well, also if it equals the rest.
            (
                &one,
                &[left(1, 400, &[3]), left(2, 650, &[4]), left(3, 600, &[5])],
                &[(0, &[(0, 400), (1, 650), (2, 600)])],
                &[],
            ),
            // Another balance is taken all the same.
            (
                &two,
                &[left(1, 400, &[3]), left(2, 650, &[4]), left(3, 300, &[5])],
                &[(0, &[(0, 400), (1, 650)])],
                &[(2, 300)],
            ),
            // A single one above the whole balance is no step of it.
            (&one, &[left(1, 1_001, &[3]), left(2, 1_000, &[4])], &[], &[(1, 1_000)]),
            // It names the balance that it is near to.
            (&one, &[left(1, 1_001, &[3])], &[(0, &[(0, 1_001)])], &[]),
            (&one, &[left(1, 2_000, &[3])], &[], &[]),
        ];
        for (balances, left, over, steps) in cases {
            let found = carried(balances, left, &|day| day + chrono::Days::new(7));
            let by = |one: &Exceeded| one.by.iter().map(|by| (by.0, by.2)).collect::<Vec<_>>();
            let exceeded: Vec<_> =
                found.exceeded.iter().map(|one| (one.balance, by(one))).collect();
            let over: Vec<_> = over.iter().map(|one| (one.0, one.1.to_vec())).collect();
            assert_eq!(exceeded, over, "{balances:?} {left:?}");
            let stand: Vec<_> = found.steps.iter().map(|one| (one.left, one.amount)).collect();
            assert_eq!(stand, steps, "{balances:?} {left:?}");
        }
    }
}
