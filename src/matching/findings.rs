//! What of an outcome a person must look at: the ledger checks, as pure functions.

use std::collections::HashSet;

use chrono::NaiveDate;

use super::input::{Item, ItemKind, MerchantInput, Record};
use super::order_by_id::{compare_items, compare_records};
use super::outcome::{Ambiguity, Candidate, ItemState, Outcome, Pair, Pass, RecordState};
use super::status::{Contradiction, contradiction};
use super::wording::{capitalize, join, money, name_item, name_record, reason};
use crate::model::LedgerStatus;
use crate::money::{Currency, Minor};

/// The code of a ledger check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerCode {
    MissingInLedger,
    MissingAtProcessor,
    AmountMismatch,
    CurrencyMismatch,
    StatusMismatch,
    DuplicateInLedger,
    AmbiguousMatch,
}

impl LedgerCode {
    /// Every code.
    pub const ALL: [Self; 7] = [
        Self::MissingInLedger,
        Self::MissingAtProcessor,
        Self::AmountMismatch,
        Self::CurrencyMismatch,
        Self::StatusMismatch,
        Self::DuplicateInLedger,
        Self::AmbiguousMatch,
    ];

    /// The code as it is reported.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingInLedger => "MISSING_IN_LEDGER",
            Self::MissingAtProcessor => "MISSING_AT_PROCESSOR",
            Self::AmountMismatch => "AMOUNT_MISMATCH",
            Self::CurrencyMismatch => "CURRENCY_MISMATCH",
            Self::StatusMismatch => "STATUS_MISMATCH",
            Self::DuplicateInLedger => "DUPLICATE_IN_LEDGER",
            Self::AmbiguousMatch => "AMBIGUOUS_MATCH",
        }
    }
}

/// One discrepancy between the books and the processor. Items, records and transfers are named
/// by their position in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFinding {
    pub code: LedgerCode,
    /// What it is about: one item, transfer or record; of an ambiguity all items, then all
    /// records, each in order of id.
    pub subject: Vec<String>,
    pub items: Vec<u32>,
    pub records: Vec<u32>,
    pub transfer: Option<u32>,
    /// Day of the item, else date of the record, else run date of the transfer (may be unknown).
    pub day: Option<NaiveDate>,
    /// The day on which it was due, for what is missing or ambiguous.
    pub due: Option<NaiveDate>,
    pub currency: Option<Currency>,
    /// What the books say; `None` where the check has no such figure.
    pub expected: Option<Minor>,
    /// What the processor says.
    pub actual: Option<Minor>,
    /// actual - expected; `None` between two currencies.
    pub difference: Option<Minor>,
    /// One sentence with the figures.
    pub explanation: String,
    /// Why it cannot be told whether it is so; `None` for what was found.
    pub problem: Option<String>,
}

/// Every finding of `outcome`, by code and subject.
pub fn findings(input: &MerchantInput<'_>, outcome: &Outcome) -> Vec<LedgerFinding> {
    let finder = Finder { input, outcome };
    let mut found = finder.missing_in_ledger();
    for (position, state) in (0..).zip(&outcome.records) {
        found.extend(finder.of_record(position, *state));
    }
    for pair in &outcome.pairs {
        if matches!(pair.pass, Pass::Reference | Pass::Order) {
            found.extend(finder.amounts_of(pair));
        }
        finder.statuses_of(pair, &mut found);
    }
    found.extend(outcome.ambiguities.iter().filter_map(|set| finder.ambiguous(set)));
    found.sort_by(|one, other| {
        one.code
            .cmp(&other.code)
            .then_with(|| one.subject.cmp(&other.subject))
            .then_with(|| one.explanation.cmp(&other.explanation))
    });
    found
}

struct Finder<'a> {
    input: &'a MerchantInput<'a>,
    outcome: &'a Outcome,
}

