//! What matching came to, as the rows that the checks and the reports take: ids, subjects and
//! figures. Pure.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;

use crate::judge::withheld::Withheld;
use crate::matching::{
    Item, ItemKind, KnownTransfer, LedgerCode, LedgerFinding, MerchantInput, Outcome, Pair, Record,
    RecordState, Terms, compare_records,
};
use crate::model::{
    LedgerKind, Listing, MatchRow, Resource, Selector, ShortText, TransferId, TransferKind,
};
use crate::money::{Currency, Minor};
use crate::store::{BookFinding, BookInput};

/// Characters of a payment's or refund's id, as the API publishes.
const TRANSFER_ID_LENGTH: usize = 10;

/// What matching is given of a merchant's books.
pub(crate) fn merchant_input<'a>(terms: &'a Terms, input: &'a BookInput) -> MerchantInput<'a> {
    MerchantInput {
        terms,
        items: &input.items,
        records: &input.records,
        transfers: &input.transfers,
        other_references: &input.other_references,
        returns_unread: input.returns_unread,
    }
}

/// One merchant's records and what matching them came to.
pub(crate) struct Matched<'a> {
    pub merchant_id: &'a str,
    pub input: &'a BookInput,
    pub terms: &'a Terms,
    pub outcome: &'a Outcome,
    names: OnceCell<Names>,
    withheld: OnceCell<Withheld<'a>>,
}

impl<'a> Matched<'a> {
    pub(crate) fn of(
        merchant_id: &'a str,
        input: &'a BookInput,
        terms: &'a Terms,
        outcome: &'a Outcome,
    ) -> Self {
        let (names, withheld) = (OnceCell::new(), OnceCell::new());
        Self { merchant_id, input, terms, outcome, names, withheld }
    }

    pub(crate) fn merchant_input(&self) -> MerchantInput<'a> {
        merchant_input(self.terms, self.input)
    }

    /// Most nights need neither the names nor what is withheld; who does, needs them of all.
    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.input))
    }

    pub(crate) fn withheld(&self) -> &Withheld<'a> {
        self.withheld
            .get_or_init(|| Withheld::of(self.merchant_input(), &self.input.unclear, self.outcome))
    }

    fn item(&self, position: u32) -> &'a Item {
        &self.input.items[position as usize]
    }

    /// The latest day before the start, not known completely, on which the item of a record
    /// without a partner could lie: what the record names may be older than the window.
    pub(crate) fn failed_before(&self, position: u32) -> Option<NaiveDate> {
        let (record, terms) = (self.record(position), self.terms);
        let is_free = matches!(self.outcome.records[position as usize], RecordState::Unmatched(_));
        let names_any = record.reference.is_some() || record.order_id.is_some();
        let mut days = self.input.early_failed.iter().rev().copied().filter(|_| is_free);
        days.find(|day| {
            names_any || terms.banking_days.distance(*day, record.date) <= terms.window_days
        })
    }

    fn record(&self, position: u32) -> &'a Record {
        &self.input.records[position as usize]
    }
}

/// The rows of the ledger checks, each subject once.
pub(crate) fn findings(matched: &Matched<'_>, found: &[LedgerFinding]) -> Vec<BookFinding> {
    let records = 0..u32::try_from(matched.input.records.len()).unwrap_or(u32::MAX);
    let untold: Vec<(u32, NaiveDate)> =
        records.filter_map(|at| Some((at, matched.failed_before(at)?))).collect();
    if found.is_empty() && untold.is_empty() {
        return Vec::new();
    }
    let mut told = BTreeSet::new();
    let untold = untold.iter().map(|&(at, day)| untold_row(matched, at, day));
    let rows = found.iter().map(|finding| row(matched, finding));
    untold.chain(rows).filter(|row| told.insert((row.code, row.subject.clone()))).collect()
}

/// A record of which nobody can say what it is paired with, due or not.
fn untold_row(matched: &Matched<'_>, at: u32, day: NaiveDate) -> BookFinding {
    let record = matched.record(at);
    BookFinding {
        code: LedgerCode::MissingAtProcessor.as_str(),
        merchant_id: matched.merchant_id.to_owned(),
        subject: matched.names().records[at as usize].clone(),
        batch_date: Some(record.date),
        problem: Some(format!(
            "an item of {day}, of which not everything is known, could be ledger record {} of {}",
            record.ledger_id, record.date
        )),
        ..BookFinding::default()
    }
}

