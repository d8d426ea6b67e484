//! The ledger checks: finds the discrepancies in an outcome, as pure functions.

mod left_out;
mod missing;
mod pairs;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::fit::Fit;
use super::input::{Item, ItemKind, MerchantInput, Record};
use super::odd_reference::KnownIds;
use super::states::{Ambiguity, ItemState, Outcome, Pair, Pass, RecordState, Tally};
use super::status::{Contradiction, contradiction};
use super::wording::{capitalize, join, money, name_record};
use left_out::Hidden;
use tieout_model::money::{Currency, Minor};
use tieout_model::{AuthorizationId, LedgerStatus};

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
    LedgerNotFitting,
}

impl LedgerCode {
    /// Every code.
    pub const ALL: [Self; 8] = [
        Self::MissingInLedger,
        Self::MissingAtProcessor,
        Self::AmountMismatch,
        Self::CurrencyMismatch,
        Self::StatusMismatch,
        Self::DuplicateInLedger,
        Self::AmbiguousMatch,
        Self::LedgerNotFitting,
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
            Self::LedgerNotFitting => "LEDGER_NOT_FITTING",
        }
    }
}

/// One discrepancy between the books and the processor. Items, records and transfers are identified
/// by their position in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFinding {
    pub code: LedgerCode,
    /// One item, transfer or record; for an ambiguity all items, then all records, each in order of
    /// id; empty for the merchant.
    pub subject: Vec<String>,
    pub items: Vec<u32>,
    pub records: Vec<u32>,
    pub transfer: Option<u32>,
    /// Day of the item, else date of the record, else run date of the transfer, which may be
    /// unknown.
    pub day: Option<NaiveDate>,
    /// The day on which it was due, for missing and ambiguous entries.
    pub due: Option<NaiveDate>,
    pub currency: Option<Currency>,
    /// The currency of the books, if it differs.
    pub expected_currency: Option<Currency>,
    /// The figure of the books; `None` if the check has none.
    pub expected: Option<Minor>,
    /// The figure of the processor.
    pub actual: Option<Minor>,
    /// actual - expected; `None` between two currencies.
    pub difference: Option<Minor>,
    /// One sentence with the figures.
    pub explanation: String,
    /// Why the finding cannot be evaluated; `None` for a discrepancy.
    pub problem: Option<String>,
}

/// Every finding of `outcome`, by code and subject.
pub fn findings(input: &MerchantInput<'_>, outcome: &Outcome) -> Vec<LedgerFinding> {
    let finder = Finder::new(input, outcome);
    let mut found = finder.not_fitting();
    let is_fitting = found.is_empty();
    if is_fitting {
        found = finder.missing();
    }
    for (position, state) in (0..).zip(&outcome.records) {
        found.extend(finder.of_record(position, *state));
    }
    for pair in &outcome.pairs {
        if matches!(pair.pass, Pass::Reference | Pass::Order) {
            found.extend(finder.amounts_of(pair));
        }
        finder.statuses_of(pair, &mut found);
    }
    if is_fitting {
        finder.differing_one_way(&mut found);
    }
    let hidden = Hidden::of(input, outcome);
    found.extend(outcome.ambiguities.iter().filter_map(|set| finder.ambiguous(set, &hidden)));
    found.sort_by(|one, other| {
        one.code
            .cmp(&other.code)
            .then_with(|| one.subject.cmp(&other.subject))
            .then_with(|| one.explanation.cmp(&other.explanation))
    });
    found
}

/// The unmatched items whose ledger record is not due yet.
pub fn items_not_due(input: &MerchantInput<'_>, outcome: &Outcome) -> Tally {
    let finder = Finder::new(input, outcome);
    let mut not_due = Tally::default();
    for (item, state) in input.items.iter().zip(&outcome.items) {
        let is_unmatched = matches!(state, ItemState::Unmatched(_));
        if is_unmatched && item.day >= input.terms.start && finder.item_due(item).is_none() {
            not_due.add_item(item);
        }
    }
    not_due
}

