//! Finds the findings that cannot be evaluated because a possible partner is not fully known. Only
//! gives reasons; never drops a finding.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;

use super::findings::{LedgerCode, LedgerFinding};
use super::input::{Item, MerchantInput, Record, Terms};
use super::ledger_input::Unclear;
use super::order_by_id::{compare_items, compare_records, could_pair};
use super::record_index::RecordIndex;
use super::states::{ItemState, Outcome, Pair, Pass, RecordState};
use tieout_model::LedgerKind;

/// The entries that a discrepancy concerns, as far as matching still has them.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub items: Vec<u32>,
    pub records: Vec<u32>,
    pub transfer: Option<u32>,
}

/// One merchant's incompletely known items and records, indexed so that each finding is compared
/// with these few and not with all.
pub struct Unknowns<'a> {
    input: MerchantInput<'a>,
    outcome: &'a Outcome,
    /// Records out of scope, because a day on which their items could lie was not read.
    not_read: RecordIndex<'a, ()>,
    /// Records of pairs that no id made; empty if no record is out of scope.
    unnamed: RecordIndex<'a, &'a Pair>,
    /// Card transactions without a merchant, or that may be captures or returns.
    unclear: &'a [Unclear],
    /// Unmatched items without an amount or a currency.
    incomplete: Partners<'a, Item>,
    /// Unmatched records; empty if no item is incomplete.
    free: Partners<'a, Record>,
}

/// One side of the entries that could still be paired, indexed for the other side.
struct Partners<'a, T> {
    by_day: BTreeMap<(LedgerKind, NaiveDate), Vec<&'a T>>,
    by_order: HashMap<&'a str, Vec<&'a T>>,
}

impl<'a, T> Partners<'a, T> {
    fn none() -> Self {
        Self { by_day: BTreeMap::new(), by_order: HashMap::new() }
    }

    fn add(&mut self, kind: LedgerKind, day: NaiveDate, order: Option<&'a str>, one: &'a T) {
        self.by_day.entry((kind, day)).or_default().push(one);
        self.add_by_order(order, one);
    }

    /// Entries from before the start, and unpaid records, are paired by order id only.
    fn add_by_order(&mut self, order: Option<&'a str>, one: &'a T) {
        if let Some(order) = order {
            self.by_order.entry(order).or_default().push(one);
        }
    }

    /// The lowest entry that `fits`: one with this order id, else one of the first day in the
    /// window around `date` that has one of this kind.
    fn find(
        &self,
        (kind, date, order): (LedgerKind, NaiveDate, Option<&str>),
        terms: &Terms,
        fits: impl Fn(&T) -> bool,
        compare: fn(&T, &T) -> Ordering,
    ) -> Option<&'a T> {
        let same_order = order.and_then(|order| self.by_order.get(order)).into_iter().flatten();
        let near = self.by_day.iter().filter(|((of_kind, day), _)| {
            *of_kind == kind && terms.banking_days.distance(date, *day) <= terms.window_days
        });
        let lowest = |ones: &mut dyn Iterator<Item = &'a T>| {
            ones.filter(|one| fits(one)).min_by(|one, other| compare(one, other))
        };
        lowest(&mut same_order.copied())
            .or_else(|| near.map(|one| one.1).find_map(|ones| lowest(&mut ones.iter().copied())))
    }
}

