//! The movements of disputes that may be parts of an adjustment.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::choices::Movement;
use super::words::money;
use tieout_model::{DisputeId, MerchantId};
use tieout_store::judging::{self, Group};
use tieout_store::{StatementError, Store};

/// A movement with its dispute and the days on which it can have happened.
pub(super) struct Moved {
    pub dispute_id: DisputeId,
    pub side: (String, i64),
    pub movement: Movement,
    pub windows: Vec<(NaiveDate, NaiveDate)>,
    /// Whether its amount or its fee is unknown.
    pub is_unclear: bool,
}

pub(super) fn is_in_reach(group: &Group, moved: &Moved) -> bool {
    group.deposits.iter().any(|deposit| {
        moved.windows.iter().any(|(from, until)| (*from..=*until).contains(&deposit.sent))
    })
}

/// The movements of a merchant's disputes, and the positions of those that explain an adjustment.
#[derive(Default)]
pub(super) struct Disputes {
    pub moved: Vec<Moved>,
    pub used: BTreeSet<usize>,
}

impl Disputes {
    /// The movements that can have happened in a group and that no other group has used.
    pub fn free(&self, group: &Group) -> Vec<usize> {
        let Self { moved, used } = self;
        let is_free = |at: &usize| !used.contains(at) && is_in_reach(group, &moved[*at]);
        // Of a repeated movement of one dispute only the earliest free turn is available.
        let is_first = |at: &usize| {
            let (one, (side, turn)) = (&moved[*at], &moved[*at].side);
            !(0..moved.len()).filter(is_free).any(|other| {
                let other = &moved[other];
                other.dispute_id == one.dispute_id && other.side.0 == *side && other.side.1 < *turn
            })
        };
        (0..moved.len()).filter(is_free).filter(is_first).collect()
    }
}

/// A choice in words: *5117 (-44.99 USD) and 5118 (15.00 USD)*.
pub(super) fn name(moved: &[Moved], parts: &[(usize, i64)], currency: &str) -> String {
    let each = parts
        .iter()
        .map(|(at, sum)| format!("{} ({})", moved[*at].dispute_id, money(*sum, currency)));
    each.collect::<Vec<_>>().join(" and ")
}

/// The movements of a merchant's disputes in a currency, each turn once with all its dates.
pub(super) fn movements(
    store: &Store,
    merchant_id: &MerchantId,
    currency: &str,
) -> Result<Vec<Moved>, StatementError> {
    let mut found: Vec<Moved> = Vec::new();
    for row in judging::movements(store, merchant_id, currency)? {
        let judging::Movement { dispute_id, side, turn, window, amount, fee } = row;
        let side = (side, turn);
        if let Some(known) =
            found.last_mut().filter(|one| (one.dispute_id, &one.side) == (dispute_id, &side))
        {
            known.movement.dates.push(window.0);
            known.windows.push(window);
            continue;
        }
        let both = amount.zip(fee).and_then(|(amount, fee)| amount.checked_add(fee));
        let amounts = match side.0.as_str() {
            "debit" => [amount, fee, both].into_iter().flatten().collect(),
            "credit" => amount.and_then(i64::checked_neg).into_iter().collect(),
            _ => Vec::new(),
        };
        let at_most = amount.filter(|_| side.0 == "part");
        let amounts: Vec<i64> = amounts.into_iter().filter(|one| *one != 0).collect();
        found.push(Moved {
            dispute_id,
            side,
            movement: Movement { dates: vec![window.0], amounts, at_most },
            windows: vec![window],
            is_unclear: amount.is_none() || fee.is_none(),
        });
    }
    Ok(found)
}