struct Finder<'a> {
    input: &'a MerchantInput<'a>,
    outcome: &'a Outcome,
    /// Made on first use, when a missing record carries a reference.
    known_ids: OnceCell<KnownIds<'a>>,
    fit: OnceCell<Fit>,
    /// Authorizations with a matched return; made when a card record has the status returned.
    returned: OnceCell<HashSet<AuthorizationId>>,
    /// Items with a counter-entry.
    countered: OnceCell<HashSet<u32>>,
    /// Authorizations of captures that the books void and that were returned in full.
    voided: OnceCell<HashSet<AuthorizationId>>,
}

impl<'a> Finder<'a> {
    fn new(input: &'a MerchantInput<'a>, outcome: &'a Outcome) -> Self {
        Self {
            input,
            outcome,
            known_ids: OnceCell::new(),
            fit: OnceCell::new(),
            returned: OnceCell::new(),
            countered: OnceCell::new(),
            voided: OnceCell::new(),
        }
    }

    fn item(&self, position: u32) -> &'a Item {
        &self.input.items[position as usize]
    }

    fn record(&self, position: u32) -> &'a Record {
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

    fn of_record(&self, position: u32, state: RecordState) -> Option<LedgerFinding> {
        match state {
            RecordState::Duplicate { of } => Some(self.duplicate(position, of)),
            RecordState::NamesUnsettled { transfer } => self.unsettled(position, transfer),
            _ => None,
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
            "Ledger record {} is {}, but the processor has {} {} as {said}.",
            record.ledger_id,
            record.status.as_str(),
            known.kind.as_str(),
            known.transfer_id,
        );
        Some(LedgerFinding {
            records: vec![at],
            transfer: Some(transfer),
            problem: uncertain(contradiction, known.kind.as_str(), &known.transfer_id),
            day: known.run_date,
            currency: known.currency,
            explanation,
            ..bare(LedgerCode::StatusMismatch, vec![known.transfer_id.to_string()])
        })
    }

    /// Whether money of a card item may have come back: it was disputed, its return is matched, or
    /// the key cannot read disputes.
    fn may_have_come_back(&self, item: &Item) -> bool {
        let Some(disputed) = self.input.disputed else { return true };
        let returned = self.returned.get_or_init(|| self.matched_returns());
        disputed.contains_key(&item.item_id)
            || item.authorization_id.is_some_and(|id| returned.contains(&id))
    }

    /// Whether the books have a counter-entry for the item.
    fn is_countered(&self, item: u32) -> bool {
        let countered = |state: &RecordState| match *state {
            RecordState::Counter { item, .. } => Some(item),
            _ => None,
        };
        let all = || self.outcome.records.iter().filter_map(countered).collect();
        self.countered.get_or_init(all).contains(&item)
    }

    /// Whether it belongs to a sale that the books void and that was returned in full.
    fn is_voided(&self, item: &Item) -> bool {
        let voided = self.voided.get_or_init(|| self.voided_captures());
        item.kind.is_card() && item.authorization_id.is_some_and(|id| voided.contains(&id))
    }

    fn voided_captures(&self) -> HashSet<AuthorizationId> {
        let is_void = |pair: &&Pair| {
            let mut records = self.outcome.records_of(pair).iter();
            records.any(|&one| self.record(one).status == LedgerStatus::Void)
        };
        let void = self.outcome.pairs.iter().filter(is_void);
        let captures = void.flat_map(|pair| self.outcome.items_of(pair));
        let captures = captures.chain(&self.outcome.voided_before).map(|&at| self.item(at));
        let sold = by_authorization(captures.filter(|item| item.kind == ItemKind::Capture));
        if sold.is_empty() {
            return HashSet::new();
        }
        let back = by_authorization(self.input.items.iter().filter(|item| {
            let is_known = item.day <= self.input.terms.business_date;
            item.kind == ItemKind::Return && is_known
        }));
        let is_whole = |(id, sum): &(_, Option<Minor>)| sum.is_some() && back.get(id) == Some(sum);
        sold.into_iter().filter(is_whole).map(|((id, _), _)| id).collect()
    }

    fn matched_returns(&self) -> HashSet<AuthorizationId> {
        let items = self.input.items.iter().zip(&self.outcome.items);
        items
            .filter(|(item, state)| item.kind == ItemKind::Return && state.pair().is_some())
            .filter_map(|(item, _)| item.authorization_id)
            .collect()
    }

    fn ambiguous(&self, set: &Ambiguity, hidden: &Hidden) -> Option<LedgerFinding> {
        let item_due = set.items.iter().filter_map(|&one| self.item_due(self.item(one)));
        let paid = set.records.iter().map(|&one| self.record(one));
        let paid = paid.filter(|record| record.status == LedgerStatus::Paid);
        let due = item_due.chain(paid.filter_map(|record| self.record_due(record))).min()?;
        let item_ids = set.items.iter().map(|&one| self.item(one).item_id.as_str());
        let ledger_ids = set.records.iter().map(|&one| self.record(one).ledger_id.as_str());
        let mut explanation = format!(
            "Items {} and ledger records {} fit in more ways than one; nothing was paired.",
            join(item_ids.clone()),
            join(ledger_ids.clone()),
        );
        let first = self.item(*set.items.first()?);
        let sums = self.sums_of(set).filter(|(expected, actual)| expected != actual);
        if let Some((expected, actual)) = sums {
            let said = format!(
                " The records add up to {} and the items to {}: one of them is incomplete in any \
                 case.",
                money(Some(expected), first.currency),
                money(Some(actual), first.currency),
            );
            explanation += &said;
        }
        let difference = sums.and_then(|(expected, actual)| actual.checked_sub(expected));
        Some(
            LedgerFinding {
                day: set.items.iter().map(|&one| self.item(one).day).min(),
                due: Some(due),
                currency: first.currency,
                expected: difference.and(sums).map(|one| one.0),
                actual: difference.and(sums).map(|one| one.1),
                difference,
                explanation,
                problem: set.items.iter().find_map(|&item| hidden.problem(item)),
                ..bare(
                    LedgerCode::AmbiguousMatch,
                    item_ids.chain(ledger_ids).map(str::to_owned).collect(),
                )
            }
            .with(set.items.clone(), set.records.clone()),
        )
    }
}

