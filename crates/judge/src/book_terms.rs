//! The terms of matching a merchant's books: its limits, and the days that were read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::{AsOf, Rules};
use tieout_config::Merchant;
use tieout_matching::{BankingDays, LedgerInput, Terms};
use tieout_model::calendar::Calendar;
use tieout_store::{Ledgers, NamedBooks};

/// Marks the records whose items could lie on a day that was not read.
pub(super) fn mark_days(
    rules: &Rules<'_>,
    merchant: &Merchant,
    terms: &Terms,
    input: &mut LedgerInput,
) {
    let days = DaysRead::new(rules, merchant, terms, &input.days_read, &input.early_failed);
    for record in &mut input.records {
        record.day_not_read = record.date >= terms.start && !days.are_read(record.date);
    }
}

/// The ledger name and the early day of each of these merchants that names a ledger.
pub(super) fn ledgers_of<'m>(
    rules: &Rules<'_>,
    asof: &AsOf,
    merchants: impl Iterator<Item = &'m Merchant>,
) -> Ledgers {
    merchants
        .filter_map(|merchant| {
            let name = merchant.ledger.clone()?;
            let early_day = early_day(rules, asof, merchant);
            Some((merchant.id.clone(), NamedBooks { name, early_day }))
        })
        .collect()
}

/// The earliest day that is within the merchant's window of the start date.
fn early_day(rules: &Rules<'_>, asof: &AsOf, merchant: &Merchant) -> NaiveDate {
    let terms = terms(rules, asof, merchant, asof.business_date);
    let near =
        |day: &NaiveDate| terms.banking_days.distance(*day, terms.start) <= terms.window_days;
    let days = std::iter::successors(Some(terms.start), NaiveDate::pred_opt);
    days.take_while(near).last().unwrap_or(terms.start)
}

/// The limits of a merchant as of `business_date`.
pub(super) fn terms(
    rules: &Rules<'_>,
    asof: &AsOf,
    merchant: &Merchant,
    business_date: NaiveDate,
) -> Terms {
    let own = merchant.terms;
    let calendar = rules.settings.calendar(merchant.calendar);
    Terms {
        start: asof.start_date,
        business_date,
        window_days: own.window_days,
        tolerance_minor: own.amount_tolerance_minor,
        tolerance_basis_points: own.amount_tolerance_basis_points,
        settle_days: own.settle_days,
        ledger_days: own.ledger_days,
        lookback_days: rules.settings.settlement.lookback_days,
        banking_days: BankingDays::new(&calendar, asof.start_date, business_date, own.window_days),
    }
}

/// The dates on which a record or an item can be judged.
pub(super) struct DaysRead<'a> {
    calendar: Calendar,
    terms: &'a Terms,
    /// Days read since the start date.
    read: &'a BTreeSet<NaiveDate>,
    /// Days before the start date that failed; such a day is read only when something needs it.
    early_failed: &'a BTreeSet<NaiveDate>,
    /// Whether the days around a date were read, as far as it was asked.
    around: RefCell<BTreeMap<NaiveDate, bool>>,
}

impl<'a> DaysRead<'a> {
    pub(super) fn new(
        rules: &Rules<'_>,
        merchant: &Merchant,
        terms: &'a Terms,
        read: &'a BTreeSet<NaiveDate>,
        early_failed: &'a BTreeSet<NaiveDate>,
    ) -> Self {
        let calendar = rules.settings.calendar(merchant.calendar);
        Self { calendar, terms, read, early_failed, around: RefCell::default() }
    }

    pub(super) fn are_read(&self, date: NaiveDate) -> bool {
        let mut around = self.around.borrow_mut();
        *around.entry(date).or_insert_with(|| self.are_read_around(date))
    }

    /// Whether every day was read on which the partner of an entry dated `date` could lie: the days
    /// of the window before it, and the days after it until it is due.
    fn are_read_around(&self, date: NaiveDate) -> bool {
        let terms = self.terms;
        let due_days = terms.settle_days.saturating_add(terms.ledger_days);
        let last = self.calendar.due(date, due_days).min(terms.business_date);
        let mut after = date.iter_days().take_while(|day| *day <= last);
        let mut before =
            std::iter::successors(date.pred_opt(), NaiveDate::pred_opt).take_while(|day| {
                *day >= terms.start && terms.banking_days.distance(*day, date) <= terms.window_days
            });
        after.all(|day| self.is_read(day)) && before.all(|day| self.is_read(day))
    }

    /// An entry from before the start date is named by an id or an order, however old it is: any
    /// day there that could not be read may hold it.
    fn is_read(&self, day: NaiveDate) -> bool {
        if day < self.terms.start { self.early_failed.is_empty() } else { self.read.contains(&day) }
    }
}