fn row(matched: &Matched<'_>, finding: &LedgerFinding) -> BookFinding {
    let mut ids = Ids::default();
    for &position in &finding.items {
        ids.add_item(matched, position);
    }
    if let Some(transfer) = finding.transfer {
        let known = &matched.input.transfers[transfer as usize];
        match known.kind {
            TransferKind::Payment => ids.payments.insert(known.transfer_id.clone()),
            TransferKind::Refund => ids.refunds.insert(known.transfer_id.clone()),
        };
        ids.orders.extend(known.order_id.clone());
    }
    let records = match finding.code {
        // The second is the record that the extra one repeats.
        LedgerCode::DuplicateInLedger => &finding.records[..finding.records.len().min(1)],
        _ => &finding.records,
    };
    let ledger_ids: BTreeSet<&str> =
        records.iter().map(|&one| matched.record(one).ledger_id.as_str()).collect();
    if finding.items.is_empty() && finding.transfer.is_none() {
        ids.orders.extend(records.iter().filter_map(|&one| matched.record(one).order_id.clone()));
    }
    BookFinding {
        code: finding.code.as_str(),
        merchant_id: matched.merchant_id.to_owned(),
        subject: subject(matched, finding),
        currency: finding.currency,
        expected: expected(matched, finding).map(|amount| amount.0),
        actual: finding.actual.map(|amount| amount.0),
        batch_date: finding.day,
        batch_id: join(&ids.batches),
        authorization_id: join(&ids.authorizations),
        transaction_id: join(&ids.transactions),
        payment_id: join(&ids.payments),
        refund_id: join(&ids.refunds),
        order_id: join(&ids.orders),
        ledger_id: join(&ledger_ids),
        explanation: finding.explanation.clone(),
        problem: finding.problem.clone().or_else(|| matched.withheld().why(finding)),
        named: named_transfer(matched, finding),
    }
}

/// What a record that has nothing at the processor names, when that has the form of a bank
/// transfer's id. The processor knows more of them than the listings of a few days hold.
fn named_transfer(matched: &Matched<'_>, finding: &LedgerFinding) -> Option<Listing> {
    if finding.code != LedgerCode::MissingAtProcessor {
        return None;
    }
    let record = matched.record(*finding.records.first()?);
    let id = record.reference.as_deref().filter(|reference| {
        reference.len() == TRANSFER_ID_LENGTH
            && reference.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })?;
    let resource = match record.kind {
        LedgerKind::Payment => Resource::Payments,
        LedgerKind::Refund => Resource::Refunds,
    };
    Some(Listing::new(resource, Selector::TransferById(TransferId::from(id))))
}

/// What the books say; of a record in another currency than the row's, in the row's decimals,
/// and unknown where these cannot hold it.
fn expected(matched: &Matched<'_>, finding: &LedgerFinding) -> Option<Minor> {
    let expected = finding.expected?;
    if finding.code != LedgerCode::CurrencyMismatch {
        return Some(expected);
    }
    let ledger = matched.record(*finding.records.first()?).currency;
    rescale(expected, ledger, finding.currency?)
}

/// The same number of major units, when the other currency's decimals can state it.
fn rescale(amount: Minor, from: Currency, to: Currency) -> Option<Minor> {
    let (from, to) = (from.exponent(), to.exponent());
    let factor = 10_i64.checked_pow(from.abs_diff(to))?;
    if to >= from {
        amount.0.checked_mul(factor).map(Minor)
    } else {
        (amount.0 % factor == 0).then(|| Minor(amount.0 / factor))
    }
}

fn subject(matched: &Matched<'_>, finding: &LedgerFinding) -> String {
    let item = |&position: &u32| item_subject(matched, position);
    let record = |&position: &u32| matched.names().records[position as usize].clone();
    match finding.code {
        LedgerCode::MissingAtProcessor | LedgerCode::DuplicateInLedger => {
            finding.records.first().map(record).unwrap_or_default()
        }
        LedgerCode::AmbiguousMatch => {
            let items = finding.items.iter().map(item);
            let all: Vec<String> = items.chain(finding.records.iter().map(record)).collect();
            all.join(";")
        }
        LedgerCode::MissingInLedger
        | LedgerCode::AmountMismatch
        | LedgerCode::CurrencyMismatch
        | LedgerCode::StatusMismatch => match (finding.items.first(), finding.transfer) {
            (Some(position), _) => item(position),
            (None, Some(transfer)) => transfer_subject(&matched.input.transfers[transfer as usize]),
            (None, None) => finding.subject.join(";"),
        },
    }
}

