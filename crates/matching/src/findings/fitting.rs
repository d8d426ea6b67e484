//! Finds books that hardly fit the processor, or whose amounts nearly all differ in one direction:
//! gives one finding for each currency, with the sums, in place of the single ones.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::super::fit::{Fit, FitDay};
use super::super::wording::money;
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

impl Finder<'_> {
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
