//! Finds which negative balances were carried into which later deposits: whole, in steps, or
//! several at once. Pure.

use chrono::NaiveDate;

use tieout_matching::search::{Budget, Entry, Kind, Sets, sets};

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
}

impl Left {
    /// The only deposit that can have taken the balance; `None` if none or several can.
    fn taking(&self, balance: &Balance) -> Option<usize> {
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

/// The steps, in order of the payment dates. `until` gives the last day of a step that follows
/// another one. An adjustment equal to one balance takes it, the nearest first. One that several
/// balances add up to takes these. A smaller one is a step of the oldest open balance. If an
/// adjustment exceeds the rest, no step of that balance stands.
pub(super) fn carried(
    balances: &[Balance],
    left: &[Left],
    until: &dyn Fn(NaiveDate) -> NaiveDate,
) -> Vec<Step> {
    let mut open: Vec<Balance> = balances.to_vec();
    let mut order: Vec<usize> = (0..left.len()).filter(|at| left[*at].amount > 0).collect();
    order.sort_by_key(|at| (left[*at].paid.iter().max().copied(), left[*at].group));
    let mut steps: Vec<Step> = Vec::new();
    let mut budget = Budget::default();
    for at in order {
        let one = &left[at];
        let reach: Vec<usize> = (0..open.len())
            .filter(|place| open[*place].owed > 0 && one.taking(&open[*place]).is_some())
            .collect();
        let taken = choose(one.amount, &open, &reach, &mut budget);
        if taken.is_empty() {
            steps.retain(|step| !reach.contains(&step.balance));
        }
        for (balance, amount) in taken {
            let Some(deposit) = one.taking(&open[balance]) else { continue };
            let day = one.paid[deposit];
            let rest = open[balance].owed - amount;
            let next = Balance { owed: rest, after: day, until: until(day), ..open[balance] };
            steps.push(Step { balance, left: at, deposit, amount, rest, until: next.until });
            open[balance] = next;
        }
    }
    steps
}

/// Chooses the balances in reach that an adjustment takes, with the amount of each.
fn choose(
    amount: i64,
    open: &[Balance],
    reach: &[usize],
    budget: &mut Budget,
) -> Vec<(usize, i64)> {
    let equal = reach.iter().copied().filter(|at| open[*at].owed == amount);
    if let Some(nearest) = equal.max_by_key(|at| (open[*at].after, std::cmp::Reverse(*at))) {
        return vec![(nearest, amount)];
    }
    let entry = |&at: &usize| Entry::new(at, open[at].after, 0, open[at].owed);
    let entries: Vec<Entry> = reach.iter().map(entry).collect();
    for kind in Kind::IN_ORDER {
        match sets(kind, amount, &entries, 2, budget) {
            Sets::None => {}
            Sets::One(set) => return set,
            Sets::Several(_) | Sets::Bounded => return Vec::new(),
        }
    }
    let larger = reach.iter().copied().filter(|at| open[*at].owed > amount);
    larger.min_by_key(|at| (open[*at].after, *at)).map(|at| (at, amount)).into_iter().collect()
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
        Left { group, amount, paid: paid.iter().map(|one| day(*one)).collect() }
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
            let found: Vec<(usize, usize, i64, i64)> =
                found.iter().map(|one| (one.balance, one.left, one.amount, one.rest)).collect();
            assert_eq!(found, expected, "{balances:?} {left:?}");
        }
    }
}
