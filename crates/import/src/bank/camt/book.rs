//! The statement level of camt.053: the pages, the period, the balances and the summary of the
//! entries, all of which must agree.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::summary::{Level, OfCode, Summary};
use crate::bank::moment::{Moment, Period};
use crate::bank::number::major;
use crate::bank::repeats::Repeats;
use crate::bank::statement::{Broken, Statement, days_between};
use tieout_model::money::{Currency, Minor};

/// A balance of a statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Balance {
    pub code: String,
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub is_debit: bool,
    pub date: Option<NaiveDate>,
}

impl Balance {
    fn signed(&self) -> Option<i64> {
        let amount = self.amount?.0;
        Some(if self.is_debit { -amount } else { amount })
    }
}

/// One `Stmt`: a statement, or a page of one.
#[derive(Clone, Default)]
pub(super) struct Page {
    pub id: String,
    pub account: String,
    pub currency: Option<Currency>,
    pub created: Option<Moment>,
    pub number: Option<u64>,
    pub is_last: Option<bool>,
    /// Whether further entries may be in another file of the same message.
    pub is_of_many: bool,
    pub period: Period,
    pub balances: Vec<Balance>,
    pub summaries: Vec<(Level, Summary)>,
    pub of_codes: Vec<OfCode>,
    /// Entries of every status.
    pub entries: u64,
    pub first_entry: usize,
    pub first_fault: usize,
    /// Entries that reverse others.
    pub reversals: Vec<usize>,
    /// The number and sum of the booked credits and debits, by currency.
    booked: BTreeMap<&'static str, Booked>,
}

#[derive(Clone, Copy, Default)]
struct Booked {
    credits: (u64, i64),
    debits: (u64, i64),
}

impl Booked {
    fn of(self, level: Level) -> Option<(u64, i64)> {
        match level {
            Level::Credits => Some(self.credits),
            Level::Debits => Some(self.debits),
            Level::All => {
                let sum = self.credits.1.checked_add(self.debits.1)?;
                Some((self.credits.0 + self.debits.0, sum))
            }
        }
    }
}

impl Page {
    /// A page that begins after this many entries and faults.
    pub(super) fn begin(created: Option<Moment>, first_entry: usize, first_fault: usize) -> Self {
        Self { created, first_entry, first_fault, ..Self::default() }
    }

    /// Counts a booked entry.
    pub(super) fn add(
        &mut self,
        line: u64,
        amount: Minor,
        currency: Currency,
    ) -> Result<(), Broken> {
        let booked = self.booked.entry(currency.code()).or_default();
        let side = if amount.0 < 0 { &mut booked.debits } else { &mut booked.credits };
        side.0 += 1;
        side.1 = side
            .1
            .checked_add(amount.0.abs())
            .ok_or_else(|| Broken::at(line, "the sum of the amounts overflows"))?;
        Ok(())
    }

    /// Identifies a page or statement, together with its entries.
    fn head(&self) -> String {
        let Self { id, account, number, period, balances, .. } = self;
        format!("{id}\n{account}\n{number:?}\n{period:?}\n{balances:?}")
    }

    fn net(&self, currency: Currency) -> i64 {
        self.booked.get(currency.code()).map_or(0, |one| one.credits.1 - one.debits.1)
    }

    /// Checks that it is a complete statement on its own.
    fn is_whole(&self) -> bool {
        self.number.is_none_or(|number| number == 1) && self.is_last.unwrap_or(true)
    }

    /// Checks that the entries lead from the opening balance to the closing balance.
    fn is_closed(&self) -> bool {
        let balance =
            |one: Option<&Balance>| one.and_then(|one| Some((one.signed()?, one.currency?)));
        match (balance(self.opening()), balance(self.closing())) {
            (Some((before, currency)), Some((after, other))) => {
                currency == other && before.checked_add(self.net(currency)) == Some(after)
            }
            _ => false,
        }
    }

    /// The page with the opposite sign for its reversals; `None` without reversals.
    fn turned(&self, statement: &Statement) -> Option<Self> {
        let mut turned = self.clone();
        for at in &self.reversals {
            let entry = statement.entries.get(*at)?;
            let booked = turned.booked.get_mut(entry.currency.code())?;
            let amount = entry.amount.0.abs();
            let (from, to) = if entry.amount.0 < 0 {
                (&mut booked.debits, &mut booked.credits)
            } else {
                (&mut booked.credits, &mut booked.debits)
            };
            (from.0, from.1) = (from.0.checked_sub(1)?, from.1.checked_sub(amount)?);
            (to.0, to.1) = (to.0 + 1, to.1.checked_add(amount)?);
        }
        (!self.reversals.is_empty()).then_some(turned)
    }

