//! Entries of one side alone: missing in the ledger or at the processor. Books that hardly fit the
//! processor, or whose amounts nearly all differ in one direction, give one finding for each
//! currency, with the sums, in place of the single ones.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use chrono::NaiveDate;

use super::super::fit::{Fit, FitDay};
use super::super::input::ItemKind;
use super::super::odd_reference::KnownIds;
use super::super::states::{Candidate, ItemState, RecordState};
use super::super::wording::{capitalize, money, name_item, name_record, reason};
use super::left_out::Hidden;
use super::{Finder, LedgerCode, LedgerFinding, bare, minor, sum};
use tieout_model::money::{Currency, Minor};

/// Minimum number of dates with items, and with paid records, before books with hardly any pair are
/// called not fitting.
const FITTING_DATES: usize = 3;
/// With this many entries on each side, one in [`LUCKY_PART`] may pair by luck; with fewer, none.
/// Also the minimum number of pairs by reference whose differences are compared.
const MANY: u64 = 10;
const LUCKY_PART: u64 = 20;

/// The missing entries in one currency.
#[derive(Default)]
struct Missing {
    first: Option<NaiveDate>,
    items: Vec<Option<Minor>>,
    records: Vec<Option<Minor>>,
}

impl Missing {
    fn note(&mut self, day: NaiveDate) {
        self.first = Some(self.first.map_or(day, |first| first.min(day)));
    }
}

impl<'a> Finder<'a> {
    /// Every due item without a record, and every due paid record without an item.
    pub(super) fn missing(&self) -> Vec<LedgerFinding> {
        let hidden = Hidden::of(self.input, self.outcome);
        let items = self
            .missing_items()
            .map(|(position, due, candidate)| self.missing_item(position, due, candidate, &hidden));
        let records = self
            .missing_records()
            .map(|(position, due, candidate)| self.missing_record(position, due, candidate));
        items.chain(records).collect()
    }

    /// Items without a record that are due: position, due date, nearest candidate.
    fn missing_items(&self) -> impl Iterator<Item = (u32, NaiveDate, Option<Candidate>)> {
        let mut payments: Option<HashSet<&str>> = None;
        (0..).zip(&self.outcome.items).filter_map(move |(position, state)| {
            let ItemState::Unmatched(candidate) = *state else { return None };
            let item = self.item(position);
            let due = self.item_due(item)?;
            if self.is_voided(item) {
                return None;
            }
            if let Some(original) = item.representment_of() {
                // It stands for its original, and an original from before the start date is never
                // reported as missing.
                let judged = payments.get_or_insert_with(|| self.judged_payments());
                if !judged.contains(original) {
                    return None;
                }
            }
            Some((position, due, candidate))
        })
    }

    /// Due paid records without an item: position, due date, nearest candidate.
    fn missing_records(&self) -> impl Iterator<Item = (u32, NaiveDate, Option<Candidate>)> {
        (0..).zip(&self.outcome.records).filter_map(|(position, state)| {
            let RecordState::Unmatched(candidate) = *state else { return None };
            Some((position, self.record_due(self.record(position))?, candidate))
        })
    }

