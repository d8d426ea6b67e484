//! Deposits that pay for several batch dates, or name a date beside theirs; and what explains an
//! adjustment beside returns. Slow and plain, as the rest of the examiner.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::world::disputes::DisputeStatus;
use crate::world::records::{Deposit, Records, TransferStatus};

/// Batch dates and deposits that agree as a whole and not one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub dates: Vec<NaiveDate>,
    /// Ids.
    pub deposits: Vec<i64>,
}

type Figures = [i64; 3];

fn sum<'f>(figures: impl Iterator<Item = &'f Figures>) -> Figures {
    figures.fold([0; 3], |sum, one| [sum[0] + one[0], sum[1] + one[1], sum[2] + one[2]])
}

fn paid(deposit: &Deposit) -> Figures {
    [deposit.sales, deposit.returns, deposit.transactions]
}

/// The runs of a merchant as of `today`.
pub fn runs(records: &Records, merchant: usize, today: NaiveDate) -> Vec<Run> {
    let mut owed: BTreeMap<NaiveDate, Figures> = BTreeMap::new();
    for batch in &records.batches {
        if batch.merchant == merchant && batch.date <= today {
            let figures = [batch.sales, batch.returns, batch.count];
            let before = owed.get(&batch.date).copied().unwrap_or_default();
            owed.insert(batch.date, sum([before, figures].iter()));
        }
    }
    let mut deposits: Vec<&Deposit> = records
        .deposits
        .iter()
        .filter(|one| one.merchant == merchant && one.payment_date <= today)
        .collect();
    deposits.sort_by_key(|one| (one.association_date, one.payment_date, one.id));
    let own = |date: NaiveDate| {
        let own: Vec<Figures> = deposits
            .iter()
            .filter(|one| one.association_date == date)
            .map(|one| paid(one))
            .collect();
        sum(own.iter())
    };
    let named: BTreeSet<NaiveDate> = deposits.iter().map(|one| one.association_date).collect();
    owed.retain(|date, figures| *figures != [0; 3] || named.contains(date));
    let is_tied = |date: NaiveDate| owed.get(&date).is_some_and(|figures| *figures == own(date));
    let dates: Vec<NaiveDate> = owed.keys().copied().collect();
    let open: Vec<&Deposit> =
        deposits.iter().copied().filter(|one| !is_tied(one.association_date)).collect();
    let mut found = Vec::new();
    for first in 0..dates.len() {
        let stretch = dates[first..].iter().take_while(|date| !is_tied(**date)).count();
        for last in first..first + stretch {
            let dates = &dates[first..=last];
            let wanted = sum(dates.iter().map(|date| &owed[date]));
            found.extend(matching(records, merchant, dates, wanted, &open));
        }
    }
    let is_within = |one: &Run, other: &Run| {
        one != other
            && one.dates.iter().all(|date| other.dates.contains(date))
            && one.deposits.iter().all(|id| other.deposits.contains(id))
    };
    let all = found.clone();
    found.retain(|run| !all.iter().any(|other| is_within(other, run)));
    let shares = |one: &Run, other: &Run| {
        one != other
            && (one.dates.iter().any(|date| other.dates.contains(date))
                || one.deposits.iter().any(|id| other.deposits.contains(id)))
    };
    let all = found.clone();
    found.retain(|run| !all.iter().any(|other| shares(other, run)));
    found
}

/// The deposits in a row that agree with these batch dates.
fn matching(
    records: &Records,
    merchant: usize,
    dates: &[NaiveDate],
    wanted: Figures,
    open: &[&Deposit],
) -> Vec<Run> {
    let calendar = records.merchants[merchant].calendar;
    let banking_days = |from: NaiveDate, to: NaiveDate| {
        let days = from.iter_days().skip(1).take_while(|date| *date <= to);
        days.filter(|date| calendar.is_banking_day(*date)).count()
    };
    let distance = |one: NaiveDate, other: NaiveDate| match one.cmp(&other) {
        std::cmp::Ordering::Less => banking_days(one, other).max(1),
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => banking_days(other, one).max(1),
    };
    let (first, last) = (dates[0], dates[dates.len() - 1]);
    if wanted == [0; 3] || banking_days(first, last) > 5 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for start in 0..open.len() {
        for end in start..open.len() {
            let row = &open[start..=end];
            let touched: BTreeSet<NaiveDate> = row.iter().map(|one| one.association_date).collect();
            let is_near = touched.iter().all(|date| {
                (first..=last).contains(date) || dates.iter().any(|one| distance(*one, *date) <= 1)
            });
            let is_whole = open
                .iter()
                .filter(|one| touched.contains(&one.association_date))
                .all(|one| row.iter().any(|other| other.id == one.id));
            let is_sent_later = row.iter().all(|one| one.ach_date >= last);
            let figures: Vec<Figures> = row.iter().map(|one| paid(one)).collect();
            if is_near && is_whole && is_sent_later && sum(figures.iter()) == wanted {
                found.push(Run {
                    dates: dates.to_vec(),
                    deposits: row.iter().map(|one| one.id).collect(),
                });
            }
        }
    }
    found
}

/// Whether disputes and returns without a date explain `rest` of an adjustment of deposits sent
/// on `sent`.
pub fn explains(records: &Records, merchant: usize, sent: &[NaiveDate], rest: i64) -> bool {
    let calendar = records.merchants[merchant].calendar;
    let is_soon =
        |since: NaiveDate| sent.iter().any(|day| since < *day && *day <= calendar.due(since, 10));
    let won = [DisputeStatus::RepresentmentPaid, DisputeStatus::IssuerReversal];
    let mut movements: Vec<i64> = Vec::new();
    for dispute in records.disputes.iter().filter(|one| one.merchant == merchant) {
        if dispute.statuses.first().is_some_and(|(_, since)| is_soon(*since)) {
            movements.extend([dispute.amount, dispute.amount + dispute.fee]);
        }
        for (status, since) in &dispute.statuses {
            if won.contains(status) && is_soon(*since) {
                movements.push(-dispute.amount);
            }
        }
    }
    let undated = records.transfers.iter().filter(|one| {
        one.merchant == merchant
            && one.status == TransferStatus::Returned
            && one.return_of.is_none()
            && one.returns.is_empty()
    });
    movements.extend(undated.map(|one| one.amount));
    movements.push(0);
    movements.iter().any(|one| movements.iter().any(|other| one + other == rest || *one == rest))
}
