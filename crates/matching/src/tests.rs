//! Cases as text: a scene of items, records and transfers, and their states after matching.

mod adversarial;
mod cases;
mod cases_of_days;
mod checks;
mod kept;
mod properties;

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;

use super::*;
use tieout_model::calendar::{Calendar, CalendarName};
use tieout_model::money::{Currency, Minor};
use tieout_model::{AuthorizationId, LedgerKind, LedgerStatus, ShortText, TransferKind};

/// A day of November 2026, in which the 1st is a Sunday, Veterans Day Wednesday the 11th and
/// Thanksgiving Thursday the 26th; 0 and below are in October.
fn day(number: i64) -> NaiveDate {
    let first: NaiveDate = "2026-11-01".parse().unwrap();
    first + chrono::Duration::days(number - 1)
}

fn terms(start: i64, business_date: i64) -> Terms {
    let calendar = Calendar::new(CalendarName::UsFederalReserve, BTreeSet::new());
    let (start, business_date) = (day(start), day(business_date));
    Terms {
        start,
        business_date,
        window_days: 3,
        tolerance_minor: 0,
        tolerance_basis_points: 0,
        settle_days: 1,
        ledger_days: 1,
        lookback_days: 75,
        banking_days: BankingDays::new(&calendar, start, business_date, 3),
    }
}

/// One merchant as text. A line is `kind id day amount` and then `name=value` in any order.
#[derive(Clone, Debug)]
struct Scene {
    terms: Terms,
    items: Vec<Item>,
    records: Vec<Record>,
    transfers: Vec<KnownTransfer>,
    others: Vec<ShortText>,
    returns_unread: bool,
    disputed: Option<HashMap<ShortText, Vec<Dispute>>>,
    left_out: Vec<LeftOutRow>,
}

struct Line<'a> {
    kind: &'a str,
    id: &'a str,
    day: NaiveDate,
    amount: Option<Minor>,
    rest: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        Self {
            kind: words[0],
            id: words[1],
            day: day(words[2].parse().unwrap()),
            amount: words[3].parse().ok().map(Minor),
            rest: words[4..].to_vec(),
        }
    }

    fn value(&self, name: &str) -> Option<&'a str> {
        self.rest.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    fn text(&self, name: &str) -> Option<String> {
        self.value(name).map(str::to_owned)
    }

    fn currency(&self) -> Currency {
        Currency::from_code(self.value("cur").unwrap_or("USD")).unwrap()
    }

    fn last4(&self) -> Option<Last4> {
        self.value("last4").map(|digits| Last4::from_digits(digits).unwrap())
    }

    /// `status=returned back=20,24c,25r,26-28`: days of returns, closed, represented or undone.
    fn facts(&self) -> TransferFacts {
        let returns = self.value("back").into_iter().flat_map(|days| days.split(','));
        TransferFacts {
            status: TransferStatus::from_name(self.value("status").unwrap_or("complete")),
            returns: returns
                .map(|one| (one, one.split_once('-').unwrap_or((one, ""))))
                .map(|(one, (from, to))| ReturnFact {
                    date: day(from.trim_end_matches(['c', 'r']).parse().unwrap()),
                    undone_on: to.parse().ok().map(day),
                    is_closed: one.ends_with('c'),
                    is_represented: Some(one.ends_with('r')),
                })
                .collect(),
            representment_of: self.text("again").map(Into::into),
        }
    }
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Line::read)
}

fn item(line: &Line<'_>) -> Item {
    let kind = match line.kind {
        "capture" => ItemKind::Capture,
        "return" => ItemKind::Return,
        "payment" => ItemKind::Payment,
        "refund" => ItemKind::Refund,
        other => panic!("no kind of item: {other}"),
    };
    Item {
        kind,
        item_id: line.id.to_owned().into(),
        authorization_id: line.value("auth").map(|id| AuthorizationId(id.parse().unwrap())),
        day: line.day,
        second_day: line.value("ran").map(|number| day(number.parse().unwrap())),
        amount: line.amount,
        currency: Some(line.currency()),
        order_id: line.text("order").map(Into::into),
        last4: line.last4(),
        facts: (!kind.is_card()).then(|| Box::new(line.facts())),
    }
}

fn record(number: u32, line: &Line<'_>) -> Record {
    Record {
        ledger_id: line.id.to_owned().into(),
        line: number,
        kind: LedgerKind::from_name(line.kind).unwrap(),
        date: line.day,
        amount: line.amount.unwrap(),
        currency: line.currency(),
        order_id: line.text("order").map(Into::into),
        reference: line.text("ref").map(Into::into),
        last4: line.last4(),
        status: LedgerStatus::from_name(line.value("status").unwrap_or("paid")).unwrap(),
        day_not_read: line.rest.contains(&"not_read"),
    }
}

fn transfer(line: &Line<'_>) -> KnownTransfer {
    KnownTransfer {
        kind: if line.kind == "payment" { TransferKind::Payment } else { TransferKind::Refund },
        transfer_id: line.id.to_owned().into(),
        order_id: line.text("order").map(Into::into),
        amount: line.amount,
        currency: Some(line.currency()),
        last4: line.last4(),
        run_date: Some(line.day),
        is_listed: !line.rest.contains(&"looked_up"),
        facts: line.facts(),
    }
}

