//! Which balances below zero were carried into which later deposits. Pure.

use std::collections::BTreeMap;

use chrono::NaiveDate;

/// Balances that are looked at for the sum of one deposit.
const MAX_BALANCES: usize = 12;

/// A deposit below zero, or a group at or below zero without a deposit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Balance {
    /// The group that it is of.
    pub group: usize,
    pub owed: i64,
    /// It can be carried into what is paid after this day, up to the other one.
    pub after: NaiveDate,
    pub until: NaiveDate,
}

/// A group of which something of the adjustment is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub group: usize,
    pub amount: i64,
    /// The days on which its deposits that adjust something were paid.
    pub paid: Vec<NaiveDate>,
}

impl Left {
    /// The one deposit that can have taken the balance.
    fn taking(&self, balance: &Balance) -> Option<usize> {
        let can = |paid: &NaiveDate| balance.after < *paid && *paid <= balance.until;
        let mut places = (0..self.paid.len()).filter(|at| can(&self.paid[*at]));
        let only = places.next().filter(|_| balance.group != self.group)?;
        places.next().is_none().then_some(only)
    }
}

/// By the position of a balance: the position of what is left that it explains, and of the deposit
/// there. First those that alone are what is left of exactly one deposit; then two or three that
/// together are, in one way.
pub(super) fn carried(balances: &[Balance], left: &[Left]) -> BTreeMap<usize, (usize, usize)> {
    let mut claims: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut is_explained = vec![false; left.len()];
    let mut fits_alone = vec![false; balances.len()];
    for (at, balance) in balances.iter().enumerate() {
        let fits = |(place, one): (usize, &Left)| {
            Some((place, one.taking(balance)?)).filter(|_| one.amount == balance.owed)
        };
        let fitting: Vec<(usize, usize)> = left.iter().enumerate().filter_map(fits).collect();
        fits_alone[at] = !fitting.is_empty();
        if let [only] = fitting[..]
            && !is_explained[only.0]
        {
            is_explained[only.0] = true;
            claims.insert(at, only);
        }
    }
    for (place, one) in left.iter().enumerate().filter(|(place, _)| !is_explained[*place]) {
        let can = |at: &usize| !fits_alone[*at] && !claims.contains_key(at);
        let candidates: Vec<(usize, usize)> = (0..balances.len())
            .filter(can)
            .filter_map(|at| Some((at, one.taking(&balances[at])?)))
            .collect();
        if let [only] = &sums(balances, &candidates, one.amount)[..] {
            claims.extend(only.iter().map(|(at, deposit)| (*at, (place, *deposit))));
        }
    }
    claims
}

/// The choices of two or three of `candidates` that add up.
fn sums(
    balances: &[Balance],
    candidates: &[(usize, usize)],
    amount: i64,
) -> Vec<Vec<(usize, usize)>> {
    let mut found = Vec::new();
    if candidates.len() > MAX_BALANCES {
        return found;
    }
    for choice in 1_u32..1 << candidates.len() {
        if !matches!(choice.count_ones(), 2 | 3) {
            continue;
        }
        let chosen: Vec<(usize, usize)> = (0..candidates.len())
            .filter(|place| choice >> place & 1 == 1)
            .map(|place| candidates[place])
            .collect();
        let sum: i128 = chosen.iter().map(|(at, _)| i128::from(balances[*at].owed)).sum();
        let is_one_deposit = chosen.iter().all(|(_, deposit)| *deposit == chosen[0].1);
        if sum == i128::from(amount) && is_one_deposit {
            found.push(chosen);
        }
    }
    found
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
    fn carries_what_is_left_of_exactly_one_deposit() {
        type Case<'a> = (&'a [Balance], &'a [Left], &'a [(usize, usize)]);
        let cases: [Case<'_>; 8] = [
            (&[balance(0, 500, 2)], &[left(1, 500, &[3])], &[(0, 0)]),
            // Not the same amount, too early, too late, of its own group.
            (&[balance(0, 500, 2)], &[left(1, 501, &[3])], &[]),
            (&[balance(0, 500, 2)], &[left(1, 500, &[2])], &[]),
            (&[balance(0, 500, 2)], &[left(1, 500, &[10])], &[]),
            (&[balance(0, 500, 2)], &[left(0, 500, &[3])], &[]),
            // Two deposits that it could be.
            (&[balance(0, 500, 2)], &[left(1, 500, &[3]), left(2, 500, &[4])], &[]),
            // One of two balances that are alike, and two that add up.
            (&[balance(0, 500, 2), balance(2, 500, 2)], &[left(1, 500, &[3])], &[(0, 0)]),
            (&[balance(0, 300, 2), balance(2, 200, 2)], &[left(1, 500, &[3])], &[(0, 0), (1, 0)]),
        ];
        for (balances, left, expected) in cases {
            let found = carried(balances, left);
            let found: Vec<(usize, usize)> = found.into_iter().map(|(at, to)| (at, to.0)).collect();
            assert_eq!(found, expected, "{balances:?} {left:?}");
        }
    }
}
