//! Variations that banks write: one credit for several merchants, a credit that is reversed and
//! made again, a fee beside a full credit, the fees of a month.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::line::{Line, period};
use crate::calendar::last_of_month;
use crate::random::Random;
use crate::world::records::Records;
use crate::world::{Kind, WorldOptions};

/// Percentage of credits that a kind changes.
const PERCENT: u32 = 10;
/// The bank's charge for a credit, in minor units.
const CHARGE: i64 = 1_500;

/// The number of lines of each kind on the statements.
pub type Tally = BTreeMap<Kind, usize>;

/// The clean lines of an account with the variations of its bank, oldest first.
pub fn write(
    options: &WorldOptions,
    records: &Records,
    merchants: &[usize],
    mut lines: Vec<Line>,
) -> (Vec<Line>, Tally) {
    let mut tally = Tally::new();
    let has = |kind| options.kinds.contains(&kind);
    let first = merchants.first().copied().unwrap_or_default();
    let mut random = Random::new(options.seed, &[13, first as u64]);
    let mut changed = BTreeSet::new();
    if has(Kind::SharedCredits) && merchants.len() > 1 {
        let days: BTreeSet<NaiveDate> = lines.iter().map(|line| line.date).collect();
        for day in days {
            if let Some(whole) = together(options, records, merchants, &lines, day) {
                changed.extend(whole.deposits.iter().copied());
                lines.retain(|line| line.date != day || line.deposits.is_empty());
                lines.push(whole);
                *tally.entry(Kind::SharedCredits).or_default() += 1;
            }
        }
    }
    let mut more = Vec::new();
    for line in &mut lines {
        let [deposit] = line.deposits[..] else { continue };
        let is_fit =
            line.amount > CHARGE && line.date > options.from && !changed.contains(&deposit);
        if has(Kind::TakenBack) && is_fit && random.chance(PERCENT) {
            let date = records.due(line.merchant, line.date, 1);
            let taken = Line { date, amount: -line.amount, ..line.clone() };
            if date <= period(options).1 {
                more.extend([taken, Line { date, ..line.clone() }]);
                *tally.entry(Kind::TakenBack).or_default() += 1;
            }
        } else if has(Kind::ChargedApart) && is_fit && random.chance(PERCENT) {
            line.amount += CHARGE;
            more.push(Line { amount: -CHARGE, ..line.clone() });
            *tally.entry(Kind::ChargedApart).or_default() += 1;
        }
    }
    lines.extend(more);
    if has(Kind::MonthlyFees) {
        take_fees(options, records, merchants, &mut random, &mut lines, &mut tally);
    }
    lines.sort_by_key(|line| line.date);
    (lines, tally)
}

/// The fees of each merchant's months that name no deposit, two banking days after the month: a debit
/// of their sum, or a smaller credit.
fn take_fees(
    options: &WorldOptions,
    records: &Records,
    merchants: &[usize],
    random: &mut Random,
    lines: &mut Vec<Line>,
    tally: &mut Tally,
) {
    let mut sums: BTreeMap<(NaiveDate, usize), i64> = BTreeMap::new();
    let own = records.fees.iter().filter(|fee| fee.deposit_id.is_none());
    for fee in own.filter(|fee| merchants.contains(&fee.merchant)) {
        *sums.entry((last_of_month(fee.listed_date), fee.merchant)).or_default() += fee.amount;
    }
    for ((last, merchant), sum) in sums {
        let date = records.due(merchant, last, 2);
        let mut own = lines.iter_mut().filter(|line| line.merchant == merchant);
        let Some(first) = own.find(|line| line.deposits.len() == 1) else { continue };
        let debit = Line { deposits: Vec::new(), date, amount: -sum, ..first.clone() };
        let mut on_day = own.filter(|line| line.date == date && line.deposits.len() == 1);
        match on_day.find(|line| line.amount > sum) {
            _ if date > period(options).1 => continue,
            Some(credit) if random.chance(50) => credit.amount -= sum,
            _ => lines.push(debit),
        }
        *tally.entry(Kind::MonthlyFees).or_default() += 1;
    }
}

/// One line for all deposits of a payment date, of at least two merchants, each with a line on that
/// day.
fn together(
    options: &WorldOptions,
    records: &Records,
    merchants: &[usize],
    lines: &[Line],
    day: NaiveDate,
) -> Option<Line> {
    let own: Vec<&Line> =
        lines.iter().filter(|line| line.date == day && !line.deposits.is_empty()).collect();
    let shown: BTreeSet<i64> = own.iter().flat_map(|line| line.deposits.iter().copied()).collect();
    let paid: BTreeSet<i64> = records
        .deposits
        .iter()
        .filter(|one| merchants.contains(&one.merchant) && one.payment_date == day)
        .filter(|one| one.net_amount != 0)
        .map(|one| one.id)
        .collect();
    let names: BTreeSet<usize> = own.iter().map(|line| line.merchant).collect();
    let amount: i64 = own.iter().map(|line| line.amount).sum();
    let is_fit = shown == paid && names.len() > 1 && amount != 0 && day > options.from;
    let deposits = shown.into_iter().collect();
    own.first().filter(|_| is_fit).map(|line| Line { deposits, amount, ..(*line).clone() })
}