impl Scene {
    /// From Monday the 2nd, as of Monday the 30th.
    fn new(items: &str, records: &str) -> Self {
        Self {
            terms: terms(2, 30),
            items: lines(items).map(|line| item(&line)).collect(),
            records: (2..).zip(lines(records)).map(|(at, line)| record(at, &line)).collect(),
            transfers: Vec::new(),
            others: Vec::new(),
            returns_unread: false,
            disputed: None,
            left_out: Vec::new(),
        }
    }

    fn without_returns(mut self) -> Self {
        self.returns_unread = true;
        self
    }

    fn transfers(mut self, text: &str) -> Self {
        self.transfers = lines(text).map(|line| transfer(&line)).collect();
        self
    }

    fn other(mut self, id: &str) -> Self {
        self.others.push(id.into());
        self
    }

    fn from(mut self, start: i64, business_date: i64) -> Self {
        self.terms = terms(start, business_date);
        self
    }

    fn input(&self) -> MerchantInput<'_> {
        MerchantInput {
            terms: &self.terms,
            items: &self.items,
            records: &self.records,
            transfers: &self.transfers,
            other_references: &self.others,
            returns_unread: self.returns_unread,
            disputed: self.disputed.as_ref(),
            left_out: &self.left_out,
            standing: None,
        }
    }

    fn outcome(&self) -> Outcome {
        match_merchant(&self.input())
    }

    fn item_id(&self, position: u32) -> &str {
        &self.items[position as usize].item_id
    }

    fn ledger_id(&self, position: u32) -> &str {
        &self.records[position as usize].ledger_id
    }

    /// The state of every entry, one line each: pairs and ambiguities first, in order of ids.
    fn story(&self) -> Vec<String> {
        let outcome = self.outcome();
        let item_names = |items: &[u32]| {
            let mut names: Vec<String> = items
                .iter()
                .map(|&one| match outcome.items[one as usize] {
                    ItemState::Matched { stands_in: true, .. } => {
                        format!("({})", self.item_id(one))
                    }
                    _ => self.item_id(one).to_owned(),
                })
                .collect();
            names.sort();
            names.join("+")
        };
        let record_names = |records: &[u32]| {
            let mut names: Vec<&str> = records.iter().map(|&one| self.ledger_id(one)).collect();
            names.sort_unstable();
            names.join("+")
        };
        let mut story: Vec<String> = outcome
            .pairs
            .iter()
            .map(|pair| {
                let items = item_names(outcome.items_of(pair));
                let records = record_names(outcome.records_of(pair));
                format!("{items} = {records} by {}", pair.pass.as_str())
            })
            .collect();
        story.extend(outcome.ambiguities.iter().map(|set| {
            let (items, records) = (item_names(&set.items), record_names(&set.records));
            format!("{items} ? {records} in {}", set.pass.as_str())
        }));
        for (position, state) in (0..).zip(&outcome.items) {
            let id = self.item_id(position);
            match state {
                ItemState::Matched { .. } | ItemState::Ambiguous { .. } => {}
                ItemState::Unmatched(_) => story.push(format!("{id} unmatched")),
                ItemState::Excluded => story.push(format!("{id} excluded")),
                ItemState::OutOfScope => story.push(format!("{id} out of scope")),
                ItemState::Later => story.push(format!("{id} later")),
            }
        }
        for (position, state) in (0..).zip(&outcome.records) {
            let id = self.ledger_id(position);
            match state {
                RecordState::Matched { .. } | RecordState::Ambiguous { .. } => {}
                RecordState::Unmatched(_) => story.push(format!("{id} unmatched")),
                RecordState::NamesUnsettled { transfer } => {
                    let known = &self.transfers[*transfer as usize].transfer_id;
                    story.push(format!("{id} names {known}"));
                }
                RecordState::Waits { transfer, .. } => {
                    let known = &self.transfers[*transfer as usize].transfer_id;
                    story.push(format!("{id} waits for {known}"));
                }
                RecordState::Duplicate { of } => {
                    story.push(format!("{id} duplicate of {}", self.ledger_id(*of)));
                }
                RecordState::Counter { item, .. } => {
                    story.push(format!("{id} counters {}", self.item_id(*item)));
                }
                RecordState::Excluded => story.push(format!("{id} excluded")),
                RecordState::OutOfScope => story.push(format!("{id} out of scope")),
                RecordState::Later => story.push(format!("{id} later")),
            }
        }
        story.sort();
        story
    }

    /// `CODE subject`, followed by the figures if there are any.
    fn findings(&self) -> Vec<String> {
        let input = self.input();
        findings(&input, &match_merchant(&input))
            .iter()
            .map(|found| {
                let mut line = format!("{} {}", found.code.as_str(), found.subject.join(";"));
                let figure = |amount: Option<Minor>| {
                    amount.map_or("-".to_owned(), |amount| amount.0.to_string())
                };
                if found.expected.is_some() || found.actual.is_some() {
                    let (expected, actual) = (figure(found.expected), figure(found.actual));
                    line = format!("{line} {expected}/{actual}");
                }
                if found.problem.is_some() {
                    line.push_str(" not told");
                }
                line
            })
            .collect()
    }
}