/// Card transactions, authorizations and bank transfers are numbered apart.
fn item_subject(matched: &Matched<'_>, position: u32) -> String {
    let item = matched.item(position);
    let has_transaction = matched.input.card_ids[position as usize].transaction_id.is_some();
    if item.kind.is_card() && !has_transaction {
        return format!("authorization/{}", item.item_id);
    }
    format!("{}/{}", item.kind.as_str(), item.item_id)
}

fn transfer_subject(transfer: &KnownTransfer) -> String {
    format!("{}/{}", transfer.kind.as_str(), transfer.transfer_id)
}

/// A name for each record that no other has, and that stays when later records come.
#[derive(Default)]
struct Names {
    records: Vec<String>,
}

impl Names {
    /// Of records with one id, all but the first get a number: by date and then by what they say,
    /// since another row above them, or another order of rows, makes them no others.
    fn of(input: &BookInput) -> Self {
        let records = &input.records;
        let mut names: Vec<String> =
            records.iter().map(|record| record.ledger_id.to_string()).collect();
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(records.len());
        let mut shared: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, record) in records.iter().enumerate() {
            let id = record.ledger_id.as_str();
            if let Some(before) = first.get(id) {
                shared.entry(id).or_insert_with(|| vec![*before]).push(at);
            } else {
                first.insert(id, at);
            }
        }
        for same in shared.values_mut() {
            same.sort_by(|one, other| {
                compare_records(&records[*one], &records[*other]).then(one.cmp(other))
            });
            for (number, at) in (2..).zip(same.iter().skip(1)) {
                names[*at] = format!("{}#{number}", records[*at].ledger_id);
            }
        }
        Self { records: names }
    }
}

/// What a discrepancy is about, as far as matching still knows of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub items: Vec<u32>,
    pub records: Vec<u32>,
    pub transfer: Option<u32>,
}

/// Where the subjects of discrepancies stand in what was matched.
pub(crate) struct Subjects<'m> {
    items: HashMap<String, u32>,
    records: HashMap<&'m str, u32>,
    transfers: HashMap<String, u32>,
}

impl<'m> Subjects<'m> {
    pub(crate) fn of(matched: &'m Matched<'_>) -> Self {
        let input = matched.input;
        let items = 0..u32::try_from(input.items.len()).unwrap_or(u32::MAX);
        let transfers = input.transfers.iter().zip(0..);
        Self {
            items: items.map(|position| (item_subject(matched, position), position)).collect(),
            records: matched.names().records.iter().map(String::as_str).zip(0..).collect(),
            transfers: transfers.map(|(one, at)| (transfer_subject(one), at)).collect(),
        }
    }

    pub(crate) fn about(&self, code: LedgerCode, subject: &str) -> About {
        let of_items = |subject| self.items.get(subject).copied();
        let of_records = |subject| self.records.get(subject).copied();
        match code {
            LedgerCode::MissingAtProcessor | LedgerCode::DuplicateInLedger => {
                About { records: of_records(subject).into_iter().collect(), ..About::default() }
            }
            LedgerCode::AmbiguousMatch => About {
                items: subject.split(';').filter_map(of_items).collect(),
                records: subject.split(';').filter_map(of_records).collect(),
                transfer: None,
            },
            LedgerCode::MissingInLedger
            | LedgerCode::AmountMismatch
            | LedgerCode::CurrencyMismatch
            | LedgerCode::StatusMismatch => About {
                items: of_items(subject).into_iter().collect(),
                transfer: self.transfers.get(subject).copied(),
                records: Vec::new(),
            },
        }
    }
}

/// Ids of one row, ascending.
#[derive(Default)]
struct Ids {
    batches: BTreeSet<i64>,
    authorizations: BTreeSet<i64>,
    transactions: BTreeSet<i64>,
    payments: BTreeSet<ShortText>,
    refunds: BTreeSet<ShortText>,
    orders: BTreeSet<ShortText>,
}

impl Ids {
    fn add_item(&mut self, matched: &Matched<'_>, position: u32) {
        let item = matched.item(position);
        let card = matched.input.card_ids[position as usize];
        match item.kind {
            ItemKind::Capture | ItemKind::Return => {
                self.batches.extend(card.batch_id);
                self.authorizations.extend(item.authorization_id);
                self.transactions.extend(card.transaction_id);
            }
            ItemKind::Payment => {
                self.payments.insert(item.item_id.clone());
            }
            ItemKind::Refund => {
                self.refunds.insert(item.item_id.clone());
            }
        }
        self.orders.extend(item.order_id.clone());
    }
}