/// The sum of the items under each authorization and currency; `None` where an amount is unknown.
fn by_authorization<'i>(
    items: impl Iterator<Item = &'i Item>,
) -> HashMap<(AuthorizationId, Option<Currency>), Option<Minor>> {
    let mut sums = HashMap::new();
    for item in items {
        if let Some(id) = item.authorization_id {
            let sum = sums.entry((id, item.currency)).or_insert(Some(Minor(0)));
            *sum = sum.and_then(|sum| sum.checked_add(item.amount?));
        }
    }
    sums
}

impl Finder<'_> {
    /// The sums of an ambiguity's paid records and items, if all are in one currency.
    fn sums_of(&self, set: &Ambiguity) -> Option<(Minor, Minor)> {
        let currency = self.item(*set.items.first()?).currency?;
        let records = set.records.iter().map(|&one| self.record(one));
        let records = records.filter(|record| record.status == LedgerStatus::Paid);
        let in_books =
            records.map(|record| Some(record.amount).filter(|_| record.currency == currency));
        let items = set.items.iter().map(|&one| self.item(one));
        let at_processor =
            items.map(|item| item.amount.filter(|_| item.currency == Some(currency)));
        Some((minor(sum(in_books)?)?, minor(sum(at_processor)?)?))
    }
}

impl LedgerFinding {
    pub(super) fn with(mut self, items: Vec<u32>, records: Vec<u32>) -> Self {
        (self.items, self.records) = (items, records);
        self
    }
}

pub(super) fn uncertain(contradiction: Contradiction, kind: &str, id: &str) -> Option<String> {
    contradiction
        .is_uncertain
        .then(|| format!("a return of {kind} {id} does not say whether it was presented again"))
}

pub(super) fn bare(code: LedgerCode, subject: Vec<String>) -> LedgerFinding {
    LedgerFinding {
        code,
        subject,
        items: Vec::new(),
        records: Vec::new(),
        transfer: None,
        day: None,
        due: None,
        currency: None,
        expected_currency: None,
        expected: None,
        actual: None,
        difference: None,
        explanation: String::new(),
        problem: None,
    }
}

/// `None` if an amount is unknown. The amounts of a pair cannot overflow 128 bits.
pub(super) fn sum(amounts: impl Iterator<Item = Option<Minor>>) -> Option<i128> {
    amounts.map(|amount| amount.map(|amount| i128::from(amount.0))).sum()
}

/// `None` if a sum does not fit into 64 bits.
pub(super) fn minor(sum: i128) -> Option<Minor> {
    i64::try_from(sum).ok().map(Minor)
}