    fn opening(&self) -> Option<&Balance> {
        let opening = self.balances.iter().filter(|one| matches!(&*one.code, "OPBD" | "PRCD"));
        opening.min_by_key(|one| one.date)
    }

    fn closing(&self) -> Option<&Balance> {
        self.balances.iter().rev().filter(|one| one.code == "CLBD").max_by_key(|one| one.date)
    }
}

/// The pages so far of a statement whose last page is still missing.
#[derive(Default)]
pub(super) struct Book {
    pages: Option<Page>,
    repeats: Repeats,
}

impl Book {
    /// Checks a page or a statement and notes the days that it covers. `line` is the line of its
    /// end.
    pub(super) fn close(
        &mut self,
        page: &Page,
        statement: &mut Statement,
        line: u64,
    ) -> Result<(), Broken> {
        for entry in &mut statement.entries[page.first_entry..] {
            entry.account_last4.clone_from(&page.account);
        }
        self.repeats.end(page.head(), page.first_entry, statement);
        let currency = page.currency.or_else(|| page.opening().and_then(|one| one.currency));
        statement.has_account(&page.account, currency);
        if page.is_of_many && !page.is_closed() {
            self.pages = None;
            return Ok(());
        }
        if page.is_whole() {
            self.pages = None;
            return check_and_cover(page, statement, line);
        }
        let joined = match self.pages.take() {
            Some(before) => before.join(page),
            None if page.number == Some(1) => Some(page.clone()),
            None => None,
        };
        // A page without the first pages of its statement covers no days.
        let Some(joined) = joined else { return Ok(()) };
        if page.is_last == Some(true) {
            return check_and_cover(&joined, statement, line);
        }
        self.pages = Some(joined);
        Ok(())
    }
}

impl Page {
    /// Joins the next page of the same statement; `None` when `next` does not follow this page.
    fn join(mut self, next: &Self) -> Option<Self> {
        let follows = self.account == next.account
            && self.id == next.id
            && next.number == self.number.map(|number| number + 1);
        if !follows {
            return None;
        }
        self.number = next.number;
        self.is_last = next.is_last;
        self.entries += next.entries;
        self.reversals.extend(&next.reversals);
        self.balances.extend(next.balances.iter().cloned());
        // The summary of a statement is either on one of its pages or on each page for itself.
        self.summaries.clear();
        self.of_codes.clear();
        for (code, booked) in &next.booked {
            let sum = self.booked.entry(code).or_default();
            sum.credits =
                (sum.credits.0 + booked.credits.0, sum.credits.1.checked_add(booked.credits.1)?);
            sum.debits =
                (sum.debits.0 + booked.debits.0, sum.debits.1.checked_add(booked.debits.1)?);
        }
        Some(self)
    }
}

fn check_and_cover(page: &Page, statement: &mut Statement, line: u64) -> Result<(), Broken> {
    let has_faults = statement.faults.len() > page.first_fault;
    if !has_faults {
        match check_balances(page, line) {
            Err(_) if page.turned(statement).is_some_and(|turned| turned.is_closed()) => {
                turn(&page.reversals, statement);
            }
            Err(broken) if !page.reversals.is_empty() => {
                let reason = format!(
                    "{}; reversals (RvslInd) in it: {}",
                    broken.reason,
                    page.reversals.len()
                );
                return Err(Broken { reason, ..broken });
            }
            checked => {
                checked?;
                check_summaries(page)?;
                page.of_codes.iter().try_for_each(OfCode::check)?;
            }
        }
    }
    let Some((first, last)) = days(page, statement) else { return Ok(()) };
    statement.covers(&page.account, first, last);
    Ok(())
}

/// Changes the sign of reversals and of their parts: some banks mark a reversal with the direction
/// of the reversed entry, and the balances prove it.
fn turn(reversals: &[usize], statement: &mut Statement) {
    for at in reversals {
        let Some(entry) = statement.entries.get_mut(*at) else { continue };
        entry.amount = Minor(-entry.amount.0);
        for amount in entry.parts.iter_mut().filter_map(|part| part.amount.as_mut()) {
            *amount = Minor(-amount.0);
        }
    }
}

