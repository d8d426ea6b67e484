//! The ledger records that matching is given, as of the prepared date.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;
use rusqlite::{Connection, Row};

use super::columns::wrong;
use super::columns::{Repeated, short, short_or_null, text, text_or_null};
use super::named_books::Ledgers;
use super::statement::rows;
use tieout_matching::{Last4, Record, merge_exports};
use tieout_model::money::Minor;
use tieout_model::{LedgerKind, LedgerStatus, ShortText};

/// Ledger records by merchant, in order of date, file and line.
pub(super) type Records = BTreeMap<String, Vec<Record>>;

/// So many stay at hand from one date to the next; a store of years has more than memory has room for.
const AT_HAND: usize = 250_000;

/// Records that a date of a run has read, for those after it. Which records of two files are one is
/// told date by date, so that what was read can be cut at any date.
#[derive(Default)]
pub(super) struct RecordsAtHand {
    /// The files that they come from, with their seals.
    files: Vec<(i64, String)>,
    by_merchant: BTreeMap<String, Read>,
}

/// The records of a merchant that are dated after one date and up to another, in order of date.
struct Read {
    ledger: String,
    after: Option<NaiveDate>,
    up_to: NaiveDate,
    records: Vec<Record>,
}

impl RecordsAtHand {
    /// The records dated up to `date`, and after `since`, of each merchant in the ledger that it
    /// names.
    pub(super) fn read(
        &mut self,
        connection: &Connection,
        ledgers: &Ledgers,
        date: NaiveDate,
        since: Option<NaiveDate>,
    ) -> rusqlite::Result<Records> {
        let sql = "select file_id, seal from ledger_file order by file_id";
        let files = rows(connection, sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if files != self.files {
            *self = Self { files, by_merchant: BTreeMap::new() };
        }
        let mut missing: BTreeMap<Option<NaiveDate>, Ledgers> = BTreeMap::new();
        for (merchant, books) in ledgers {
            let known = self.by_merchant.get(merchant);
            let known = known.filter(|known| known.ledger == books.name && known.after <= since);
            let after = match known {
                Some(known) if known.up_to >= date => continue,
                Some(known) => Some(known.up_to),
                None => {
                    self.by_merchant.remove(merchant);
                    since
                }
            };
            missing.entry(after).or_default().insert(merchant.clone(), books.clone());
        }
        for (after, ledgers) in missing {
            for (merchant, records) in read(connection, &ledgers, date, after)? {
                let ledger = ledgers[&merchant].name.clone();
                let empty = Read { ledger, after, up_to: date, records: Vec::new() };
                let known = self.by_merchant.entry(merchant).or_insert(empty);
                known.up_to = date;
                known.records.extend(records);
            }
        }
        let number: usize = self.by_merchant.values().map(|known| known.records.len()).sum();
        let mut found = Records::new();
        for merchant in ledgers.keys() {
            let Some(known) = self.by_merchant.get_mut(merchant) else { continue };
            let cut = known.records.partition_point(|record| record.date <= date);
            let from = known.records.partition_point(|record| Some(record.date) <= since);
            let own = if number > AT_HAND {
                known.records.truncate(cut);
                known.records.split_off(from)
            } else {
                known.records[from..cut].to_vec()
            };
            found.insert(merchant.clone(), own);
        }
        if number > AT_HAND {
            self.by_merchant.clear();
        }
        Ok(found)
    }
}

/// The records dated up to `date`, and after `since`, of each merchant in the ledger that it names.
/// Reads file by file, as they are stored: sorted by the database they would all be written once
/// more.
fn read(
    connection: &Connection,
    ledgers: &Ledgers,
    date: NaiveDate,
    since: Option<NaiveDate>,
) -> rusqlite::Result<Records> {
    let date = date.to_string();
    let since = since.map(|since| since.to_string());
    let mut by_file: BTreeMap<String, Vec<Vec<Record>>> =
        ledgers.keys().map(|merchant| (merchant.clone(), Vec::new())).collect();
    let files: Vec<(i64, String)> = connection
        .prepare("select file_id, ledger from ledger_file order by path, file_id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let sql = match &since {
        Some(_) => include_str!("../sql/books/records_since.sql"),
        None => include_str!("../sql/books/records.sql"),
    };
    let mut of_file = connection.prepare(sql)?;
    for (file_id, ledger) in files {
        for (_, files) in
            by_file.iter_mut().filter(|(merchant, _)| ledgers[*merchant].name == ledger)
        {
            files.push(Vec::new());
        }
        let (mut dates, mut currencies) = (Repeated::default(), Repeated::default());
        let mut rows = match &since {
            Some(since) => of_file.query((file_id, &date, since))?,
            None => of_file.query((file_id, &date))?,
        };
        while let Some(row) = rows.next()? {
            let merchant = text(row, 0)?;
            // A record of a merchant that names another ledger is nobody's.
            if ledgers.get(merchant).is_none_or(|named| named.name != ledger) {
                continue;
            }
            let own = by_file.get_mut(merchant).and_then(|files| files.last_mut());
            let Some(own) = own else { continue };
            own.push(record(row, &mut dates, &mut currencies)?);
        }
    }
    let merged = by_file.into_iter().map(|(merchant, files)| {
        let mut own = merge_exports(files);
        own.sort_by_key(|record| record.date);
        own.shrink_to_fit();
        (merchant, own)
    });
    Ok(merged.collect())
}

/// How many records of a merchant dated up to `date` carry each of `ids`.
pub(super) fn count_ids(
    connection: &Connection,
    (merchant_id, ledger): (&str, &str),
    ids: &BTreeSet<ShortText>,
    date: &str,
) -> rusqlite::Result<HashMap<ShortText, u32>> {
    let mut statement =
        connection.prepare_cached(include_str!("../sql/books/records_of_id.sql"))?;
    let mut counts = HashMap::new();
    for id in ids {
        let mut files: BTreeMap<String, Vec<Record>> = BTreeMap::new();
        let (mut dates, mut currencies) = (Repeated::default(), Repeated::default());
        let mut rows = statement.query((ledger, merchant_id, id.as_str(), date))?;
        while let Some(row) = rows.next()? {
            let own = files.entry(row.get("path")?).or_default();
            own.push(record(row, &mut dates, &mut currencies)?);
        }
        let count = merge_exports(files.into_values().collect()).len();
        if count > 0 {
            counts.insert(id.clone(), u32::try_from(count).unwrap_or(u32::MAX));
        }
    }
    Ok(counts)
}

fn record(
    row: &Row<'_>,
    dates: &mut Repeated<chrono::NaiveDate>,
    currencies: &mut Repeated<tieout_model::money::Currency>,
) -> rusqlite::Result<Record> {
    let (kind, status) = (text(row, 3)?, text(row, 10)?);
    Ok(Record {
        line: u32::try_from(row.get::<_, i64>(1)?).unwrap_or(u32::MAX),
        ledger_id: short(row, 2)?,
        kind: LedgerKind::from_name(kind).ok_or_else(|| wrong("kind", kind))?,
        date: dates.date(row, 4)?,
        amount: Minor(row.get(5)?),
        currency: currencies.currency(row, 6)?.ok_or_else(|| wrong("currency", ""))?,
        order_id: short_or_null(row, 7)?,
        reference: short_or_null(row, 8)?,
        last4: text_or_null(row, 9)?.and_then(Last4::from_digits),
        status: LedgerStatus::from_name(status).ok_or_else(|| wrong("status", status))?,
        day_not_read: false,
    })
}
