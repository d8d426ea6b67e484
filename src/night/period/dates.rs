//! Adds reconciled dates, one after the other, to the rows of a period.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::night::NightError;
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    AcceptedRow, DayAmountsRow, DayFigures, DayRow, DepositRow, Discrepancy, DiscrepancyStatus,
    MerchantId, MerchantPeriodRow, MoneyShare, NotEvaluated, ReportedChecks, RollAmounts, Severity,
    SignOff, SummaryRow, TransitRow, Verdict, age_class,
};
use tieout_report::{final_until, is_moving, own_verdict, verdict_of_date};
use tieout_store::DayOutcome;

/// The rows of a period while dates are added, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Dates {
    /// The checks as the reports describe them.
    pub checks: ReportedChecks,
    pub last: Option<NaiveDate>,
    pub days: Vec<DayRow>,
    pub amounts: BTreeMap<(NaiveDate, &'static str), DayAmountsRow>,
    pub merchants: BTreeMap<(MerchantId, &'static str), MerchantPeriodRow>,
    /// Each as it was on the last date that listed it.
    pub discrepancies: BTreeMap<String, Discrepancy>,
    /// Each as it was on the last date on which it was accepted.
    pub accepted: BTreeMap<String, AcceptedRow>,
    /// Each with its payment date.
    pub deposits: Vec<(NaiveDate, DepositRow)>,
    /// The checks that were not evaluated, by date.
    pub not_evaluated: BTreeMap<NaiveDate, Vec<NotEvaluated>>,
    /// As of the last reconciled date.
    pub in_transit: Vec<TransitRow>,
    pub accepted_at_end: Vec<Discrepancy>,
}

impl Dates {
    /// Adds a date that was never reconciled.
    pub fn miss(&mut self, date: NaiveDate) {
        let verdict = Verdict::NotEvaluated;
        let (final_since, sign_off) = (None, SignOff::default());
        self.days.push(DayRow {
            business_date: date,
            verdict,
            own_verdict: verdict,
            figures: None,
            final_since,
            sign_off,
        });
    }

    /// Sets the sign-off of the newest date.
    pub fn sign(&mut self, sign_off: SignOff) {
        if let Some(day) = self.days.last_mut() {
            day.sign_off = sign_off;
        }
    }

    /// Adds a reconciled date.
    ///
    /// # Errors
    /// When a sum overflows.
    pub fn add(
        &mut self,
        date: NaiveDate,
        outcome: DayOutcome,
        shares: Vec<(Currency, MoneyShare)>,
        is_stale: bool,
    ) -> Result<(), NightError> {
        self.days.push(day(date, &outcome, is_stale, &self.checks));
        if let Some(until) = final_until(&outcome.summary) {
            let is_final = |day: &&mut DayRow| day.business_date <= until && day.figures.is_some();
            for day in self.days.iter_mut().filter(is_final) {
                day.final_since.get_or_insert(date);
            }
        }
        for row in &outcome.summary {
            self.add_amounts(date, row)?;
            self.add_merchant(row)?;
        }
        for mut row in AcceptedRow::joined(&outcome.accepted, &outcome.acceptances) {
            let id = row.found.discrepancy_id.clone();
            let was_new = self.accepted.get(&id).is_some_and(AcceptedRow::is_new);
            if let Some(by) = &mut row.by {
                by.is_new |= was_new;
            }
            self.accepted.insert(id, row);
        }
        for (currency, share) in shares {
            self.amounts_of(date, Some(currency)).share = share;
        }
        for stored in outcome.discrepancies {
            self.discrepancies.insert(stored.discrepancy_id.clone(), stored);
        }
        self.deposits.extend(outcome.deposits.into_iter().map(|row| (date, row)));
        self.not_evaluated.insert(date, outcome.not_evaluated);
        self.in_transit = outcome.in_transit;
        self.accepted_at_end = outcome.accepted;
        self.last = Some(date);
        Ok(())
    }

    fn amounts_of(&mut self, date: NaiveDate, currency: Option<Currency>) -> &mut DayAmountsRow {
        let code = currency.map_or("", Currency::code);
        self.amounts.entry((date, code)).or_insert_with(|| DayAmountsRow {
            business_date: date,
            currency,
            deposits: Some(0),
            deposited_net: Some(Minor::default()),
            batches: Some(0),
            items: Some(0),
            items_amount: Some(Minor::default()),
            in_transit_amount: Some(Minor::default()),
            closing: 0,
            closing_amount: Some(Minor::default()),
            roll: RollAmounts { opening: Some(Minor::default()), ..nothing_rolled() },
            share: MoneyShare::default(),
        })
    }

    fn add_amounts(&mut self, date: NaiveDate, row: &SummaryRow) -> Result<(), NightError> {
        let sum = self.amounts_of(date, row.currency);
        sum.deposits = counts(sum.deposits, row.deposits)?;
        sum.deposited_net = amounts(sum.deposited_net, row.deposited_net)?;
        sum.batches = counts(sum.batches, row.batches)?;
        sum.items = counts(sum.items, row.items)?;
        sum.items_amount = amounts(sum.items_amount, row.items_amount)?;
        sum.in_transit_amount = amounts(sum.in_transit_amount, row.in_transit_amount)?;
        sum.closing += row.closing;
        sum.closing_amount = amounts(sum.closing_amount, row.closing_amount)?;
        sum.roll.opening = amounts(sum.roll.opening, row.opening_amount)?;
        add_roll(&mut sum.roll, row)
    }

    fn add_merchant(&mut self, row: &SummaryRow) -> Result<(), NightError> {
        let code = row.currency.map_or("", Currency::code);
        let key = (row.merchant_id.clone(), code);
        let sum = self.merchants.entry(key).or_insert_with(|| begin(row));
        match row.verdict {
            Verdict::NotEvaluated => sum.days_not_evaluated += 1,
            Verdict::Discrepancy => sum.days_discrepancy += 1,
            Verdict::InTransit => sum.days_in_transit += 1,
            Verdict::Tied => sum.days_tied += 1,
        }
        sum.deposits = counts(sum.deposits, row.deposits)?;
        sum.deposited_net = amounts(sum.deposited_net, row.deposited_net)?;
        sum.batches = counts(sum.batches, row.batches)?;
        sum.items = counts(sum.items, row.items)?;
        sum.items_amount = amounts(sum.items_amount, row.items_amount)?;
        // Without books there is nothing to match, so a date without them leaves the counts as they
        // are.
        if let Some((records, matched)) = row.ledger_records.zip(row.matched) {
            sum.ledger_records = counts(Some(sum.ledger_records.unwrap_or(0)), Some(records))?;
            sum.matched = counts(Some(sum.matched.unwrap_or(0)), Some(matched))?;
        }
        sum.new += row.new;
        sum.cleared += row.cleared;
        sum.accepted = counts(sum.accepted, row.accepted)?;
        add_roll(&mut sum.roll, row)?;
        sum.closing = row.closing;
        sum.closing_amount = row.closing_amount;
        sum.merchant_name.clone_from(&row.merchant_name);
        sum.verdict = row.verdict;
        Ok(())
    }
}

fn begin(row: &SummaryRow) -> MerchantPeriodRow {
    MerchantPeriodRow {
        merchant_id: row.merchant_id.clone(),
        merchant_name: row.merchant_name.clone(),
        currency: row.currency,
        days_tied: 0,
        days_in_transit: 0,
        days_discrepancy: 0,
        days_not_evaluated: 0,
        deposits: Some(0),
        deposited_net: Some(Minor::default()),
        batches: Some(0),
        items: Some(0),
        items_amount: Some(Minor::default()),
        ledger_records: None,
        matched: None,
        opening: row.opening,
        new: 0,
        cleared: 0,
        closing: 0,
        closing_amount: None,
        verdict: row.verdict,
        accepted: Some(0),
        roll: RollAmounts { opening: row.opening_amount, ..nothing_rolled() },
    }
}

/// A roll-forward before the first date; the first date sets its opening.
fn nothing_rolled() -> RollAmounts {
    let none = Some(Minor::default());
    RollAmounts { opening: None, new: none, cleared: none, accepted: none, changed: none }
}

/// Adds a date's new, cleared, accepted and changed amounts. The caller adds the opening: it
/// carries over between dates and is summed over merchants.
fn add_roll(sum: &mut RollAmounts, row: &SummaryRow) -> Result<(), NightError> {
    sum.new = amounts(sum.new, row.new_amount)?;
    sum.cleared = amounts(sum.cleared, row.cleared_amount)?;
    sum.accepted = amounts(sum.accepted, row.accepted_amount)?;
    sum.changed = amounts(sum.changed, row.changed_amount)?;
    Ok(())
}

fn day(date: NaiveDate, outcome: &DayOutcome, is_stale: bool, checks: &ReportedChecks) -> DayRow {
    let not_evaluated = outcome.not_evaluated.len() as u64;
    let totals = &outcome.run_record.discrepancies;
    let mut figures = DayFigures {
        is_stale,
        not_evaluated,
        opening: totals.opening.count,
        new: totals.new.count,
        reopened: totals.reopened.count,
        cleared: totals.cleared.count,
        accepted: totals.accepted.count,
        closing: totals.closing.count,
        ..DayFigures::default()
    };
    let open = |stored: &&Discrepancy| stored.status != DiscrepancyStatus::Cleared;
    for stored in outcome.discrepancies.iter().filter(open) {
        match stored.severity {
            Severity::Error => figures.errors += 1,
            Severity::Warning => figures.warnings += 1,
            Severity::Info => figures.notes += 1,
        }
        figures.ages[age_class(stored.age_days)] += 1;
    }
    for row in &outcome.summary {
        if let Some((records, matched)) = row.ledger_records.zip(row.matched) {
            figures.ledger_records = Some(figures.ledger_records.unwrap_or(0) + records);
            figures.matched = Some(figures.matched.unwrap_or(0) + matched);
        }
    }
    let run = &outcome.run_record;
    let is_moving = is_moving(&outcome.in_transit, &outcome.deposits);
    DayRow {
        business_date: date,
        verdict: verdict_of_date(&outcome.summary, run),
        own_verdict: own_verdict(&outcome.discrepancies, is_moving, checks, run),
        figures: Some(figures),
        final_since: None,
        sign_off: SignOff::default(),
    }
}

/// A sum with an unknown part is unknown.
fn counts(sum: Option<i64>, more: Option<i64>) -> Result<Option<i64>, NightError> {
    let Some((sum, more)) = sum.zip(more) else { return Ok(None) };
    sum.checked_add(more).map(Some).ok_or_else(overflow)
}

fn amounts(sum: Option<Minor>, more: Option<Minor>) -> Result<Option<Minor>, NightError> {
    let Some((sum, more)) = sum.zip(more) else { return Ok(None) };
    sum.checked_add(more).map(Some).ok_or_else(overflow)
}

fn overflow() -> NightError {
    NightError::NotConserved("a sum over the dates of a period overflows".to_owned())
}
