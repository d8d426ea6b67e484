//! The rows of `summary.csv`: the totals of each merchant's deposits, batches, items and books, and
//! the roll-forward of its discrepancies.

use std::collections::BTreeMap;

use super::places::{Key, Opened, Places};
use crate::check::Owed;
use crate::pairing::Books;
use crate::run_record::left_by_acceptance;
use crate::verdicts::{Completeness, is_open_trouble};
use crate::{JudgeError, Rules};
use tieout_config::TransactionsMode;
use tieout_model::money::{Currency, Minor};
use tieout_model::{Discrepancy, DiscrepancyStatus, Figure, MerchantId, SummaryRow, Verdict};
use tieout_store::{DayOutcome, Store, SummaryFigures, judging, key_operations};

/// Type of a transaction on hold in `in_transit.csv`.
const HELD: &str = "held";

/// The rows so far, and the inputs of a new row.
struct Summary<'run> {
    rows: BTreeMap<(MerchantId, String), SummaryRow>,
    read: &'run Completeness<'run>,
    outcome: &'run DayOutcome,
}

/// The rows of `summary.csv`.
pub fn summary(
    rules: &Rules<'_>,
    store: &Store,
    read: &Completeness<'_>,
    opened: &Opened<'_>,
    outcome: &DayOutcome,
    books: &Books,
) -> Result<Vec<SummaryRow>, JudgeError> {
    let figures = judging::summary_figures(store)?;
    let places = Places::of(&rules.settings.merchants, &figures, opened);
    let mut summary = Summary { rows: BTreeMap::new(), read, outcome };
    for row in figures {
        let row = read.row(row, outcome);
        summary.rows.insert(sort_key(&(row.merchant_id.clone(), row.currency)), row);
    }
    let can_tell = rules.settings.api.transactions == TransactionsMode::Auto
        && !key_operations::lacks(store, "transactions")?;
    for row in summary.rows.values_mut().filter(|row| can_tell && row.currency.is_some()) {
        row.on_hold_amount = Some(Minor::default());
    }
    summary.add_transit()?;
    summary.add_opening(opened, &places)?;
    for stored in outcome.discrepancies.iter().filter(|stored| stored.is_carried) {
        summary.add_discrepancy(stored, &places)?;
    }
    for stored in left_by_acceptance(opened.found, &outcome.accepted) {
        summary.add_accepted(stored, &places)?;
    }
    summary.add_overdue(rules, &places)?;
    summary.add_records(store, books)?;
    for stored in
        outcome.discrepancies.iter().filter(|stored| is_open_trouble(rules.registry, stored))
    {
        if let Some(row) = summary.rows.get_mut(&sort_key(&places.of_now(stored))) {
            row.verdict = row.verdict.min(Verdict::Discrepancy);
        }
    }
    let rows: Vec<SummaryRow> = summary.rows.into_values().collect();
    match rows.iter().find_map(imbalance) {
        None => Ok(rows),
        Some(imbalance) => Err(JudgeError::NotConserved(imbalance)),
    }
}

/// An error text if the roll-forward of a row does not add up, in count or in money.
fn imbalance(row: &SummaryRow) -> Option<String> {
    let SummaryRow { merchant_id, opening, new, cleared, closing, .. } = row;
    let accepted = row.accepted.unwrap_or(0);
    if opening + new - cleared - accepted != *closing {
        return Some(format!(
            "merchant {merchant_id}: opening {opening} + new {new} - cleared {cleared} - accepted \
             {accepted} is not closing {closing}"
        ));
    }
    let wide = |amount: Option<Minor>| amount.map(|amount| i128::from(amount.0));
    let came = wide(row.opening_amount)? + wide(row.new_amount)? + wide(row.changed_amount)?;
    let left = wide(row.cleared_amount)? + wide(row.accepted_amount)?;
    let closing = wide(row.closing_amount)?;
    (came - left != closing).then(|| {
        format!(
            "merchant {merchant_id}: opening, new and changed amounts are {came}, cleared and \
             accepted amounts {left}: the closing amount is {closing}, not their difference"
        )
    })
}

