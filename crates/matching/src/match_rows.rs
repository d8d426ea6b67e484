//! The rows of `matches.csv`. Pure.

use chrono::NaiveDate;

use super::input::Record;
use super::matched::Matched;
use super::order_by_id::{compare_items, compare_records};
use super::states::{Pair, Pass, RecordState};
use tieout_model::money::Minor;
use tieout_model::{MatchRow, ShortText};

/// The rows of `matches.csv`: the pairs whose later day is the business date.
pub fn matches(matched: &Matched<'_>) -> Vec<MatchRow> {
    let pairs = matched.outcome.pairs.iter().flat_map(|pair| rows_of(matched, pair));
    let counters = (0..).zip(&matched.outcome.records).filter_map(|(at, state)| match *state {
        RecordState::Counter { item, date } => counter_row(matched, at, item, date),
        _ => None,
    });
    pairs.chain(counters).collect()
}

/// The row of a counter-entry: a record that is the return or the dispute, begun on `date`, of an
/// item.
fn counter_row(matched: &Matched<'_>, record: u32, item: u32, date: NaiveDate) -> Option<MatchRow> {
    let amount = matched.record(record).amount;
    let day = matched.record(record).date.max(date);
    (day == matched.terms.business_date).then(|| MatchRow {
        item_date: date,
        item_amount: Some(amount),
        ledger_amount: Some(amount),
        difference: Some(Minor(0)),
        ..without_amounts(matched, COUNTER, item, record)
    })
}

/// The pass of a counter-entry.
const COUNTER: &str = "counter";

/// A row for each item and each record. In a pair of one with several, the amount of the one and
/// the difference of the sums are on the first row alone, so that the columns add up. An item that
/// stands in for another has a row without amounts, on the later of its day and the record's.
fn rows_of(matched: &Matched<'_>, pair: &Pair) -> Vec<MatchRow> {
    let mut records = matched.outcome.records_of(pair).to_vec();
    records.sort_by(|&one, &other| compare_records(matched.record(one), matched.record(other)));
    let recorded = records.iter().map(|&record| matched.record(record).date).max();
    let is_today =
        |item_day: Option<NaiveDate>| item_day.max(recorded) == Some(matched.terms.business_date);
    let day_of = |item: u32| matched.item(item).day;
    let mut rows = Vec::new();
    // Most pairs belong to earlier dates.
    if is_today(matched.outcome.summed_items_of(pair).map(day_of).max()) {
        let mut items: Vec<u32> = matched.outcome.summed_items_of(pair).collect();
        items.sort_by(|&one, &other| compare_items(matched.item(one), matched.item(other)));
        let difference = difference(matched, &items, &records);
        for row in 0..items.len().max(records.len()) {
            let place = items[row.min(items.len() - 1)];
            let of_record = records[row.min(records.len() - 1)];
            let (item, record) = (matched.item(place), matched.record(of_record));
            let currency = item.currency.unwrap_or(record.currency);
            let of_item = item.amount.filter(|_| item.currency.is_some());
            let stated = record.amount.in_decimals_of(record.currency, currency);
            rows.push(MatchRow {
                item_amount: of_item.filter(|_| row < items.len()),
                ledger_amount: stated.filter(|_| row < records.len()),
                difference: difference.filter(|_| row == 0),
                ..without_amounts(matched, pair.pass.as_str(), place, of_record)
            });
        }
    }
    let stand_ins = matched.outcome.stand_ins_of(pair).filter(|&item| is_today(Some(day_of(item))));
    let mut stand_ins: Vec<u32> = stand_ins.collect();
    stand_ins.sort_by(|&one, &other| compare_items(matched.item(one), matched.item(other)));
    let (record, pass) = (records[records.len() - 1], pair.pass.as_str());
    rows.extend(stand_ins.into_iter().map(|item| without_amounts(matched, pass, item, record)));
    rows
}

fn without_amounts(matched: &Matched<'_>, pass: &'static str, item: u32, record: u32) -> MatchRow {
    let (item, record) = (matched.item(item), matched.record(record));
    let order = item.order_id.as_ref().or(record.order_id.as_ref());
    MatchRow {
        item_type: ShortText::const_new(item.kind.as_str()),
        item_id: item.item_id.clone(),
        ledger_id: record.ledger_id.clone(),
        merchant_id: matched.merchant_id.clone(),
        currency: item.currency.unwrap_or(record.currency),
        item_date: item.day,
        ledger_date: record.date,
        item_amount: None,
        ledger_amount: None,
        difference: None,
        pass: ShortText::const_new(pass),
        order_id: order.cloned().unwrap_or_default(),
        note: note(matched, pass, record),
    }
}

/// A remark on an odd reference that did not make the pair.
fn note(matched: &Matched<'_>, pass: &str, record: &Record) -> ShortText {
    let is_by_reference = pass == Pass::Reference.as_str();
    let reference = record.named().filter(|_| !is_by_reference);
    let ids = || matched.known_ids();
    let odd = reference.filter(|reference| !ids().holds(reference));
    odd.map(|reference| ids().describe(reference).into()).unwrap_or_default()
}

/// Items less records; `None` between two currencies or if an amount is unknown.
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
