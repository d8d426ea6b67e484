//! Finds the negative adjustments that pay again a deposit that did not arrive. Pure.

use chrono::NaiveDate;

use tieout_model::{DepositId, MerchantId};

/// A deposit that the bank did not credit, or sent back.
#[derive(Clone, Debug)]
pub struct NotCredited {
    pub deposit: DepositId,
    /// Its merchant and currency.
    pub of: (MerchantId, String),
    pub amount: i64,
    pub paid: NaiveDate,
    /// The day on which it was due, or on which the bank debited it back.
    pub since: NaiveDate,
}

/// A group with an unexplained rest below zero: the payment dates of its deposits that adjust.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub amount: i64,
    pub paid: Vec<NaiveDate>,
}

/// A deposit that a later one pays again: positions of both, and of the later one in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Again {
    pub missing: usize,
    pub given: usize,
    pub deposit: usize,
}

/// Equal amounts one to one, in order of the payment dates, the nearest first. `until` gives the
/// last day of a deposit that pays again one that is missing since a day.
pub(super) fn paid_again(
    missing: &[&NotCredited],
    given: &[Given],
    until: &dyn Fn(NaiveDate) -> NaiveDate,
) -> Vec<Again> {
    let mut free: Vec<usize> = (0..missing.len()).collect();
    free.sort_by_key(|at| std::cmp::Reverse((missing[*at].paid, missing[*at].deposit)));
    let mut order: Vec<usize> = (0..given.len()).collect();
    order.sort_by_key(|at| given[*at].paid.iter().max());
    let mut found = Vec::new();
    for at in order {
        let fits = |one: usize| {
            let (one, given) = (missing[one], &given[at]);
            let last = until(one.since);
            let is_later = |paid: &NaiveDate| one.paid < *paid && *paid <= last;
            let deposit = given.paid.iter().position(is_later);
            deposit.filter(|_| one.amount.checked_neg() == Some(given.amount))
        };
        let first = free.iter().enumerate().find_map(|(at, &one)| Some((at, one, fits(one)?)));
        if let Some((place, missing, deposit)) = first {
            free.remove(place);
            found.push(Again { missing, given: at, deposit });
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

    fn missing(id: i64, amount: i64, paid: u64) -> NotCredited {
        NotCredited {
            deposit: DepositId(id),
            of: (MerchantId::NONE.clone(), String::new()),
            amount,
            paid: day(paid),
            since: day(paid + 1),
        }
    }

    fn given(amount: i64, paid: u64) -> Given {
        Given { amount, paid: vec![day(paid)] }
    }

    #[test]
    fn pays_again_what_did_not_arrive() {
        type Case<'a> = (&'a [NotCredited], &'a [Given], &'a [(usize, usize)]);
        let two = [missing(1, 500, 2), missing(2, 500, 3)];
        let cases: [Case<'_>; 6] = [
            (&[missing(1, 500, 2)], &[given(-500, 5)], &[(0, 0)]),
            // Another amount, a debit, not later, too late.
            (&[missing(1, 500, 2)], &[given(-499, 5), given(500, 5)], &[]),
            (&[missing(1, 500, 2)], &[given(-500, 2), given(-500, 11)], &[]),
            // The nearest, each once.
            (&two, &[given(-500, 5)], &[(1, 0)]),
            (&two, &[given(-500, 6), given(-500, 5)], &[(1, 1), (0, 0)]),
            (&[missing(1, 500, 2)], &[given(-500, 5), given(-500, 6)], &[(0, 0)]),
        ];
        for (ones, given, expected) in cases {
            let ones: Vec<&NotCredited> = ones.iter().collect();
            let found = paid_again(&ones, given, &|day| day + chrono::Days::new(7));
            let found: Vec<_> = found.iter().map(|one| (one.missing, one.given)).collect();
            assert_eq!(found, expected, "{given:?}");
        }
    }
}
