//! What comes nearest to the adjustments that nothing explains.

use super::carried::{Balance, Left};
use super::explained::{Explained, still_open};
use super::others::Others;
use super::words;
use crate::nearest::{NEAREST, Nearest};
use tieout_matching::search::{Entry, Part, nearest};
use tieout_model::money::Currency;
use tieout_store::judging::{BelowZero, Group};

/// Names the nearest entries to each group that is still open: returns, movements of disputes, and
/// negative balances that no deposit has taken.
pub(super) fn name(
    groups: &[Group],
    found: &mut [Explained],
    left: &[Left],
    others: &Others,
    balances: &[(&BelowZero, &Balance)],
) {
    let open = still_open(found);
    for one in left.iter().filter(|one| open.contains(&one.group)) {
        let Some(currency) = Currency::from_code(&groups[one.group].currency) else { continue };
        let behind = others.late.len() + others.disputes.moved.len();
        let in_reach = (0..balances.len()).filter(|at| one.taking(balances[*at].1).is_some());
        let entry =
            |at: usize| Entry::new(behind + at, balances[at].1.after, 0, balances[at].1.owed);
        let balance = in_reach.map(entry);
        let of_group = others.of(groups, one.group, found[one.group].problem.is_none());
        let entries: Vec<Entry> = of_group.into_iter().chain(balance).collect();
        let member = |part: &Part| match part.0.checked_sub(behind) {
            Some(at) => format!("the negative balance of {}", words::balance(balances[at].0)),
            None => others.said(part),
        };
        let sets = nearest(one.amount, &entries, NEAREST);
        found[one.group].near =
            Nearest::of(&sets, (one.amount, currency), "is unexplained", member);
    }
}