fn check_balances(page: &Page, line: u64) -> Result<(), Broken> {
    let (Some(opening), Some(closing)) = (page.opening(), page.closing()) else { return Ok(()) };
    let (Some(before), Some(after)) = (opening.signed(), closing.signed()) else { return Ok(()) };
    let (Some(from), Some(to)) = (opening.currency, closing.currency) else { return Ok(()) };
    if from != to {
        let reason = format!("the balances are in {from} and in {to}");
        return Err(Broken::at(line, reason));
    }
    let net = page.net(from);
    if before.checked_add(net) == Some(after) {
        return Ok(());
    }
    let shown = |amount: i64| format!("{} {from}", from.format(Minor(amount)));
    let expected = after.checked_sub(before).map_or_else(|| "another sum".to_owned(), shown);
    let found = shown(net);
    Err(Broken::at(
        line,
        format!("expected entries of {expected} between the balances, found {found}"),
    ))
}

fn check_summaries(page: &Page) -> Result<(), Broken> {
    for (level, summary) in &page.summaries {
        let name = match level {
            Level::All => "entries",
            Level::Credits => "credits",
            Level::Debits => "debits",
        };
        let counts: Option<u64> =
            page.booked.values().try_fold(0, |sum, one| Some(sum + one.of(*level)?.0));
        // Some banks count the entries that are not booked as well, others do not.
        let is_counted = |stated: u64| {
            counts == Some(stated) || (*level == Level::All && page.entries == stated)
        };
        if let Some(stated) = summary.count
            && !is_counted(stated)
        {
            let found = counts.unwrap_or(page.entries);
            let reason = format!("the summary states {stated} {name}, found {found}");
            return Err(Broken::at(summary.line, reason));
        }
        check_sum(page, *level, name, summary)?;
    }
    Ok(())
}

/// Compares sums where the entries have one currency and are all booked.
fn check_sum(page: &Page, level: Level, name: &str, summary: &Summary) -> Result<(), Broken> {
    let mut currencies = page.booked.iter();
    let (Some((code, booked)), None) = (currencies.next(), currencies.next()) else {
        return Ok(());
    };
    let all = booked.of(Level::All).map(|(count, _)| count);
    let Some(currency) = Currency::from_code(code).filter(|_| all == Some(page.entries)) else {
        return Ok(());
    };
    let net = Minor(booked.credits.1 - booked.debits.1);
    // A negative number may have both a minus sign and the debit mark.
    let sign = if summary.is_debit { -1 } else { 1 };
    let stated_net = stated(&summary.net, currency).map(|one| Minor(sign * one.0.abs()));
    let sums = [
        (name, stated(&summary.sum, currency), booked.of(level).map(|(_, sum)| Minor(sum))),
        ("a net sum", stated_net, (level == Level::All).then_some(net)),
    ];
    for (name, stated, found) in sums {
        if let (Some(stated), Some(found)) = (stated, found)
            && stated != found
        {
            let (stated, found) = (currency.format(stated), currency.format(found));
            let reason = format!("the summary states {name} of {stated} {currency}, found {found}");
            return Err(Broken::at(summary.line, reason));
        }
    }
    Ok(())
}

fn stated(sum: &str, currency: Currency) -> Option<Minor> {
    if sum.is_empty() { None } else { major(sum, &['.'], currency) }
}

/// The days that the statement proves to cover: the days of its period, up to its creation or its
/// closing balance, else the days between its balances.
fn days(page: &Page, statement: &Statement) -> Option<(NaiveDate, NaiveDate)> {
    let lines = statement.entries.get(page.first_entry..).unwrap_or_default();
    let lines = lines.iter().map(|entry| entry.date);
    let is_interim = page.closing().is_none()
        && page.balances.iter().any(|one| matches!(&*one.code, "ITBD" | "ITAV"));
    if is_interim {
        return None;
    }
    let (opening, closing) =
        (page.opening().and_then(|one| one.date), page.closing().and_then(|one| one.date));
    if page.period.start.is_some() && page.period.end.is_some() {
        let (first, last) = page.period.days(std::iter::empty())?;
        let last = closing.map_or(last, |closing| last.min(closing));
        let is_too_early = page.created.is_some_and(|created| created.is_before_end_of(last));
        let last = if is_too_early { page.created?.date().pred_opt()?.min(last) } else { last };
        return (first <= last).then_some((first, last));
    }
    // A closing balance says that its day is closed, also in the evening of it.
    days_between(opening?, closing?, lines)
}
