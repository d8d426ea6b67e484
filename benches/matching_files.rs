//! Files to file: reads items and a ledger as CSV, matches every merchant, and writes the pairs.
//! `benches/matching/compare.py` runs it beside other tools over the same files:
//! `matching_files MERCHANTS ITEMS LEDGER OUT`; without arguments it does nothing.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::collections::{BTreeSet, HashMap};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use chrono::NaiveDate;
use tieout::calendar::{Calendar, CalendarName};
use tieout::config::{LedgerSettings, Merchant, MerchantTerms};
use tieout::import::ledger::{LedgerError, read_file};
use tieout::matching::{
    BankingDays, Item, ItemKind, Last4, MerchantInput, Outcome, Record, Terms, TransferFacts,
    TransferStatus, match_merchant,
};
use tieout::money::{Currency, Minor};

/// The window and the range of days that the files are made for.
const WINDOW_DAYS: u32 = 3;
const FIRST: &str = "2026-11-02";
const LAST: &str = "2026-12-31";
/// About what a row takes in either file.
const ROW_BYTES: u64 = 54;

struct Side {
    items: Vec<Item>,
    records: Vec<Record>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|one| one != "--bench").collect();
    let [merchants, items, ledger, out] = arguments.as_slice() else {
        println!("usage: matching_files MERCHANTS ITEMS LEDGER OUT (benches/matching/compare.py)");
        return;
    };
    let merchants = read_merchants(Path::new(merchants));
    // Both files at once, as the job reads both sides.
    let (items, mut records) = std::thread::scope(|scope| {
        let items = scope.spawn(|| read_items(Path::new(items), merchants.len()));
        let records = read_ledger(Path::new(ledger), &merchants);
        (items.join().expect("the items are read"), records)
    });
    let sides = items.into_iter().map(|(merchant, items)| Side {
        records: records.remove(&merchant).unwrap_or_default(),
        items,
    });
    let sides: Vec<Side> = sides.collect();
    let (start, end) = (FIRST.parse().unwrap(), LAST.parse().unwrap());
    let calendar = Calendar::new(CalendarName::UsFederalReserve, BTreeSet::new());
    let terms = Terms {
        start,
        business_date: end,
        window_days: WINDOW_DAYS,
        tolerance_minor: 0,
        tolerance_basis_points: 0,
        settle_days: 1,
        ledger_days: 1,
        lookback_days: 75,
        banking_days: BankingDays::new(&calendar, start, end, WINDOW_DAYS),
    };
    let file = std::fs::File::create(out).expect("the output can be created");
    let writer = Mutex::new(BufWriter::with_capacity(1 << 20, file));
    writeln!(writer.lock().unwrap(), "item_id,ledger_id,pass").unwrap();
    let waiting = Mutex::new(sides.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                loop {
                    let Some(side) = waiting.lock().unwrap().next() else { return };
                    match_side(&terms, &side, &writer);
                }
            });
        }
    });
    writer.into_inner().unwrap().flush().expect("the output can be written");
}

fn match_side(terms: &Terms, side: &Side, writer: &Mutex<BufWriter<std::fs::File>>) {
    let outcome = match_merchant(&MerchantInput {
        terms,
        items: &side.items,
        records: &side.records,
        transfers: &[],
        other_references: &[],
        returns_unread: false,
        disputed: None,
        left_out: &[],
        standing: None,
    });
    let mut text = Vec::with_capacity(1 << 16);
    for pair in &outcome.pairs {
        write_pair(&mut text, side, &outcome, pair);
        if text.len() > 60_000 {
            writer.lock().unwrap().write_all(&text).unwrap();
            text.clear();
        }
    }
    writer.lock().unwrap().write_all(&text).unwrap();
}

fn write_pair(text: &mut Vec<u8>, side: &Side, outcome: &Outcome, pair: &tieout::matching::Pair) {
    for &item in outcome.items_of(pair) {
        for &record in outcome.records_of(pair) {
            let (item, record) = (&side.items[item as usize], &side.records[record as usize]);
            for (value, end) in [
                (item.item_id.as_str(), b','),
                (record.ledger_id.as_str(), b','),
                (pair.pass.as_str(), b'\n'),
            ] {
                text.extend_from_slice(value.as_bytes());
                text.push(end);
            }
        }
    }
}