impl Finder<'_> {
    fn item(&self, position: u32) -> &Item {
        &self.input.items[position as usize]
    }

    fn record(&self, position: u32) -> &Record {
        &self.input.records[position as usize]
    }

    fn item_due(&self, item: &Item) -> Option<NaiveDate> {
        let terms = self.input.terms;
        if item.day < terms.start {
            return None;
        }
        terms.banking_days.due_by(item.day, terms.ledger_days, terms.business_date)
    }

    fn record_due(&self, record: &Record) -> Option<NaiveDate> {
        let terms = self.input.terms;
        if record.date < terms.start || record.day_not_read {
            return None;
        }
        terms.record_due(record.date)
    }

    fn missing_in_ledger(&self) -> Vec<LedgerFinding> {
        let mut payments: Option<HashSet<&str>> = None;
        let mut found = Vec::new();
        for (position, state) in (0..).zip(&self.outcome.items) {
            let ItemState::Unmatched(candidate) = *state else { continue };
            let item = self.item(position);
            let Some(due) = self.item_due(item) else { continue };
            if let Some(original) = item.representment_of() {
                // It stands for its original, and one from before the start date is never
                // reported as missing.
                let judged = payments.get_or_insert_with(|| self.judged_payments());
                if !judged.contains(original) {
                    continue;
                }
            }
            found.push(self.missing_item(position, due, candidate));
        }
        found
    }

    fn judged_payments(&self) -> HashSet<&str> {
        let terms = self.input.terms;
        let items = self.input.items.iter();
        items
            .filter(|item| item.kind == ItemKind::Payment)
            .filter(|item| (terms.start..=terms.business_date).contains(&item.day))
            .map(|item| item.item_id.as_str())
            .collect()
    }

    fn missing_item(&self, at: u32, due: NaiveDate, near: Option<Candidate>) -> LedgerFinding {
        let item = self.item(at);
        let nearest = near.map_or_else(String::new, |near| {
            let record = name_record(self.record(near.position));
            format!(" Nearest is {record}: {}.", reason(near.refusal))
        });
        let expected = item.amount.map(|_| Minor(0));
        LedgerFinding {
            items: vec![at],
            day: Some(item.day),
            due: Some(due),
            currency: item.currency,
            expected,
            actual: item.amount,
            difference: item.amount,
            explanation: format!(
                "{} has no ledger record, which was due on {due}.{nearest}",
                capitalize(&name_item(item)),
            ),
            ..bare(LedgerCode::MissingInLedger, vec![item.item_id.to_string()])
        }
    }

    fn of_record(&self, position: u32, state: RecordState) -> Option<LedgerFinding> {
        let record = self.record(position);
        match state {
            RecordState::Unmatched(near) => {
                let due = self.record_due(record)?;
                Some(self.missing_record(position, due, near))
            }
            RecordState::Duplicate { of } => Some(self.duplicate(position, of)),
            RecordState::NamesUnsettled { transfer } => self.unsettled(position, transfer),
            _ => None,
        }
    }

    fn missing_record(&self, at: u32, due: NaiveDate, near: Option<Candidate>) -> LedgerFinding {
        let record = self.record(at);
        let nearest = near.map_or_else(String::new, |near| {
            let item = name_item(self.item(near.position));
            format!(" Nearest is {item}: {}.", reason(near.refusal))
        });
        LedgerFinding {
            records: vec![at],
            day: Some(record.date),
            due: Some(due),
            currency: Some(record.currency),
            expected: Some(record.amount),
            actual: Some(Minor(0)),
            difference: Minor(0).checked_sub(record.amount),
            explanation: format!(
                "{} has nothing at the processor, which was due on {due}.{nearest}",
                capitalize(&name_record(record)),
            ),
            ..bare(LedgerCode::MissingAtProcessor, vec![record.ledger_id.to_string()])
        }
    }

    fn duplicate(&self, at: u32, of: u32) -> LedgerFinding {
        let (record, first) = (self.record(at), self.record(of));
        let explanation = format!(
            "{} carries the processor reference {} that ledger record {} (line {}) carries \
             already.",
            capitalize(&name_record(record)),
            record.reference.as_deref().unwrap_or(""),
            first.ledger_id,
            first.line,
        );
        LedgerFinding {
            records: vec![at, of],
            day: Some(record.date),
            currency: Some(record.currency),
            actual: Some(record.amount),
            explanation,
            ..bare(LedgerCode::DuplicateInLedger, vec![record.ledger_id.to_string()])
        }
    }

    fn unsettled(&self, at: u32, transfer: u32) -> Option<LedgerFinding> {
        let record = self.record(at);
        let known = &self.input.transfers[transfer as usize];
        let business_date = self.input.terms.business_date;
        let contradiction = contradiction(record.status, Some(&known.facts), business_date)?;
        let said = contradiction.said;
        let explanation = format!(
            "Ledger record {} says {}, but the processor has {} {} as {said}.",
            record.ledger_id,
            record.status.as_str(),
            known.kind.as_str(),
            known.transfer_id,
        );
        Some(LedgerFinding {
            records: vec![at],
            transfer: Some(transfer),
            problem: untold(contradiction, known.kind.as_str(), &known.transfer_id),
            day: known.run_date,
            currency: known.currency,
            explanation,
            ..bare(LedgerCode::StatusMismatch, vec![known.transfer_id.to_string()])
        })
    }

    /// One for each item that contradicts a record of its pair.
    fn statuses_of(&self, pair: &Pair, found: &mut Vec<LedgerFinding>) {
        let records = self.outcome.records_of(pair);
        let business_date = self.input.terms.business_date;
        for &at in self.outcome.items_of(pair) {
            let item = self.item(at);
            let said = |record: &u32| {
                contradiction(self.record(*record).status, item.facts.as_deref(), business_date)
            };
            let lowest = records.iter().filter_map(|record| Some((*record, said(record)?))).min_by(
                |a, b| {
                    let certain_first = a.1.is_untold.cmp(&b.1.is_untold);
                    certain_first.then_with(|| compare_records(self.record(a.0), self.record(b.0)))
                },
            );
            let Some((record, contradiction)) = lowest else { continue };
            let said = contradiction.said;
            let explanation = format!(
                "Ledger record {} says {}, but the processor has {} {} as {said}.",
                self.record(record).ledger_id,
                self.record(record).status.as_str(),
                item.kind.as_str(),
                item.item_id,
            );
            found.push(LedgerFinding {
                items: vec![at],
                records: vec![record],
                problem: untold(contradiction, item.kind.as_str(), &item.item_id),
                day: Some(item.day),
                currency: item.currency,
                explanation,
                ..bare(LedgerCode::StatusMismatch, vec![item.item_id.to_string()])
            });
        }
    }

    /// The pair's sums, when they differ in currency or by more than the tolerance, or cannot be
    /// compared.
    fn amounts_of(&self, pair: &Pair) -> Vec<LedgerFinding> {
        if let (&[item], &[record]) = (self.outcome.items_of(pair), self.outcome.records_of(pair)) {
            let (item, record) = (self.item(item), self.record(record));
            if item.amount == Some(record.amount) && item.currency == Some(record.currency) {
                return Vec::new();
            }
        }
        let mut items: Vec<u32> = self.outcome.summed_items_of(pair).collect();
        let mut records = self.outcome.records_of(pair).to_vec();
        items.sort_by(|&a, &b| compare_items(self.item(a), self.item(b)));
        records.sort_by(|&a, &b| compare_records(self.record(a), self.record(b)));
        let (Some(&first), Some(&record)) = (items.first(), records.first()) else {
            return Vec::new();
        };
        let (first, record) = (self.item(first), self.record(record));
        let expected = sum(records.iter().map(|&one| Some(self.record(one).amount)));
        let actual = sum(items.iter().map(|&one| self.item(one).amount));
        let currencies = || items.iter().map(|&item| self.item(item).currency);
        let is_foreign = |currency: Option<Currency>| {
            currency.is_some_and(|currency| currency != record.currency)
        };
        let exceeds = |(expected, actual): (i128, i128)| {
            expected.abs_diff(actual) > u128::from(self.input.terms.tolerance_minor.unsigned_abs())
        };
        // Amounts in two currencies are not compared; what is unknown is compared with nothing.
        let (codes, unknown): (&[LedgerCode], _) = if currencies().any(is_foreign) {
            (&[LedgerCode::CurrencyMismatch], None)
        } else if currencies().any(|currency| currency.is_none()) {
            (&[LedgerCode::AmountMismatch, LedgerCode::CurrencyMismatch], Some("currency"))
        } else if actual.is_none() {
            (&[LedgerCode::AmountMismatch], Some("amount"))
        } else if expected.zip(actual).is_some_and(exceeds) {
            (&[LedgerCode::AmountMismatch], None)
        } else {
            (&[], None)
        };
        if codes.is_empty() {
            return Vec::new();
        }
        let (expected, actual) = (expected.and_then(minor), actual.and_then(minor));
        let currency = first.currency;
        let item_ids = join(items.iter().map(|&one| self.item(one).item_id.as_str()));
        let ledger_ids = join(records.iter().map(|&one| self.record(one).ledger_id.as_str()));
        let kind = first.kind.as_str();
        let finding = |&code: &LedgerCode| {
            let is_compared = code == LedgerCode::AmountMismatch;
            LedgerFinding {
                day: Some(first.day),
                currency,
                expected,
                actual,
                difference: actual
                    .zip(expected)
                    .filter(|_| is_compared)
                    .and_then(|(actual, expected)| actual.checked_sub(expected)),
                explanation: format!(
                    "{} {item_ids} came to {}, but the ledger has {} ({ledger_ids}).",
                    capitalize(kind),
                    money(actual, currency),
                    money(expected, Some(record.currency)),
                ),
                problem: unknown.map(|what| {
                    format!(
                        "{kind} {item_ids} has no {what} to compare with ledger record \
                         {ledger_ids}"
                    )
                }),
                ..bare(code, vec![first.item_id.to_string()])
            }
            .with(items.clone(), records.clone())
        };
        codes.iter().map(finding).collect()
    }

    fn ambiguous(&self, set: &Ambiguity) -> Option<LedgerFinding> {
        let item_due = set.items.iter().filter_map(|&one| self.item_due(self.item(one)));
        let paid = set.records.iter().map(|&one| self.record(one));
        let paid = paid.filter(|record| record.status == LedgerStatus::Paid);
        let due = item_due.chain(paid.filter_map(|record| self.record_due(record))).min()?;
        let item_ids = set.items.iter().map(|&one| self.item(one).item_id.as_str());
        let ledger_ids = set.records.iter().map(|&one| self.record(one).ledger_id.as_str());
        let explanation = format!(
            "Items {} and ledger records {} fit in more ways than one; nothing was paired.",
            join(item_ids.clone()),
            join(ledger_ids.clone()),
        );
        let first = self.item(*set.items.first()?);
        Some(
            LedgerFinding {
                day: set.items.iter().map(|&one| self.item(one).day).min(),
                due: Some(due),
                currency: first.currency,
                explanation,
                ..bare(
                    LedgerCode::AmbiguousMatch,
                    item_ids.chain(ledger_ids).map(str::to_owned).collect(),
                )
            }
            .with(set.items.clone(), set.records.clone()),
        )
    }
}

impl LedgerFinding {
    fn with(mut self, items: Vec<u32>, records: Vec<u32>) -> Self {
        (self.items, self.records) = (items, records);
        self
    }
}

fn untold(contradiction: Contradiction, kind: &str, id: &str) -> Option<String> {
    contradiction
        .is_untold
        .then(|| format!("a return of {kind} {id} does not say whether it was presented again"))
}

fn bare(code: LedgerCode, subject: Vec<String>) -> LedgerFinding {
    LedgerFinding {
        code,
        subject,
        items: Vec::new(),
        records: Vec::new(),
        transfer: None,
        day: None,
        due: None,
        currency: None,
        expected: None,
        actual: None,
        difference: None,
        explanation: String::new(),
        problem: None,
    }
}

/// `None` when one amount is unknown. The amounts of a pair cannot overflow 128 bits.
fn sum(amounts: impl Iterator<Item = Option<Minor>>) -> Option<i128> {
    amounts.map(|amount| amount.map(|amount| i128::from(amount.0))).sum()
}

/// `None` when a sum has more digits than any report could state.
fn minor(sum: i128) -> Option<Minor> {
    i64::try_from(sum).ok().map(Minor)
}