fn join<T: ToString>(ids: &BTreeSet<T>) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(";")
}

/// The rows of `matches.csv`: the pairs whose later day is the business date.
pub(crate) fn matches(matched: &Matched<'_>) -> Vec<MatchRow> {
    matched.outcome.pairs.iter().flat_map(|pair| rows_of(matched, pair)).collect()
}

/// A row for each item and each record. In a pair of one with several, the amount of the one
/// and the difference of the sums stand on its first row alone, so that columns add up. What
/// stands in for another item is a row without amounts, on the later day of its own.
fn rows_of(matched: &Matched<'_>, pair: &Pair) -> Vec<MatchRow> {
    let records = matched.outcome.records_of(pair);
    let recorded = records.iter().map(|&record| matched.record(record).date).max();
    let is_today =
        |item_day: Option<NaiveDate>| item_day.max(recorded) == Some(matched.terms.business_date);
    let day_of = |item: u32| matched.item(item).day;
    let mut rows = Vec::new();
    // Most pairs are of earlier days.
    if is_today(matched.outcome.summed_items_of(pair).map(day_of).max()) {
        let items: Vec<u32> = matched.outcome.summed_items_of(pair).collect();
        let difference = difference(matched, &items, records);
        for row in 0..items.len().max(records.len()) {
            let place = items[row.min(items.len() - 1)];
            let of_record = records[row.min(records.len() - 1)];
            let (item, record) = (matched.item(place), matched.record(of_record));
            let currency = item.currency.unwrap_or(record.currency);
            let of_item = item.amount.filter(|_| item.currency.is_some());
            let stated = rescale(record.amount, record.currency, currency);
            rows.push(MatchRow {
                item_amount: of_item.filter(|_| row < items.len()),
                ledger_amount: stated.filter(|_| row < records.len()),
                difference: difference.filter(|_| row == 0),
                ..without_amounts(matched, pair, place, of_record)
            });
        }
    }
    let stand_ins = matched.outcome.stand_ins_of(pair).filter(|&item| is_today(Some(day_of(item))));
    let record = records[records.len() - 1];
    rows.extend(stand_ins.map(|item| without_amounts(matched, pair, item, record)));
    rows
}

fn without_amounts(matched: &Matched<'_>, pair: &Pair, item: u32, record: u32) -> MatchRow {
    let (item, record) = (matched.item(item), matched.record(record));
    let order = item.order_id.as_ref().or(record.order_id.as_ref());
    MatchRow {
        item_type: ShortText::const_new(item.kind.as_str()),
        item_id: item.item_id.clone(),
        ledger_id: record.ledger_id.clone(),
        merchant_id: matched.merchant_id.into(),
        currency: item.currency.unwrap_or(record.currency),
        item_date: item.day,
        ledger_date: record.date,
        item_amount: None,
        ledger_amount: None,
        difference: None,
        pass: ShortText::const_new(pair.pass.as_str()),
        order_id: order.cloned().unwrap_or_default(),
    }
}

/// Items less records; unknown between two currencies or when an amount is.
fn difference(matched: &Matched<'_>, items: &[u32], records: &[u32]) -> Option<Minor> {
    let currency = matched.record(*records.first()?).currency;
    let mut sum = Minor::default();
    for &position in items {
        let item = matched.item(position);
        sum = sum.checked_add(item.amount.filter(|_| item.currency == Some(currency))?)?;
    }
    for &position in records {
        let record = matched.record(position);
        sum = sum.checked_sub(Some(record.amount).filter(|_| record.currency == currency)?)?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_an_amount_in_the_decimals_of_another_currency_when_they_hold_it() {
        let currency = |code| Currency::from_code(code).unwrap();
        let cases = [
            (1_000, "USD", "CAD", Some(1_000)),
            (1_000, "USD", "JPY", Some(10)),
            (1_050, "USD", "JPY", None),
            (10, "JPY", "USD", Some(1_000)),
            (1_000, "USD", "KWD", Some(10_000)),
            (i64::MAX, "JPY", "USD", None),
        ];
        for (amount, from, to, expected) in cases {
            let found = rescale(Minor(amount), currency(from), currency(to));
            assert_eq!(found, expected.map(Minor), "{amount} {from} {to}");
        }
    }
}