impl Summary<'_> {
    fn row(&mut self, key: &Key, name: &str) -> &mut SummaryRow {
        let Self { rows, read, outcome } = self;
        rows.entry(sort_key(key)).or_insert_with(|| read.row(nothing(key, name), outcome))
    }

    fn add_transit(&mut self) -> Result<(), JudgeError> {
        for transit in &self.outcome.in_transit {
            let key = (transit.merchant_id.clone(), transit.currency);
            let row = self.row(&key, &transit.merchant_name);
            if let Some(amount) = transit.amount.filter(|_| transit.kind == HELD) {
                let sum = row.on_hold_amount.unwrap_or_default().checked_add(amount);
                row.on_hold_amount = Some(checked(sum, "on hold")?);
            }
            row.in_transit_amount = match (row.in_transit_amount, transit.amount) {
                (Some(sum), Some(amount)) => Some(checked(sum.checked_add(amount), "in transit")?),
                _ => None,
            };
        }
        Ok(())
    }

    fn add_opening(&mut self, opened: &Opened<'_>, places: &Places<'_>) -> Result<(), JudgeError> {
        for stored in opened.found {
            let key = places.of_opening(stored);
            let amount = absolute_amount(stored, key.1);
            let row = self.row(&key, &stored.merchant_name);
            row.opening += 1;
            add(&mut row.opening_amount, amount, "opening")?;
        }
        Ok(())
    }

    fn add_discrepancy(
        &mut self,
        stored: &Discrepancy,
        places: &Places<'_>,
    ) -> Result<(), JudgeError> {
        let before = places.opening(&stored.discrepancy_id);
        let left = before.map(|before| (places.of_opening(before), before));
        if let (DiscrepancyStatus::Cleared, Some((key, before))) = (stored.status, &left) {
            return self.leave(key, before);
        }
        let key = places.of_now(stored);
        let amount = absolute_amount(stored, key.1);
        match left {
            Some((place, before)) if place == key => {
                let row = self.row(&key, &stored.merchant_name);
                let was = absolute_amount(before, key.1);
                let grown = checked(amount.checked_sub(was), "changed")?;
                add(&mut row.changed_amount, grown, "changed")?;
            }
            // The currency has changed: it leaves one row and is new in the other.
            left => {
                if let Some((place, before)) = left {
                    self.leave(&place, before)?;
                }
                let row = self.row(&key, &stored.merchant_name);
                row.new += 1;
                add(&mut row.new_amount, amount, "new")?;
            }
        }
        let row = self.row(&key, &stored.merchant_name);
        row.closing += 1;
        add(&mut row.closing_amount, amount, "closing")
    }

    /// Counts a discrepancy out of a row, with the amount that the row opened with.
    fn leave(&mut self, key: &Key, before: &Discrepancy) -> Result<(), JudgeError> {
        let amount = absolute_amount(before, key.1);
        let row = self.row(key, &before.merchant_name);
        row.cleared += 1;
        add(&mut row.cleared_amount, amount, "cleared")
    }

    /// Adds up the overdue money of the open discrepancies.
    fn add_overdue(&mut self, rules: &Rules<'_>, places: &Places<'_>) -> Result<(), JudgeError> {
        for row in self.rows.values_mut() {
            row.overdue_amount = row.currency.map(|_| Minor::default());
        }
        let is_open = |stored: &&Discrepancy| stored.status != DiscrepancyStatus::Cleared;
        for stored in self.outcome.discrepancies.iter().filter(is_open) {
            let owed = rules.registry.find(&stored.code).and_then(|check| check.owed);
            let Some((owed, short)) = owed.zip(stored.difference.and_then(i64::checked_neg)) else {
                continue;
            };
            let amount = match owed {
                Owed::All => short,
                Owed::Shortfall => short.max(0),
                Owed::Returns => -short.max(0),
            };
            let key = places.of_now(stored);
            if stored.currency == key.1 {
                let row = self.row(&key, &stored.merchant_name);
                add(&mut row.overdue_amount, Minor(amount), "overdue")?;
            }
        }
        Ok(())
    }

    fn add_accepted(
        &mut self,
        stored: &Discrepancy,
        places: &Places<'_>,
    ) -> Result<(), JudgeError> {
        let key = places.of_opening(stored);
        let amount = absolute_amount(stored, key.1);
        let row = self.row(&key, &stored.merchant_name);
        row.accepted = row.accepted.map(|accepted| accepted + 1);
        add(&mut row.accepted_amount, amount, "accepted")
    }

    /// The paid ledger records of the day for merchants whose records were matched; unknown if the
    /// day's own listings are not complete.
    fn add_records(&mut self, store: &Store, books: &Books) -> Result<(), JudgeError> {
        let rules = judging::merchant_rules(store)?;
        let read = self.read;
        for (merchant, counts) in books.days.iter().filter(|one| read.has_items(one.0)) {
            let name = rules.get(merchant).map_or("", |rule| rule.0.as_str());
            for (&code, &counted) in counts {
                let row = self.row(&(merchant.clone(), Currency::from_code(code)), name);
                row.ledger_records = Some(counted.records);
                row.matched = Some(counted.matched);
            }
        }
        for row in self.rows.values_mut() {
            if books.days.contains_key(&row.merchant_id) && read.has_items(&row.merchant_id) {
                row.ledger_records = row.ledger_records.or(Some(0));
                row.matched = row.matched.or(Some(0));
            }
        }
        Ok(())
    }
}

fn checked<T>(value: Option<T>, what: &str) -> Result<T, JudgeError> {
    value.ok_or_else(|| JudgeError::NotConserved(format!("the sum of {what} amounts overflows")))
}

/// Adds to a sum, which exists only if the currency is known.
fn add(sum: &mut Option<Minor>, amount: Minor, what: &str) -> Result<(), JudgeError> {
    if let Some(before) = *sum {
        *sum = Some(checked(before.checked_add(amount), what)?);
    }
    Ok(())
}

/// The absolute amount that a discrepancy adds to its merchant and currency.
fn absolute_amount(stored: &Discrepancy, currency: Option<Currency>) -> Minor {
    if stored.figure != Figure::Amount || stored.currency != currency {
        return Minor::default();
    }
    stored.difference.and_then(|difference| Minor(difference).checked_abs()).unwrap_or_default()
}

fn sort_key((merchant, currency): &Key) -> (MerchantId, String) {
    (merchant.clone(), currency.map(Currency::code).unwrap_or_default().to_owned())
}

fn nothing((merchant_id, currency): &Key, merchant_name: &str) -> SummaryFigures {
    SummaryFigures {
        merchant_id: merchant_id.clone(),
        merchant_name: merchant_name.to_owned(),
        currency: *currency,
        deposits: 0,
        deposited_net: Some(Minor::default()),
        batches: 0,
        items: 0,
        items_amount: Some(Minor::default()),
        is_checked: true,
    }
}
