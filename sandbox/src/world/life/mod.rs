//! Works the kinds of a world into plain records: what happens in settlement and is no
//! discrepancy. What is worked in ties out with all that it touches, and keeps its merchant-days
//! to itself, so that plants do not meet it.

mod cards;
mod deposits;
mod disputes;
mod orders;
mod returned;
mod shops;
mod transfers;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::records::{CardKind, Records, Role, Standing};
use super::{Kind, WorldOptions};
use crate::random::Random;

/// Of so many free merchant-days in the range, one holds what a kind is about.
const DAYS_PER_KIND: usize = 30;

/// What plants keep away from.
#[derive(Clone, Debug, Default)]
pub struct Woven {
    /// Merchant-days.
    pub groups: BTreeSet<(usize, NaiveDate)>,
    /// Positions of bank transfers.
    pub transfers: BTreeSet<usize>,
    /// How often each kind was worked in; kinds of books and statements are counted with these.
    pub counts: BTreeMap<Kind, usize>,
}

/// Works every kind that `options` names into `records`.
pub fn weave(options: &WorldOptions, records: &mut Records) -> Woven {
    let mut woven = Woven::default();
    for (place, kind) in Kind::every().enumerate() {
        if !options.kinds.contains(&kind) {
            continue;
        }
        let mut weaver = Weaver {
            records: &mut *records,
            from: options.from,
            to: options.to,
            random: Random::new(options.seed, &[30, place as u64]),
            woven: &mut woven,
        };
        weaver.weave(kind);
    }
    records.fees.sort_by_key(|fee| (fee.listed_date, fee.deposit_id));
    records.disputes.sort_by_key(|dispute| dispute.id);
    woven
}

/// A merchant-day: positions of its batches and deposits.
#[derive(Clone, Debug)]
struct Day {
    merchant: usize,
    date: NaiveDate,
    batches: Vec<usize>,
    deposits: Vec<usize>,
}

/// Every merchant-day.
type Days = BTreeMap<(usize, NaiveDate), Day>;

struct Weaver<'w> {
    records: &'w mut Records,
    from: NaiveDate,
    to: NaiveDate,
    random: Random,
    woven: &'w mut Woven,
}

impl Weaver<'_> {
    fn weave(&mut self, kind: Kind) {
        let times = 1 + self.free_days().len() / DAYS_PER_KIND;
        for nth in 0..times {
            // Where a world has no room for one more, it has fewer.
            if self.work_in(kind, nth).is_some() {
                *self.woven.counts.entry(kind).or_default() += 1;
            }
        }
    }

    /// Works a kind in once more.
    fn work_in(&mut self, kind: Kind, nth: usize) -> Option<()> {
        match kind {
            Kind::WeekendDeposits => self.pay_together(),
            Kind::DateBeside => self.move_association_date(),
            Kind::SplitCaptures => self.capture_in_parts(nth),
            Kind::Tips => self.tip(),
            Kind::Disputes => self.dispute(nth),
            Kind::ReturnsWithoutBatch => self.return_without_batch(),
            Kind::UndatedReturns => self.return_undated(),
            Kind::RareStatuses if nth == 0 => {
                self.change_statuses();
                Some(())
            }
            Kind::Holds => self.hold(nth),
            Kind::ThirdParty => self.pay_elsewhere(nth),
            Kind::Withdrawn => self.set_aside(Standing::Withdrawn),
            Kind::LateRecords => self.list_late(),
            Kind::OwnContracts if nth == 0 => self.contract_of_its_own(),
            Kind::ClosedFirst if nth == 0 => self.close_first(),
            Kind::DailyRepeats => self.repeat_next_day(),
            Kind::LateDeductions => self.deduct_late(),
            Kind::NeverSettledReturns => self.return_unsettled(),
            Kind::CorrectionNotices => self.notify(),
            Kind::DishonoredReturns => self.dishonor(),
            Kind::CollectedByHand => self.collect_by_hand(),
            Kind::TimelessTransfers if nth == 0 => self.hide_times(),
            Kind::DisputesToAndFro => self.lost_after_winning(),
            Kind::OldDisputes => self.won_of_before(),
            Kind::LateVoids => self.give_back(),
            Kind::Subscriptions => self.subscribe(),
            Kind::OrdersInParts => self.order_in_parts(),
            // Once for a world; and kinds of books and statements are written with these.
            _ => None,
        }
    }

    fn claim(&mut self, merchant: usize, date: NaiveDate) {
        self.woven.groups.insert((merchant, date));
    }

    fn is_free(&self, merchant: usize, date: NaiveDate) -> bool {
        !self.woven.groups.contains(&(merchant, date))
    }

    /// Every merchant-day with a batch of a configured merchant.
    fn days(&self) -> Days {
        let mut days = Days::new();
        for (at, batch) in self.records.batches.iter().enumerate() {
            if self.records.merchants[batch.merchant].is_configured {
                let (merchant, date) = (batch.merchant, batch.date);
                let empty = Day { merchant, date, batches: Vec::new(), deposits: Vec::new() };
                days.entry((merchant, date)).or_insert(empty).batches.push(at);
            }
        }
        for (at, deposit) in self.records.deposits.iter().enumerate() {
            if let Some(day) = days.get_mut(&(deposit.merchant, deposit.association_date)) {
                day.deposits.push(at);
            }
        }
        days
    }

    /// Those of the range that nothing was worked into, and that are paid.
    fn free_days(&self) -> Vec<Day> {
        let days = self.days().into_values();
        days.filter(|day| {
            (self.from..=self.to).contains(&day.date)
                && self.is_free(day.merchant, day.date)
                && !day.deposits.is_empty()
                && day.batches.iter().any(|at| self.records.batches[*at].count > 0)
        })
        .collect()
    }

    /// The free days that are due in the range; all free days when none is.
    fn due_days(&self) -> Vec<Day> {
        let free = self.free_days();
        let is_due = |day: &&Day| self.records.due(day.merchant, day.date, 2) <= self.to;
        let due: Vec<Day> = free.iter().filter(is_due).cloned().collect();
        if due.is_empty() { free } else { due }
    }

    /// Positions of a day's plain captures that are large enough to be cut.
    fn captures(&self, day: &Day) -> Vec<usize> {
        let ids: Vec<i64> = day.batches.iter().map(|at| self.records.batches[*at].id).collect();
        let (Some(low), Some(high)) = (ids.first(), ids.last()) else { return Vec::new() };
        let items = &self.records.authorizations;
        let start = items.partition_point(|item| item.batch_id < *low);
        let end = items.partition_point(|item| item.batch_id <= *high);
        let is_plain = |at: &usize| {
            let item = &items[*at];
            item.kind == CardKind::Capture
                && item.role == Role::Ordinary
                && item.standing == Standing::Ordinary
                && item.part_of == 0
                && item.deposit_id != 0
                && item.amount > 200
        };
        (start..end).filter(is_plain).collect()
    }
}
