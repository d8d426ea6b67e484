//! The ledger records that matching is given, as of the prepared date.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, Row};

use super::books::Ledgers;
use super::columns::wrong;
use super::columns::{Repeated, short, short_or_null, text, text_or_null};
use tieout_matching::{Last4, Record, merge_exports};
use tieout_model::money::Minor;
use tieout_model::{LedgerKind, LedgerStatus, ShortText};

/// Ledger records by merchant, in order of date, file and line.
pub(super) type Records = BTreeMap<String, Vec<Record>>;

/// The records dated up to `date`, and after `since`, of each merchant in the ledger that it names.
/// Reads file by file, as they are stored: sorted by the database they would all be written once
/// more.
pub(super) fn read(
    connection: &Connection,
    ledgers: &Ledgers,
    (date, since): (&str, Option<&str>),
) -> rusqlite::Result<Records> {
    let mut by_file: BTreeMap<String, Vec<Vec<Record>>> =
        ledgers.keys().map(|merchant| (merchant.clone(), Vec::new())).collect();
    let files: Vec<(i64, String)> = connection
        .prepare("select file_id, ledger from ledger_file order by path, file_id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let sql = match since {
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
        let mut rows = match since {
            Some(since) => of_file.query((file_id, date, since))?,
            None => of_file.query((file_id, date))?,
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
