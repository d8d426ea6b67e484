//! Medians of matching a million items with a million ledger records, in ways from the usual
//! to the worst. Run with `cargo bench --bench matching`.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use tieout_matching::{
    BankingDays, Item, ItemKind, Last4, MerchantInput, Record, Terms, TransferFacts,
    TransferStatus, findings, match_merchant,
};
use tieout_model::calendar::{Calendar, CalendarName};
use tieout_model::money::{Currency, Minor};
use tieout_model::{AuthorizationId, LedgerKind, LedgerStatus};

const RECORDS: u32 = 1_000_000;
const ROUNDS: usize = 5;

/// A name, the known fields of an item, and the known fields of its ledger record.
type Way = (&'static str, fn(u32) -> Shape, fn(u32) -> Shape);

struct Shape {
    amount: i64,
    day: u32,

    last4: Option<u32>,
    order: Option<u32>,
    reference: Option<u32>,
}

fn main() {
    let ways: [Way; 5] = [
        (
            "by reference",
            |at| shape(at, true, false),
            |at| Shape { reference: Some(at), ..shape(at, true, false) },
        ),
        ("by order id", |at| shape(at, false, true), |at| shape(at, false, true)),
        ("same day, amount, last four", |at| shape(at, true, false), |at| shape(at, true, false)),
        (
            "nearby day",
            |at| shape(at, true, false),
            |at| Shape { day: at % 20 + 1, ..shape(at, true, false) },
        ),
        ("all equal", |_| equal(), |_| equal()),
    ];
    println!("{RECORDS} items x {RECORDS} records, median of {ROUNDS}");
    for (name, item, record) in ways {
        measure(name, item, record);
    }
}

fn shape(at: u32, has_last4: bool, has_order: bool) -> Shape {
    let scattered = at.wrapping_mul(2_654_435_761);
    Shape {
        amount: i64::from(scattered % 50_000) + 1,
        day: at % 20,

        last4: has_last4.then_some(scattered / 7 % 10_000),
        order: has_order.then_some(at),
        reference: None,
    }
}

fn equal() -> Shape {
    Shape { amount: 5, day: 3, last4: Some(1111), order: None, reference: None }
}

fn measure(name: &str, item: fn(u32) -> Shape, record: fn(u32) -> Shape) {
    let start: NaiveDate = "2026-11-02".parse().expect("a date");
    let end: NaiveDate = "2026-12-31".parse().expect("a date");
    let calendar = Calendar::new(CalendarName::UsFederalReserve, BTreeSet::new());
    let terms = Terms {
        start,
        business_date: end,
        window_days: 3,
        tolerance_minor: 0,
        tolerance_basis_points: 0,
        settle_days: 1,
        ledger_days: 1,
        lookback_days: 75,
        banking_days: BankingDays::new(&calendar, start, end, 3),
    };
    let items: Vec<Item> = (0..RECORDS).map(|at| make_item(at, &item(at), start)).collect();
    // The ledger's order is not the processor's.
    let mixed = |at: u32| u32::try_from(u64::from(at) * 7_919 % u64::from(RECORDS)).expect("fits");
    let records: Vec<Record> =
        (0..RECORDS).map(mixed).map(|at| make_record(at, &record(at), start)).collect();
    let input = MerchantInput {
        terms: &terms,
        items: &items,
        records: &records,
        transfers: &[],
        other_references: &[],
        returns_unread: false,
        disputed: None,
        left_out: &[],
        standing: None,
    };
    let mut matching: Vec<Duration> = Vec::new();
    let mut finding: Vec<Duration> = Vec::new();
    let mut pairs = 0;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let outcome = match_merchant(&input);
        matching.push(begin.elapsed());
        let begin = Instant::now();
        let found = findings(&input, &outcome);
        finding.push(begin.elapsed());
        pairs = outcome.pairs.len();
        drop((outcome, found));
    }
    matching.sort_unstable();
    finding.sort_unstable();
    println!(
        "{name:<30} {:>6} ms matching, {:>6} ms findings, {pairs} pairs",
        matching[ROUNDS / 2].as_millis(),
        finding[ROUNDS / 2].as_millis(),
    );
}

fn make_item(at: u32, shape: &Shape, start: NaiveDate) -> Item {
    let kind = if shape.order.is_some() { ItemKind::Payment } else { ItemKind::Capture };
    Item {
        kind,
        item_id: (700_000_000 + u64::from(at)).to_string().into(),
        authorization_id: Some(AuthorizationId(300_000_000 + i64::from(at))),
        day: start + chrono::Duration::days(shape.day.into()),

        second_day: None,
        amount: Some(Minor(shape.amount)),
        currency: Currency::from_code("USD"),
        order_id: shape.order.map(|order| format!("O-{order}")).map(Into::into),
        last4: shape.last4.and_then(|last4| Last4::from_digits(&format!("{last4:04}"))),
        facts: (!kind.is_card())
            .then(|| TransferFacts {
                status: TransferStatus::Complete,
                returns: Vec::new(),
                representment_of: None,
            })
            .map(Box::new),
    }
}

fn make_record(at: u32, shape: &Shape, start: NaiveDate) -> Record {
    Record {
        ledger_id: format!("INV-{at}").into(),
        line: at + 2,
        kind: LedgerKind::Payment,
        date: start + chrono::Duration::days(shape.day.into()),
        amount: Minor(shape.amount),
        currency: Currency::from_code("USD").expect("a currency"),
        order_id: shape.order.map(|order| format!("O-{order}")).map(Into::into),
        reference: shape
            .reference
            .map(|at| (700_000_000 + u64::from(at)).to_string())
            .map(Into::into),
        last4: shape.last4.and_then(|last4| Last4::from_digits(&format!("{last4:04}"))),
        status: LedgerStatus::Paid,
        day_not_read: false,
    }
}
