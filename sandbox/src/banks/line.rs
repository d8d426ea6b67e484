//! The lines of a merchant's bank: one for each deposit, now and then one for two deposits or one a
//! day later, and lines of other originators.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};

use crate::random::Random;
use crate::world::WorldOptions;
use crate::world::records::{AtBank, Deposit, Records};

/// Calendar days before the first date of the world that the statements cover as well.
pub const DAYS_BEFORE: u64 = 12;

/// A line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Ids of the deposits that the line pays; empty for a line of another originator.
    pub deposits: Vec<i64>,
    pub merchant: usize,
    pub date: NaiveDate,
    /// Negative for a debit.
    pub amount: i64,
    pub currency: &'static str,
    pub text: String,
}

/// The names of the processor, used in turn.
pub const ORIGINATORS: [&str; 2] = ["Sandbox Payments Inc", "SBX SETTLEMENT"];

const OTHERS: [&str; 4] =
    ["CITY WATER WORKS 4411", "PAYROLL SERVICE BATCH 9", "RENT NOVEMBER", "CARD FEE REBATE"];

/// The first and the last day of the statements.
pub fn period(options: &WorldOptions) -> (NaiveDate, NaiveDate) {
    let first = options.from.checked_sub_days(Days::new(DAYS_BEFORE)).unwrap_or(options.from);
    (first, options.to)
}

/// The clean lines of one merchant.
pub fn clean(options: &WorldOptions, records: &Records, merchant: usize) -> Vec<Line> {
    let mut random = Random::new(options.seed, &[11, merchant as u64]);
    let (first, last) = period(options);
    let mut days: BTreeMap<NaiveDate, Vec<&Deposit>> = BTreeMap::new();
    for deposit in &records.deposits {
        let is_shown = deposit.merchant == merchant
            && deposit.net_amount != 0
            && deposit.at_bank != AtBank::Nothing;
        if is_shown && (first..=last).contains(&deposit.payment_date) {
            days.entry(deposit.payment_date).or_default().push(deposit);
        }
    }
    let calendar = &records.merchants[merchant].calendar;
    let mut lines = Vec::new();
    for (day, deposits) in days {
        // Paid in one line, unless the line could also mean other deposits of the day.
        let is_one = random.chance(30) && deposits.len() == 2;
        let groups: Vec<Vec<&Deposit>> = if is_one {
            vec![deposits]
        } else {
            deposits.into_iter().map(|one| vec![one]).collect()
        };
        for group in groups {
            let is_at_once = group.iter().any(|one| one.at_bank == AtBank::ShownAtOnce);
            let is_late = random.chance(12) && !is_at_once;
            let date = if is_late { calendar.due(day, 1) } else { day };
            let amount: i64 = group.iter().map(|deposit| deposit.net_amount).sum();
            let line = Line {
                deposits: group.iter().map(|deposit| deposit.id).collect(),
                merchant,
                date,
                amount,
                currency: records.merchants[merchant].currency,
                text: text(&mut random, records, merchant),
            };
            if amount != 0 {
                lines.push(line);
            } else {
                // Two deposits that cancel out still move their money.
                lines.extend(group.iter().map(|deposit| Line {
                    deposits: vec![deposit.id],
                    amount: deposit.net_amount,
                    ..line.clone()
                }));
            }
        }
    }
    lines.extend(others(&mut random, records, merchant, (first, last)));
    lines.retain(|line| line.date <= last);
    lines
}

/// The bank's text for a line of the processor.
pub fn text(random: &mut Random, records: &Records, merchant: usize) -> String {
    let name = random.choose(&ORIGINATORS).to_uppercase();
    let trace = random.between(1_000_000, 9_999_999);
    match random.between(1, 3) {
        1 => format!(
            "ACH CREDIT {name} DES:PAYOUT ID:{} TRN {trace}",
            records.merchants[merchant].id
        ),
        2 => format!("{name} settlement {trace}"),
        _ => format!("ORIG CO NAME:{name} CO ENTRY DESCR:DEPOSIT SEC:CCD TRACE#:{trace}"),
    }
}

fn others(
    random: &mut Random,
    records: &Records,
    merchant: usize,
    (first, last): (NaiveDate, NaiveDate),
) -> Vec<Line> {
    let calendar = &records.merchants[merchant].calendar;
    let mut lines = Vec::new();
    for date in first.iter_days().take_while(|date| *date <= last) {
        if calendar.is_banking_day(date) && random.chance(40) {
            let amount = random.amount(1_000, 90_000);
            lines.push(Line {
                deposits: Vec::new(),
                merchant,
                date,
                amount: if random.chance(70) { -amount } else { amount },
                currency: records.merchants[merchant].currency,
                text: (*random.choose(&OTHERS)).to_owned(),
            });
        }
    }
    lines
}
