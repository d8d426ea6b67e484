//! Works the kinds of a world into plain records: events in settlement that are not discrepancies.
//! Each one ties out with all records that it touches, and reserves its merchant-days, so that
//! plants do not affect it.

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

/// One in this many free merchant-days of the range gets an occurrence of a kind.
const DAYS_PER_KIND: usize = 30;

/// The places that plants must avoid.
#[derive(Clone, Debug, Default)]
pub struct Woven {
    /// Merchant-days.
    pub groups: BTreeSet<(usize, NaiveDate)>,
    /// Positions of bank transfers.
    pub transfers: BTreeSet<usize>,
    /// The occurrences of each kind worked into the records; kinds of books and statements are
    /// counted with the books and statements.
    pub counts: BTreeMap<Kind, usize>,
}

/// Works every kind named in `options` into `records`.
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
            // A world without room for a further occurrence has fewer.
            if self.work_in(kind, nth).is_some() {
                *self.woven.counts.entry(kind).or_default() += 1;
            }
        }
    }

    /// Works one more occurrence of a kind in.
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
            // These occur once in a world, or are written with the books and statements.
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

    /// The paid merchant-days of the range with no kind worked in.
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

    /// Positions of a day's plain captures that are large enough to be divided.
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
