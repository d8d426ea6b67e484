//! The rows of `summary.csv`: what each merchant's deposits, batches, items and books come to, and
//! the roll-forward of its discrepancies.

use std::collections::BTreeMap;

use crate::check::Owed;
use crate::pairing::Books;
use crate::record::left_by_acceptance;
use crate::verdicts::{Completeness, is_open_trouble};
use crate::{JudgeError, Rules};
use tieout_config::{Settings, TransactionsMode};
use tieout_model::money::{Currency, Minor};
use tieout_model::{Discrepancy, DiscrepancyStatus, Figure, MerchantId, SummaryRow, Verdict};
use tieout_store::{DayOutcome, Store, SummaryFigures, judging};

/// Type of a transaction on hold in `in_transit.csv`.
const HELD: &str = "held";

type Key = (String, Option<Currency>);

/// The rows so far, and what a new one begins with.
struct Summary<'run> {
    rows: BTreeMap<(String, String), SummaryRow>,
    read: &'run Completeness<'run>,
    outcome: &'run DayOutcome,
}

/// The rows of `summary.csv`.
pub fn summary(
    rules: &Rules<'_>,
    store: &Store,
    read: &Completeness<'_>,
    opening: &[Discrepancy],
    outcome: &DayOutcome,
    books: &Books,
) -> Result<Vec<SummaryRow>, JudgeError> {
    let figures = judging::summary_figures(store)?;
    let places = Places::of(rules.settings, &figures);
    let mut summary = Summary { rows: BTreeMap::new(), read, outcome };
    for row in figures {
        let row = read.row(row, outcome);
        summary.rows.insert(sort_key(&(row.merchant_id.clone(), row.currency)), row);
    }
    let can_tell = rules.settings.api.transactions == TransactionsMode::Auto
        && !store.lacks_operation("transactions")?;
    for row in summary.rows.values_mut().filter(|row| can_tell && row.currency.is_some()) {
        row.on_hold_amount = Some(Minor::default());
    }
    summary.add_transit()?;
    for stored in opening {
        summary.row(&places.key(stored), &stored.merchant_name).opening += 1;
    }
    for stored in outcome.discrepancies.iter().filter(|stored| stored.is_carried) {
        summary.add_discrepancy(stored, &places.key(stored))?;
    }
    // An accepted one leaves the list as a cleared one does: a row still adds up.
    for stored in left_by_acceptance(opening, &outcome.accepted) {
        summary.add_accepted(stored, &places.key(stored))?;
    }
    for row in summary.rows.values_mut() {
        row.opening_amount = opening_amount(row);
    }
    summary.add_overdue(rules, &places)?;
    summary.add_records(store, books)?;
    for stored in
        outcome.discrepancies.iter().filter(|stored| is_open_trouble(rules.registry, stored))
    {
        if let Some(row) = summary.rows.get_mut(&sort_key(&places.key(stored))) {
            row.verdict = row.verdict.min(Verdict::Discrepancy);
        }
    }
    let rows: Vec<SummaryRow> = summary.rows.into_values().collect();
    match rows.iter().find(|row| row.opening + row.new - row.cleared != row.closing) {
        None => Ok(rows),
        Some(row) => Err(JudgeError::NotConserved(format!(
            "merchant {}: opening {} + new {} - cleared {} is not closing {}",
            row.merchant_id, row.opening, row.new, row.cleared, row.closing
        ))),
    }
}

/// Where a discrepancy counts.
struct Places<'run> {
    settings: &'run Settings,
    /// The currencies in which each merchant has figures.
    known: BTreeMap<String, Vec<Option<Currency>>>,
}

impl<'run> Places<'run> {
    fn of(settings: &'run Settings, figures: &[SummaryFigures]) -> Self {
        let mut known: BTreeMap<String, Vec<Option<Currency>>> = BTreeMap::new();
        for row in figures {
            known.entry(row.merchant_id.clone()).or_default().push(row.currency);
        }
        Self { settings, known }
    }

    /// One without a currency of its own counts where its merchant's others do.
    fn key(&self, stored: &Discrepancy) -> Key {
        let merchant = stored.merchant_id.clone();
        let configured = self
            .settings
            .merchant(&MerchantId::from(merchant.as_str()))
            .and_then(|named| named.currency);
        let only = self.known.get(&merchant).filter(|all| all.len() == 1).and_then(|all| all[0]);
        let currency = stored.currency.or(configured).or(only);
        (merchant, currency)
    }
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

    fn add_discrepancy(&mut self, stored: &Discrepancy, key: &Key) -> Result<(), JudgeError> {
        let amount = absolute_amount(stored, key.1);
        let row = self.row(key, &stored.merchant_name);
        match stored.status {
            DiscrepancyStatus::New => {
                row.new += 1;
                add(&mut row.new_amount, amount, "new")?;
            }
            DiscrepancyStatus::Open => {}
            DiscrepancyStatus::Cleared => {
                row.cleared += 1;
                return add(&mut row.cleared_amount, amount, "cleared");
            }
        }
        row.closing += 1;
        add(&mut row.closing_amount, amount, "closing")
    }

    /// What open discrepancies say is owed and has not arrived.
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
            let key = places.key(stored);
            if stored.currency == key.1 {
                let row = self.row(&key, &stored.merchant_name);
                add(&mut row.overdue_amount, Minor(amount), "overdue")?;
            }
        }
        Ok(())
    }

    fn add_accepted(&mut self, stored: &Discrepancy, key: &Key) -> Result<(), JudgeError> {
        let amount = absolute_amount(stored, key.1);
        let row = self.row(key, &stored.merchant_name);
        row.cleared += 1;
        row.accepted = row.accepted.map(|accepted| accepted + 1);
        add(&mut row.cleared_amount, amount, "cleared")?;
        add(&mut row.accepted_amount, amount, "accepted")
    }

    /// The paid ledger records of the day, of merchants whose records were matched; unknown where
    /// the day's own listings are not complete.
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
    value.ok_or_else(|| JudgeError::NotConserved(format!("the sum of what is {what} overflows")))
}

/// Adds to a sum, which is there where the currency is known.
fn add(sum: &mut Option<Minor>, amount: Minor, what: &str) -> Result<(), JudgeError> {
    if let Some(before) = *sum {
        *sum = Some(checked(before.checked_add(amount), what)?);
    }
    Ok(())
}

/// What the roll-forward of a row begins with: closing - new + cleared. A discrepancy whose figures
/// changed since counts with those that it has now.
fn opening_amount(row: &SummaryRow) -> Option<Minor> {
    row.closing_amount?.checked_sub(row.new_amount?)?.checked_add(row.cleared_amount?)
}

/// What a discrepancy adds to the amounts of its merchant and currency.
fn absolute_amount(stored: &Discrepancy, currency: Option<Currency>) -> Minor {
    if stored.figure != Figure::Amount || stored.currency != currency {
        return Minor::default();
    }
    stored.difference.and_then(|difference| Minor(difference).checked_abs()).unwrap_or_default()
}

fn sort_key((merchant, currency): &Key) -> (String, String) {
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
