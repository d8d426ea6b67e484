//! Pass 6: a nearby day and the same amount, if no other item and no other paid record of that kind
//! and amount, paired or not, lies within the window of either.

use chrono::NaiveDate;

use super::keys::{day_key, day_of_key, money_key};
use super::progress::{Place, Progress, Scope, Side};
use super::states::Pass;
use tieout_model::LedgerStatus;

/// Kind, currency, amount and day in one number, with the entry on that day.
type Entry = (u128, Who);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Item(u32),
    Record(u32),
    /// An entry that is no longer loaded.
    Settled,
}

const DAY_BITS: u32 = 32;

/// Runs the pass.
pub(super) fn run(progress: &mut Progress<'_>, side: Side) {
    let mut left: Vec<u128> =
        progress.records_left(side).map(|position| money_of_record(progress, position)).collect();
    left.sort_unstable();
    left.dedup();
    let wanted: Vec<(u128, u32)> = progress
        .items_left(side)
        .filter_map(|position| Some((money_of_item(progress, position)?, position)))
        .filter(|(money, _)| left.binary_search(money).is_ok())
        .collect();
    if wanted.is_empty() {
        return;
    }
    let mut amounts: Vec<u128> = wanted.iter().map(|one| one.0).collect();
    amounts.sort_unstable();
    amounts.dedup();
    let crowd = Crowd::of(progress, &amounts);
    // Paired entries stay in the crowd, so the order of the pairs does not matter.
    for (money, item) in wanted {
        if let Some(record) = crowd.sole_record(progress, money, item)
            && progress.records_left_has(record, side)
            && progress.agree(item, record)
        {
            progress.pair(Pass::NearbyUnique, &[item], &[record]);
        }
    }
}

fn money_of_item(progress: &Progress<'_>, position: u32) -> Option<u128> {
    let item = progress.item(position);
    Some(money_key(item.kind.ledger_kind(), item.currency?, item.amount?))
}

fn money_of_record(progress: &Progress<'_>, position: u32) -> u128 {
    let record = progress.record(position);
    money_key(record.kind, record.currency, record.amount)
}

/// All loaded entries of some amounts, sorted by amount and day; an item is listed on both its
/// days.
struct Crowd {
    entries: Vec<Entry>,
}

impl Crowd {
    fn of(progress: &Progress<'_>, amounts: &[u128]) -> Self {
        let is_wanted = |money: &u128| amounts.binary_search(money).is_ok();
        let is_at_hand = |scope: Scope| matches!(scope, Scope::Inside | Scope::Named);
        let mut entries: Vec<Entry> = Vec::new();
        for (position, scope) in (0..).zip(&progress.item_scopes) {
            let money = money_of_item(progress, position).filter(is_wanted);
            if let Some(money) = money.filter(|_| is_at_hand(*scope)) {
                let days = progress.item(position).days();
                entries.extend(days.map(|day| (money | day_key(day), Who::Item(position))));
            }
        }
        for (position, scope) in (0..).zip(&progress.record_scopes) {
            let record = progress.record(position);
            let money = money_of_record(progress, position);
            if record.status == LedgerStatus::Paid && is_at_hand(*scope) && is_wanted(&money) {
                entries.push((money | day_key(record.date), Who::Record(position)));
            }
        }
        if let Some(standing) = progress.input.standing {
            let settled = standing.crowd.iter().filter(|one| is_wanted(&one.0));
            entries.extend(settled.map(|&(money, day)| (money | day_key(day), Who::Settled)));
        }
        entries.sort_unstable();
        Self { entries }
    }

    /// The only record near `item`, if `item` is also the only entry near that record.
    fn sole_record(&self, progress: &Progress<'_>, money: u128, item: u32) -> Option<u32> {
        let mut sole = None;
        for day in progress.item(item).days() {
            for who in self.near(progress, money, day) {
                match who {
                    Who::Item(other) if other == item => {}
                    Who::Record(record) if sole.is_none_or(|one| one == record) => {
                        sole = Some(record);
                    }
                    Who::Item(_) | Who::Record(_) | Who::Settled => return None,
                }
            }
        }
        let record = sole?;
        let date = progress.record(record).date;
        let is_either = |who| who == Who::Item(item) || who == Who::Record(record);
        self.near(progress, money, date).all(is_either).then_some(record)
    }

    /// The entries within the window of `day`. The search stops at the first one outside.
    fn near<'a>(
        &'a self,
        progress: &'a Progress<'_>,
        money: u128,
        day: NaiveDate,
    ) -> impl Iterator<Item = Who> + 'a {
        let terms = progress.input.terms;
        let at = self.entries.partition_point(|one| one.0 < money | day_key(day));
        let (before, after) = self.entries.split_at(at);
        let is_near = move |entry: &&Entry| {
            entry.0 >> DAY_BITS == money >> DAY_BITS
                && day_of_key(entry.0)
                    .is_some_and(|date| terms.banking_days.distance(day, date) <= terms.window_days)
        };
        let after = after.iter().take_while(is_near);
        before.iter().rev().take_while(is_near).chain(after).map(|entry| entry.1)
    }
}

impl Progress<'_> {
    fn records_left_has(&self, record: u32, side: Side) -> bool {
        self.records[record as usize] == Place::Free && self.is_record_of(record, side)
    }
}