impl<'a> Unknowns<'a> {
    pub fn of(input: MerchantInput<'a>, unclear: &'a [Unclear], outcome: &'a Outcome) -> Self {
        let mut unknowns = Self {
            input,
            outcome,
            unclear,
            not_read: RecordIndex::none(),
            unnamed: RecordIndex::none(),
            incomplete: Partners::none(),
            free: Partners::none(),
        };
        for (item, state) in input.items.iter().zip(&outcome.items) {
            if !is_incomplete(item) {
                continue;
            }
            let order = item.order_id.as_deref();
            match state {
                ItemState::Unmatched(_) => {
                    unknowns.incomplete.add(item.kind.ledger_kind(), item.day, order, item);
                }
                ItemState::OutOfScope => unknowns.incomplete.add_by_order(order, item),
                _ => {}
            }
        }
        let is_any_unweighed = !unknowns.incomplete.by_day.is_empty();
        for (record, state) in input.records.iter().zip(&outcome.records) {
            if record.day_not_read && state.pair().is_none() {
                unknowns.not_read.add(record, ());
            }
            if !is_any_unweighed {
                continue;
            }
            let order = record.order_id.as_deref();
            match state {
                RecordState::Unmatched(_) => {
                    unknowns.free.add(record.kind, record.date, order, record);
                }
                RecordState::Excluded | RecordState::OutOfScope => {
                    unknowns.free.add_by_order(order, record);
                }
                _ => {}
            }
        }
        if !unknowns.not_read.is_empty() {
            for pair in outcome.pairs.iter().filter(|pair| !pair.pass.is_by_name()) {
                for &record in outcome.records_of(pair) {
                    unknowns.unnamed.add(&input.records[record as usize], pair);
                }
            }
        }
        unknowns
    }

    /// Why the finding cannot be evaluated; `None` if it can.
    pub fn why(&self, finding: &LedgerFinding) -> Option<String> {
        match (finding.code, finding.items.as_slice(), finding.records.as_slice()) {
            (LedgerCode::MissingInLedger, &[item], _) => self
                .around_days_not_read(item)
                .or_else(|| self.without_weight(&self.input.items[item as usize])),
            (LedgerCode::MissingAtProcessor, _, &[record]) => self.beside_unknown(record),
            (LedgerCode::AmbiguousMatch, items, records) => records
                .iter()
                .find_map(|&record| self.beside_unknown(record))
                .or_else(|| items.iter().find_map(|&item| self.around_days_not_read(item))),
            (LedgerCode::AmountMismatch, _, records) => {
                records.iter().find_map(|&record| self.ordered_around_days_not_read(record))
            }
            _ => None,
        }
    }

    /// Why the ledger record of an item cannot be determined: a record out of scope could be its
    /// own, or could be that of another item, whose record would then be free for this one.
    pub(crate) fn around_days_not_read(&self, position: u32) -> Option<String> {
        let terms = self.input.terms;
        let (mut waiting, mut reached) = (vec![position], BTreeSet::from([position]));
        while let Some(next) = waiting.pop() {
            let item = &self.input.items[next as usize];
            if let Some((record, ())) = self.not_read.of(item, terms).next() {
                let (id, date) = (&record.ledger_id, record.date);
                let what = if next == position { "be its own" } else { "leave it another one" };
                return Some(format!(
                    "ledger record {id} of {date} could {what}, but the days around it were not \
                     read completely"
                ));
            }
            for (_, pair) in self.unnamed.of(item, terms) {
                let items = self.outcome.items_of(pair).iter().copied();
                waiting.extend(items.filter(|&item| reached.insert(item)));
            }
        }
        None
    }

    /// Why a discrepancy that was open and is no longer found cannot be cleared: a record of it, or
    /// one that names it, is out of scope now, or a record out of scope could take precedence in a
    /// pair made by day and amount alone.
    pub fn why_still_open(&self, about: &About) -> Option<String> {
        let mut own = about.records.iter().map(|&record| &self.input.records[record as usize]);
        let not_read = own.find(|record| record.day_not_read).or_else(|| self.naming(about));
        if let Some(record) = not_read {
            let (id, date) = (&record.ledger_id, record.date);
            return Some(format!(
                "the days around ledger record {id} of {date} were not read completely"
            ));
        }
        let of_items = about.items.iter().map(|&item| self.outcome.items[item as usize].pair());
        let of_records = about.records.iter().map(|&one| self.outcome.records[one as usize].pair());
        let pairs = of_items.chain(of_records).flatten();
        let pairs = pairs.map(|pair| &self.outcome.pairs[pair as usize]);
        let mut unnamed = pairs.filter(|pair| !pair.pass.is_by_name());
        unnamed.find_map(|pair| {
            self.outcome.items_of(pair).iter().find_map(|&item| self.around_days_not_read(item))
        })
    }

