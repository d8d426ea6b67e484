//! The ledger records that matching uses, as of the prepared date.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::NaiveDate;
use rusqlite::Connection;

use super::columns::{parse_date, text};
use super::named_books::Ledgers;
use super::record_page::{self, id_hash};
use super::statement::rows;
use super::tally::Quick;
use tieout_matching::{Record, compare_names, merge_exports};
use tieout_model::{MerchantId, ShortText};

/// Ledger records by merchant, in order of date, file and line.
pub(super) type Records = BTreeMap<MerchantId, Vec<Record>>;

/// The most records that stay at hand between two dates; a store of years exceeds the memory.
const AT_HAND: usize = 250_000;

/// Records that a date of a run has read, for later dates. A record that two files hold is
/// recognized date by date, so that the records at hand can be cut at any date.
#[derive(Default)]
pub(super) struct RecordsAtHand {
    /// The files that they come from, with their seals.
    files: Vec<(i64, String)>,
    by_merchant: BTreeMap<MerchantId, Read>,
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
/// Reads file by file, in stored order: sorting in the database would write all records once more.
fn read(
    connection: &Connection,
    ledgers: &Ledgers,
    date: NaiveDate,
    since: Option<NaiveDate>,
) -> rusqlite::Result<Records> {
    let (date, since) = (date.to_string(), since.map(|since| since.to_string()));
    let mut by_file: BTreeMap<MerchantId, Vec<Vec<Record>>> =
        ledgers.keys().map(|merchant| (merchant.clone(), Vec::new())).collect();
    let mut files: Vec<(i64, String, String)> = connection
        .prepare("select file_id, ledger, path from ledger_file order by file_id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    files.sort_by(|one, other| compare_names(&one.2, &other.2));
    let mut of_file = connection.prepare(include_str!("../sql/books/records.sql"))?;
    for (file_id, ledger, _) in files {
        for (_, files) in
            by_file.iter_mut().filter(|(merchant, _)| ledgers[*merchant].name == ledger)
        {
            files.push(Vec::new());
        }
        let mut pages = of_file.query((file_id, &date, since.as_deref().unwrap_or_default()))?;
        while let Some(page) = pages.next()? {
            for read in record_page::read(parse_date("date", text(page, 0)?)?, text(page, 1)?)? {
                let (merchant, record) = read?;
                // The configuration names another ledger for this merchant.
                if ledgers.get(&merchant).is_none_or(|named| named.name != ledger) {
                    continue;
                }
                let own = by_file.get_mut(&merchant).and_then(|files| files.last_mut());
                if let Some(own) = own {
                    own.push(record);
                }
            }
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
    (merchant_id, ledger): (&MerchantId, &str),
    ids: &BTreeSet<ShortText>,
    date: &str,
) -> rusqlite::Result<HashMap<ShortText, u32>> {
    let mut found: BTreeMap<&ShortText, BTreeMap<String, Vec<Record>>> = BTreeMap::new();
    let wanted: HashSet<[u8; record_page::HASH_BYTES], Quick> =
        ids.iter().map(|id| id_hash(id)).collect();
    let mut statement = connection.prepare_cached(include_str!("../sql/books/pages_of_ids.sql"))?;
    let mut of_page = connection.prepare_cached(
        "select page.date, page.rows, file.path from ledger_page as page \
         inner join ledger_file as file using (file_id) where page.rowid = ?1",
    )?;
    let mut pages = statement.query((ledger, date))?;
    while let Some(page) = pages.next()? {
        let held = page.get_ref(1)?.as_blob()?;
        if !held.as_chunks().0.iter().any(|hash| wanted.contains(hash)) {
            continue;
        }
        let mut rows = of_page.query([page.get::<_, i64>(0)?])?;
        while let Some(row) = rows.next()? {
            for read in record_page::read(parse_date("date", text(row, 0)?)?, text(row, 1)?)? {
                let (merchant, record) = read?;
                if let Some(id) = ids.get(&record.ledger_id).filter(|_| merchant == *merchant_id) {
                    let files = found.entry(id).or_default();
                    files.entry(row.get(2)?).or_default().push(record);
                }
            }
        }
    }
    let count = |files: BTreeMap<String, Vec<Record>>| {
        u32::try_from(merge_exports(files.into_values().collect()).len()).unwrap_or(u32::MAX)
    };
    Ok(found.into_iter().map(|(id, files)| (id.clone(), count(files))).collect())
}