/// One id a line, as the configuration would name them.
fn read_merchants(path: &Path) -> Vec<Merchant> {
    let text = std::fs::read_to_string(path).expect("the merchants can be read");
    text.lines()
        .map(|id| Merchant {
            id: id.into(),
            name: None,
            currency: Currency::from_code("USD"),
            time_zone: chrono_tz::UTC,
            terminals: Vec::new(),
            names_terminals: true,
            terms: MerchantTerms::default(),
            capture_tolerance_percent: 0,
            calendar: CalendarName::UsFederalReserve,
            ledger: Some("books".to_owned()),
            bank: None,
            checks: std::collections::BTreeMap::default(),
        })
        .collect()
}

/// About how many rows each merchant has. Ten thousand lists that grow side by side would leave
/// as much memory behind them as they take; the job reads merchant by merchant and has no such.
fn rows_each(path: &Path, merchants: usize) -> usize {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    usize::try_from(bytes / ROW_BYTES).unwrap_or(0) / merchants.max(1)
}

/// `merchant,kind,item_id,day,amount,order_id,last4`, amounts in minor units of USD.
fn read_items(path: &Path, merchants: usize) -> HashMap<String, Vec<Item>> {
    let room = rows_each(path, merchants);
    let mut sides: HashMap<String, Vec<Item>> = HashMap::new();
    let mut reader = csv::ReaderBuilder::new()
        .buffer_capacity(1 << 18)
        .from_path(path)
        .expect("the items can be read");
    // Few dates are read many times, as from the store.
    let mut days: HashMap<String, NaiveDate> = HashMap::new();
    let usd = Currency::from_code("USD");
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row).expect("a row of items") {
        let kind = if &row[1] == "payment" { ItemKind::Payment } else { ItemKind::Capture };
        let day = *days.entry(row[3].to_owned()).or_insert_with(|| row[3].parse().expect("a date"));
        let item = Item {
            kind,
            item_id: row[2].into(),
            authorization_id: None,
            day,
            second_day: None,
            amount: row[4].parse().ok().map(Minor),
            currency: usd,
            order_id: Some(&row[5]).filter(|order| !order.is_empty()).map(Into::into),
            last4: Last4::from_digits(&row[6]),
            facts: (kind == ItemKind::Payment)
                .then(|| TransferFacts {
                    status: TransferStatus::Complete,
                    returns: Vec::new(),
                    representment_of: None,
                })
                .map(Box::new),
        };
        if let Some(items) = sides.get_mut(&row[0]) {
            items.push(item);
        } else {
            let mut items = Vec::with_capacity(room);
            items.push(item);
            sides.insert(row[0].to_owned(), items);
        }
    }
    sides
}

/// The ledger, through the import itself.
fn read_ledger(path: &Path, merchants: &[Merchant]) -> HashMap<String, Vec<Record>> {
    let mut sides: HashMap<String, Vec<Record>> = HashMap::new();
    let ledger = LedgerSettings {
        name: "books".to_owned(),
        path: PathBuf::new(),
        table: tieout::config::TableSettings::default(),
    };
    let room = rows_each(path, merchants.len());
    let file = read_file(path, &ledger, merchants, |record| {
        let merchant_id = record.merchant_id;
        let record = Record {
            ledger_id: record.ledger_id,
            line: record.line.try_into().unwrap_or(u32::MAX),
            kind: record.kind,
            date: record.date,
            amount: record.amount,
            currency: record.currency,
            order_id: record.order_id,
            reference: record.reference,
            last4: record.last4.as_deref().and_then(Last4::from_digits),
            status: record.status,
            day_not_read: false,
        };
        if let Some(records) = sides.get_mut(merchant_id.as_str()) {
            records.push(record);
        } else {
            let mut records = Vec::with_capacity(room);
            records.push(record);
            sides.insert(merchant_id.as_str().to_owned(), records);
        }
        Ok::<(), LedgerError>(())
    })
    .expect("the ledger can be read");
    assert_eq!(file.quarantined_rows, 0, "{:?}", file.quarantined.first());
    sides
}
