//! Differences within a pair: status, currency and amount.

use super::super::input::{Item, TransferStatus};
use super::super::order_by_id::{compare_items, compare_records};
use super::super::states::{Pair, Pass};
use super::super::status::contradiction;
use super::super::wording::{capitalize, join, money};
use super::{Finder, LedgerCode, LedgerFinding, bare, minor, sum, uncertain};
use tieout_model::LedgerStatus;
use tieout_model::money::Currency;

impl Finder<'_> {
    /// One finding for each item whose status contradicts a record of its pair.
    pub(super) fn statuses_of(&self, pair: &Pair, found: &mut Vec<LedgerFinding>) {
        let records = self.outcome.records_of(pair);
        let business_date = self.input.terms.business_date;
        for &at in self.outcome.items_of(pair) {
            let item = self.item(at);
            let said = |record: &u32| {
                let status = self.record(*record).status;
                contradiction(status, item.facts.as_deref(), business_date)
                    .filter(|_| !self.is_explained(pair, at, status))
            };
            let lowest = records.iter().filter_map(|record| Some((*record, said(record)?))).min_by(
                |a, b| {
                    let certain_first = a.1.is_uncertain.cmp(&b.1.is_uncertain);
                    certain_first.then_with(|| compare_records(self.record(a.0), self.record(b.0)))
                },
            );
            let Some((record, contradiction)) = lowest else { continue };
            let said = contradiction.said;
            let explanation = format!(
                "Ledger record {} is {}, but the processor has {} {} as {said}.",
                self.record(record).ledger_id,
                self.record(record).status.as_str(),
                item.kind.as_str(),
                item.item_id,
            );
            found.push(LedgerFinding {
                items: vec![at],
                records: vec![record],
                problem: uncertain(contradiction, item.kind.as_str(), &item.item_id),
                day: Some(item.day),
                currency: item.currency,
                explanation,
                ..bare(LedgerCode::StatusMismatch, vec![item.item_id.to_string()])
            });
        }
    }

    /// Whether another known fact explains the contradiction, or may still explain it.
    fn is_explained(&self, pair: &Pair, at: u32, status: LedgerStatus) -> bool {
        let item = self.item(at);
        match (status, item.facts.as_deref()) {
            (LedgerStatus::Paid, Some(facts)) => {
                let mut all = self.outcome.items_of(pair).iter();
                facts.status == TransferStatus::Returned && all.any(|&one| self.is_countered(one))
            }
            (LedgerStatus::Returned, None) => self.may_have_come_back(item),
            (LedgerStatus::Void, facts) => {
                !self.is_due(item) || (facts.is_none() && self.is_voided(item))
            }
            _ => false,
        }
    }

    /// Whether the books must have the item by the business date, regardless of the start date.
    fn is_due(&self, item: &Item) -> bool {
        let terms = self.input.terms;
        terms.banking_days.due_by(item.day, terms.ledger_days, terms.business_date).is_some()
    }

    /// The findings about a pair's sums, if they differ in currency or by more than the tolerance,
    /// or cannot be compared. What is not paid has no amount that must be anything.
    pub(super) fn amounts_of(&self, pair: &Pair) -> Vec<LedgerFinding> {
        if let (&[item], &[record]) = (self.outcome.items_of(pair), self.outcome.records_of(pair)) {
            let (item, record) = (self.item(item), self.record(record));
            if item.amount == Some(record.amount) && item.currency == Some(record.currency) {
                return Vec::new();
            }
        }
        let mut items: Vec<u32> = self.outcome.summed_items_of(pair).collect();
        let mut records = self.outcome.records_of(pair).to_vec();
        records.retain(|&one| self.record(one).status == LedgerStatus::Paid);
        items.sort_by(|&a, &b| compare_items(self.item(a), self.item(b)));
        records.sort_by(|&a, &b| compare_records(self.record(a), self.record(b)));
        let (Some(&first), Some(&record)) = (items.first(), records.first()) else {
            return Vec::new();
        };
        let (first, record) = (self.item(first), self.record(record));
        // Amounts of several currencies have no sum.
        let expected = sum(records.iter().map(|&one| {
            let one = self.record(one);
            Some(one.amount).filter(|_| one.currency == record.currency)
        }));
        let actual = sum(items.iter().map(|&one| {
            let one = self.item(one);
            one.amount.filter(|_| one.currency == first.currency)
        }));
        let (codes, unknown) = self.differing(&items, &records, expected, actual);
        let differs = codes == [LedgerCode::AmountMismatch] && unknown.is_none();
        if codes.is_empty() || (differs && self.may_follow(pair, &items, &records)) {
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
                expected_currency: Some(record.currency)
                    .filter(|own| !is_compared && Some(*own) != currency),
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

    /// Whether the shortfall of one side may still arrive: an instalment of an order, or a further
    /// capture.
    fn may_follow(&self, pair: &Pair, items: &[u32], records: &[u32]) -> bool {
        let names_parts = |&record: &u32| {
            let named = self.record(record).named();
            items.iter().any(|&item| {
                let item = self.item(item);
                item.is_named(named) && Some(item.item_id.as_str()) != named
            })
        };
        let is_in_parts = match pair.pass {
            Pass::Order | Pass::OrderSpelling => true,
            Pass::Reference => records.iter().any(names_parts),
            _ => false,
        };
        let terms = self.input.terms;
        let is_record_due = |&record: &u32| terms.record_due(self.record(record).date).is_some();
        let are_items_due = || items.iter().all(|&item| self.is_due(self.item(item)));
        is_in_parts && !(are_items_due() && records.iter().all(is_record_due))
    }

    /// The permitted difference of two amounts: the smaller of the limits that are set.
    fn tolerance(&self, expected: i128, actual: i128) -> u128 {
        let terms = &self.input.terms;
        let fixed = u128::from(terms.tolerance_minor.unsigned_abs());
        let larger = expected.unsigned_abs().max(actual.unsigned_abs());
        let points = u128::from(terms.tolerance_basis_points);
        let share = larger.saturating_mul(points) / 10_000;
        match (fixed > 0, points > 0) {
            (true, true) => fixed.min(share),
            (false, true) => share,
            _ => fixed,
        }
    }

    /// The codes for a pair with these sums, and the name of an unknown field. Amounts in two
    /// currencies are not compared, and unknown values are compared with nothing.
    fn differing(
        &self,
        items: &[u32],
        records: &[u32],
        expected: Option<i128>,
        actual: Option<i128>,
    ) -> (&'static [LedgerCode], Option<&'static str>) {
        let currencies = || items.iter().map(|&item| self.item(item).currency);
        let in_books = || records.iter().map(|&record| self.record(record).currency);
        let is_foreign = |currency: Currency| in_books().any(|booked| booked != currency);
        if currencies().flatten().any(is_foreign) {
            (&[LedgerCode::CurrencyMismatch], None)
        } else if currencies().any(|currency| currency.is_none()) {
            (&[LedgerCode::AmountMismatch, LedgerCode::CurrencyMismatch], Some("currency"))
        } else {
            match expected.zip(actual) {
                None if actual.is_none() => (&[LedgerCode::AmountMismatch], Some("amount")),
                Some((expected, actual))
                    if expected.abs_diff(actual) > self.tolerance(expected, actual) =>
                {
                    (&[LedgerCode::AmountMismatch], None)
                }
                _ => (&[], None),
            }
        }
    }
}
