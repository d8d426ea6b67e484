//! Which balances below zero were carried into which later deposits. Pure.

use std::collections::BTreeMap;

use chrono::NaiveDate;

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
/// there. A balance is what is left of exactly one deposit; several that add up explain nothing.
pub(super) fn carried(balances: &[Balance], left: &[Left]) -> BTreeMap<usize, (usize, usize)> {
    let mut claims: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut is_explained = vec![false; left.len()];
    for (at, balance) in balances.iter().enumerate() {
        let fits = |(place, one): (usize, &Left)| {
            Some((place, one.taking(balance)?)).filter(|_| one.amount == balance.owed)
        };
        let fitting: Vec<(usize, usize)> = left.iter().enumerate().filter_map(fits).collect();
        if let [only] = fitting[..]
            && !is_explained[only.0]
        {
            is_explained[only.0] = true;
            claims.insert(at, only);
        }
    }
    claims
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
            // One of two balances that are alike, and neither of two that add up.
            (&[balance(0, 500, 2), balance(2, 500, 2)], &[left(1, 500, &[3])], &[(0, 0)]),
            (&[balance(0, 300, 2), balance(2, 200, 2)], &[left(1, 500, &[3])], &[]),
        ];
        for (balances, left, expected) in cases {
            let found = carried(balances, left);
            let found: Vec<(usize, usize)> = found.into_iter().map(|(at, to)| (at, to.0)).collect();
            assert_eq!(found, expected, "{balances:?} {left:?}");
        }
    }
}