    /// A record out of scope that names an entry of the discrepancy, by an id or an order id.
    fn naming(&self, about: &About) -> Option<&'a Record> {
        let items = about.items.iter().map(|&item| &self.input.items[item as usize]);
        let transfer = about.transfer.map(|transfer| &self.input.transfers[transfer as usize]);
        let naming = self.not_read.all().filter(|record| {
            let is_same_order = |order: &Option<_>| order.is_some() && *order == record.order_id;
            let names = |item: &Item| {
                item.is_named(record.reference.as_deref()) || is_same_order(&item.order_id)
            };
            items.clone().any(names)
                || transfer.is_some_and(|transfer| {
                    record.reference.as_deref() == Some(transfer.transfer_id.as_str())
                        || is_same_order(&transfer.order_id)
                })
        });
        naming.min_by_key(|record| (record.date, &record.ledger_id, record.line))
    }

    /// Why the amount of a record paired by order id cannot be called wrong: equal amounts come
    /// first, and an item of its amount may lie on a day that was not read.
    fn ordered_around_days_not_read(&self, position: u32) -> Option<String> {
        let record = &self.input.records[position as usize];
        let pair = self.outcome.records[position as usize].pair()?;
        let is_by_order = self.outcome.pairs[pair as usize].pass == Pass::Order;
        (is_by_order && record.day_not_read).then(|| {
            let (id, date) = (&record.ledger_id, record.date);
            format!(
                "another item could be that of ledger record {id} of {date}: the days around it \
                 were not read completely"
            )
        })
    }

    /// Why an item without an amount or a currency cannot be called missing in the ledger: an
    /// unmatched record could be its own.
    fn without_weight(&self, item: &Item) -> Option<String> {
        if !is_incomplete(item) {
            return None;
        }
        let terms = self.input.terms;
        let sought = (item.kind.ledger_kind(), item.day, item.order_id.as_deref());
        let fits = |record: &Record| could_be(item, record, terms);
        let record = self.free.find(sought, terms, fits, compare_records)?;
        let (id, date) = (&record.ledger_id, record.date);
        Some(format!("{}, and ledger record {id} of {date} could be its own", in_words(item)))
    }

    /// Why the item of a ledger record cannot be determined: an incompletely known one could be its
    /// own.
    fn beside_unknown(&self, position: u32) -> Option<String> {
        let record = &self.input.records[position as usize];
        self.beside_incomplete(record).or_else(|| self.beside_unclear(record))
    }

    /// Why a ledger record cannot be called missing at the processor: an item without an amount or
    /// a currency could be its own.
    fn beside_incomplete(&self, record: &Record) -> Option<String> {
        let terms = self.input.terms;
        let sought = (record.kind, record.date, record.order_id.as_deref());
        let fits = |item: &Item| could_be(item, record, terms);
        let item = self.incomplete.find(sought, terms, fits, compare_items)?;
        let (id, date) = (&record.ledger_id, record.date);
        Some(format!("{}, and could be ledger record {id} of {date}", in_words(item)))
    }

    /// The same for a card transaction without a merchant, or that may be a capture or a return.
    fn beside_unclear(&self, record: &Record) -> Option<String> {
        let mut unclear = self.unclear.iter();
        let Unclear { item, problem } = unclear.find(|Unclear { item, .. }| {
            item.is_named(record.reference.as_deref()) || could_pair(item, record, self.input.terms)
        })?;
        let (id, date) = (&record.ledger_id, record.date);
        Some(format!(
            "transaction {} of {} {problem}, and could be ledger record {id} of {date}",
            item.item_id, item.day
        ))
    }
}

/// Whether an incompletely known item could be that of `record`. Under one order id, different
/// amounts are a pair too.
fn could_be(item: &Item, record: &Record, terms: &Terms) -> bool {
    let has_its_order = item.kind.ledger_kind() == record.kind
        && item.order_id.is_some()
        && item.order_id == record.order_id
        && item.currency.is_none_or(|currency| currency == record.currency);
    has_its_order || could_pair(item, record, terms)
}

fn is_incomplete(item: &Item) -> bool {
    item.amount.is_none() || item.currency.is_none()
}

fn in_words(item: &Item) -> String {
    let (kind, id, day) = (item.kind.as_str(), &item.item_id, item.day);
    format!("{kind} {id} of {day} has no amount or no currency")
}