    fn judged_payments(&self) -> HashSet<&'a str> {
        let terms = self.input.terms;
        let items = self.input.items.iter();
        items
            .filter(|item| item.kind == ItemKind::Payment)
            .filter(|item| (terms.start..=terms.business_date).contains(&item.day))
            .map(|item| item.item_id.as_str())
            .collect()
    }

    fn missing_item(
        &self,
        at: u32,
        due: NaiveDate,
        near: Option<Candidate>,
        hidden: &Hidden,
    ) -> LedgerFinding {
        let item = self.item(at);
        let mut explanation = format!(
            "{} has no ledger record, which was due on {due}.",
            capitalize(&name_item(item)),
        );
        if let Some(near) = near {
            let record = self.record(near.position);
            let (named, why) = (name_record(record), reason(near.refusal));
            let _ = write!(explanation, " Nearest is {named}: {why}.");
            if let Some(odd) = self.odd_reference(near.position) {
                let _ = write!(explanation, " {odd}");
            }
        }
        if let Some(remark) = hidden.remark(at) {
            let _ = write!(explanation, " {remark}");
        }
        LedgerFinding {
            items: vec![at],
            day: Some(item.day),
            due: Some(due),
            currency: item.currency,
            expected: item.amount.map(|_| Minor(0)),
            actual: item.amount,
            difference: item.amount,
            explanation,
            problem: hidden.problem(at),
            ..bare(LedgerCode::MissingInLedger, vec![item.item_id.to_string()])
        }
    }

    fn missing_record(&self, at: u32, due: NaiveDate, near: Option<Candidate>) -> LedgerFinding {
        let record = self.record(at);
        let mut explanation = format!(
            "{} has no item at the processor, which was due on {due}.",
            capitalize(&name_record(record)),
        );
        if let Some(near) = near {
            let (item, why) = (name_item(self.item(near.position)), reason(near.refusal));
            let _ = write!(explanation, " Nearest is {item}: {why}.");
        }
        if let Some(odd) = self.odd_reference(at) {
            let _ = write!(explanation, " {odd}");
        }
        LedgerFinding {
            records: vec![at],
            day: Some(record.date),
            due: Some(due),
            currency: Some(record.currency),
            expected: Some(record.amount),
            actual: Some(Minor(0)),
            difference: Minor(0).checked_sub(record.amount),
            explanation,
            ..bare(LedgerCode::MissingAtProcessor, vec![record.ledger_id.to_string()])
        }
    }

    /// Describes the reference of a record if it names nothing at the processor.
    fn odd_reference(&self, at: u32) -> Option<String> {
        let record = self.record(at);
        let reference = record.named()?;
        let ids = self.known_ids.get_or_init(|| KnownIds::of(self.input));
        (!ids.holds(reference)).then(|| ids.describe(reference))
    }

    fn fit(&self) -> &Fit {
        self.fit.get_or_init(|| Fit::of(self.input, self.outcome))
    }

    /// One finding in place of the single ones, if items and paid records of several dates exist
    /// and hardly any pair.
    pub(super) fn not_fitting(&self) -> Vec<LedgerFinding> {
        let fit = self.fit();
        let total = fit.total();
        let least = total.items.min(total.records);
        let most = if least < MANY { 0 } else { least / LUCKY_PART };
        if fit.dates() < FITTING_DATES || total.pairs > most {
            return Vec::new();
        }
        let Some(first) = fit.0.keys().next() else { return Vec::new() };
        let paired = match total.pairs {
            0 => "None".to_owned(),
            pairs => format!("Only {pairs}"),
        };
        let explanation = format!(
            "{paired} of {} items and {} paid ledger records since {first} fit each other: the \
             file, its merchant column, the currency or the time zone is not the merchant's.",
            total.items, total.records,
        );
        let finding = LedgerFinding {
            day: Some(*first),
            explanation,
            ..bare(LedgerCode::LedgerNotFitting, Vec::new())
        };
        let missing = self.missing_by_currency();
        if missing.is_empty() { vec![finding] } else { in_currencies(&finding, &missing) }
    }

    /// One finding in place of the amount mismatches, if nearly all pairs by reference differ in
    /// one direction.
    pub(super) fn differing_one_way(&self, found: &mut Vec<LedgerFinding>) {
        let FitDay { by_reference, above, below, .. } = self.fit().total();
        let most = above.max(below);
        let is_one =
            |one: &LedgerFinding| one.code == LedgerCode::AmountMismatch && one.problem.is_none();
        if by_reference < MANY || most * 10 < by_reference * 9 || !found.iter().any(is_one) {
            return;
        }
        let ones: Vec<LedgerFinding> = found.extract_if(.., |one| is_one(one)).collect();
        let mut missing: BTreeMap<&'static str, Missing> = BTreeMap::new();
        for one in &ones {
            if let Some((currency, day)) = one.currency.zip(one.day) {
                let sums = missing.entry(currency.code()).or_default();
                sums.note(day);
                sums.items.push(one.actual);
                sums.records.push(one.expected);
            }
        }
        let whose = if above > below { "books seem" } else { "processor seems" };
        let finding = LedgerFinding {
            day: ones.iter().filter_map(|one| one.day).min(),
            // The kept books depend on these positions.
            items: ones.iter().flat_map(|one| one.items.clone()).collect(),
            records: ones.iter().flat_map(|one| one.records.clone()).collect(),
            explanation: format!(
                "{most} of {by_reference} pairs by reference differ in one direction: the {whose} \
                 to hold amounts net of fees, or of tax."
            ),
            ..bare(LedgerCode::LedgerNotFitting, Vec::new())
        };
        found.extend(in_currencies(&finding, &missing));
    }

    /// The entries that would be missing singly, by currency code. An item without a currency has
    /// no amount.
    fn missing_by_currency(&self) -> BTreeMap<&'static str, Missing> {
        let mut missing: BTreeMap<&'static str, Missing> = BTreeMap::new();
        for (at, ..) in self.missing_items() {
            let item = self.item(at);
            if let Some(currency) = item.currency {
                let one = missing.entry(currency.code()).or_default();
                one.note(item.day);
                one.items.push(item.amount);
            }
        }
        for (at, ..) in self.missing_records() {
            let record = self.record(at);
            let one = missing.entry(record.currency.code()).or_default();
            one.note(record.date);
            one.records.push(Some(record.amount));
        }
        missing
    }
}

/// The finding in each currency with missing entries. The first currency's subject is the merchant
/// alone, so that it stays the same when others follow.
fn in_currencies(
    finding: &LedgerFinding,
    missing: &BTreeMap<&'static str, Missing>,
) -> Vec<LedgerFinding> {
    let mut currencies: Vec<(Option<NaiveDate>, &str)> =
        missing.iter().map(|(code, one)| (one.first, *code)).collect();
    currencies.sort_unstable();
    let in_one = |(at, (_, code)): (usize, &(Option<NaiveDate>, &str))| {
        let (one, currency) = (&missing[code], Currency::from_code(code));
        let records = sum(one.records.iter().copied()).and_then(minor);
        let items = sum(one.items.iter().copied()).and_then(minor);
        LedgerFinding {
            currency,
            expected: records,
            actual: items,
            difference: items.zip(records).and_then(|(items, records)| items.checked_sub(records)),
            explanation: format!(
                "{} Due of them: {} of {} and {} of {}.",
                finding.explanation,
                counted(one.items.len(), "item"),
                money(items, currency),
                counted(one.records.len(), "ledger record"),
                money(records, currency),
            ),
            subject: if at == 0 { Vec::new() } else { vec![(*code).to_owned()] },
            ..finding.clone()
        }
    };
    currencies.iter().enumerate().map(in_one).collect()
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
