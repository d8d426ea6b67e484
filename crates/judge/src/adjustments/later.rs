//! Bank transfers that came back and were deducted from a deposit later than their own date's.

use std::collections::{BTreeMap, BTreeSet};

use tieout_matching::search::{Budget, Entry, Kind, Sets, sets, settle};
use tieout_model::MerchantId;
use tieout_store::judging::{self, Group, LateReturn};
use tieout_store::{StatementError, Store};

/// Moves returns to the deposits that deduct them, if exactly one choice adds up: from groups whose
/// deposits deduct less than came back, or that have none yet, to groups whose deposits deduct more.
pub(super) fn deduct(
    store: &Store,
    (merchant_id, currency): (&MerchantId, &str),
    groups: &mut [Group],
) -> Result<(), StatementError> {
    if !groups.iter().any(|group| group.left > 0) {
        return Ok(());
    }
    let returns = judging::late_returns(store, merchant_id, currency)?;
    let place_of = |date: &str| groups.iter().position(|group| group.batch_date == date);
    let sources: Vec<Option<usize>> = returns.iter().map(|one| place_of(&one.group_date)).collect();
    let behind = returns.len();
    let mut budget = Budget::default();
    let mut wishes: BTreeMap<usize, Vec<BTreeSet<usize>>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate().filter(|(_, group)| group.left > 0) {
        let in_reach = |one: &LateReturn| {
            let days = one.date..=one.until;
            group.deposits.iter().any(|deposit| days.contains(&deposit.sent))
        };
        let is_left = |source: usize| source != at && groups[source].left < 0;
        let own = returns.iter().enumerate().filter(|(number, one)| {
            sources[*number].map_or(one.is_unpaid, is_left) && in_reach(one)
        });
        let entries: Vec<Entry> =
            own.map(|(number, one)| Entry::new(number, one.date, 0, one.amount)).collect();
        let nodes = |set: &Vec<(usize, i64)>| set.iter().map(|part| part.0).collect();
        let found = Kind::IN_ORDER
            .iter()
            .map(|kind| sets(*kind, group.left, &entries, 1, &mut budget))
            .find(|found| *found != Sets::None);
        let all: Vec<BTreeSet<usize>> =
            found.iter().flat_map(tieout_matching::search::Sets::all).map(nodes).collect();
        if !all.is_empty() {
            wishes.insert(behind + at, all);
        }
    }
    for target in settle(&wishes, |_, _| false).taken {
        let set = &wishes[&target][0];
        let mut moved: BTreeMap<usize, i64> = BTreeMap::new();
        for number in set {
            if let Some(source) = sources[*number] {
                *moved.entry(source).or_default() += returns[*number].amount;
            }
        }
        // A group gives away at most its own shortfall.
        if moved.iter().any(|(source, sum)| groups[*source].left + sum > 0) {
            continue;
        }
        let mut sum: i64 = moved.values().sum();
        for one in set.iter().filter(|number| sources[**number].is_none()) {
            let LateReturn { group_date, amount, .. } = &returns[*one];
            judging::add_returned(store, merchant_id, group_date, currency, -amount)?;
            sum += amount;
        }
        move_returned(store, &groups[target - behind], sum)?;
        groups[target - behind].left -= sum;
        for (source, sum) in moved {
            move_returned(store, &groups[source], -sum)?;
            groups[source].left += sum;
        }
    }
    Ok(())
}

fn move_returned(store: &Store, group: &Group, sum: i64) -> Result<(), StatementError> {
    judging::add_returned(store, &group.merchant_id, &group.batch_date, &group.currency, sum)
}
