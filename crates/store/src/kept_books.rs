//! The state of the merchants' books that is kept from one date to the next, and whether it still
//! holds: facts may have changed, and new entries may share names with entries that are not loaded.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Transaction};

use super::columns::{date_column, merchant_column, required_date};
use super::statement::rows;
use super::tally::hash;
use super::{Store, StoreError, While, book_records};
use tieout_matching::{Kept, Names};
use tieout_model::{MerchantId, ShortText, TransferKind};

const READING: &str = "reading the snapshot of the books";
const KEEPING: &str = "saving the snapshot of the books";

/// The state kept of a merchant when a date is done.
#[derive(Debug)]
pub struct KeptBooks {
    pub merchant_id: MerchantId,
    /// Identifies the inputs besides the facts: state that was made for another value is not used.
    pub made_for: String,
    pub seen: Seen,
    pub kept: Kept,
    pub names: Names,
}

/// The newest reading and ledger change that were taken into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seen {
    pub reading_id: i64,
    pub change_id: i64,
}

/// A date with kept state.
#[derive(Clone, Copy, Debug)]
pub struct KeptDate {
    pub date: NaiveDate,
    pub seen: Seen,
}

/// Facts that have changed since a reading.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Days whose items have changed.
    pub days: BTreeSet<NaiveDate>,
    pub transfers: Vec<ChangedTransfer>,
    /// A change whose day is not known.
    pub is_unclear: bool,
}

/// A bank transfer whose content has changed, or that is in another listing.
#[derive(Clone, Debug)]
pub struct ChangedTransfer {
    pub kind: TransferKind,
    pub transfer_id: ShortText,
    pub merchant_id: Option<MerchantId>,
    /// It entered or left a settled listing, or is no longer known.
    pub moved: bool,
    pub is_represented: bool,
    pub settled_day: Option<NaiveDate>,
}

/// A listing that was read again with another content.
struct ReadAgain {
    listing_id: i64,
    selector: String,
    scope: String,
    date: String,
    /// Whether it is complete now and was complete before.
    is_whole: bool,
}

/// The side that carries a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameOf {
    Items,
    Records,
}

/// The processor's records that carry an id which a ledger record names.
#[derive(Clone, Debug, Default)]
pub struct CarriesId {
    /// The latest day of a card transaction.
    pub card_day: Option<NaiveDate>,
    pub transfers: BTreeSet<TransferKind>,
    pub is_return: bool,
    /// Whether it is a payment that came back.
    pub came_back: bool,
}

/// The newest reading and ledger change in the store. A reading under way counts once it is
/// complete.
///
/// # Errors
/// When the store refuses.
pub fn seen(store: &Store) -> Result<Seen, StoreError> {
    let sql = "select coalesce(
            (select min(reading_id) - 1 from reading where verdict = 'reading'),
            (select max(reading_id) from reading),
            0
        ), coalesce((select max(change_id) from ledger_change), 0)";
    store
        .connection
        .query_row(sql, [], |row| Ok(Seen { reading_id: row.get(0)?, change_id: row.get(1)? }))
        .during(READING)
}

/// The days before the start date that are known for a merchant, joined with commas.
///
/// # Errors
/// When the store refuses.
pub fn early_days_of(store: &Store, merchant_id: &MerchantId) -> Result<String, StoreError> {
    let sql = "select coalesce(group_concat(day), '') from ( \
               select day from temp.paid_days_before_start where merchant_id = ?1 order by day)";
    store.connection.query_row(sql, [merchant_id.as_str()], |row| row.get(0)).during(READING)
}

/// The dates before `date` with kept state, the latest first.
///
/// # Errors
/// When the store refuses.
pub fn dates(
    store: &Store,
    merchant_id: &MerchantId,
    made_for: &str,
    date: NaiveDate,
) -> Result<Vec<KeptDate>, StoreError> {
    rows(
        &store.connection,
        "select business_date, reading_id, change_id from kept_books \
             where merchant_id = ?1 and made_for = ?2 and business_date < ?3 \
             order by business_date desc",
        (merchant_id.as_str(), made_for, date.to_string()),
        |row| {
            let seen = Seen { reading_id: row.get(1)?, change_id: row.get(2)? };
            Ok(KeptDate { date: required_date(row, "business_date")?, seen })
        },
    )
    .during(READING)
}

/// The state kept of a date; `None` when there is none or it cannot be decoded.
///
/// # Errors
/// When the store refuses.
pub fn of_date(
    store: &Store,
    merchant_id: &MerchantId,
    date: NaiveDate,
) -> Result<Option<Kept>, StoreError> {
    let content: Option<Vec<u8>> = store
        .connection
        .query_row(
            "select content from kept_books where merchant_id = ?1 and business_date = ?2",
            (merchant_id.as_str(), date.to_string()),
            |row| row.get(0),
        )
        .optional()
        .during(READING)?;
    let text = content.and_then(|content| zstd::decode_all(&*content).ok());
    Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
}

/// Keeps the state of `date`, in place of any kept before.
///
/// # Errors
/// When the store refuses.
pub fn keep(store: &mut Store, date: NaiveDate, books: &[KeptBooks]) -> Result<(), StoreError> {
    let transaction = store.connection.transaction().during(KEEPING)?;
    let date = date.to_string();
    keep_all(&transaction, &date, books).during(KEEPING)?;
    transaction.commit().during(KEEPING)
}

/// The changes since `reading_id` that concern items up to `date`.
///
/// # Errors
/// When the store refuses.
pub fn changes_since(
    store: &Store,
    reading_id: i64,
    date: NaiveDate,
) -> Result<Changes, StoreError> {
    let mut changes = Changes::default();
    let mut read = || -> rusqlite::Result<()> {
        let sql = include_str!("../sql/books/changed_listings.sql");
        let mut statement = store.connection.prepare_cached(sql)?;
        let mut rows = statement.query([reading_id])?;
        while let Some(row) = rows.next()? {
            let listing = ReadAgain {
                listing_id: row.get("listing_id")?,
                selector: row.get("selector")?,
                scope: row.get("scope")?,
                date: row.get("business_date")?,
                is_whole: row.get("is_whole")?,
            };
            if row.get::<_, String>("resource")? == "authorizations" {
                add_cards(store, &mut changes, reading_id, &listing)?;
            } else {
                add_transfers(store, &mut changes, reading_id, date, &listing)?;
            }
        }
        Ok(())
    };
    read().during(READING)?;
    Ok(changes)
}

fn add_cards(
    store: &Store,
    changes: &mut Changes,
    reading_id: i64,
    listing: &ReadAgain,
) -> rusqlite::Result<()> {
    let ReadAgain { selector, scope, date, is_whole, .. } = listing;
    if !is_whole && let Ok(day) = date.parse() {
        changes.days.insert(day);
        return Ok(());
    }
    let sql = include_str!("../sql/books/changed_cards.sql");
    let mut statement = store.connection.prepare_cached(sql)?;
    let mut rows = statement.query((selector, scope, date, reading_id))?;
    while let Some(row) = rows.next()? {
        match row.get::<_, String>("day")?.parse() {
            Ok(day) => {
                changes.days.insert(day);
            }
            Err(_) => changes.is_unclear = true,
        }
    }
    Ok(())
}

fn add_transfers(
    store: &Store,
    changes: &mut Changes,
    reading_id: i64,
    date: NaiveDate,
    listing: &ReadAgain,
) -> rusqlite::Result<()> {
    let is_settled = listing.selector == "settled";
    if is_settled
        && !listing.is_whole
        && let Ok(day) = listing.date.parse()
    {
        changes.days.insert(day);
    }
    let sql = include_str!("../sql/books/changed_transfers.sql");
    let mut statement = store.connection.prepare_cached(sql)?;
    let mut rows = statement.query((listing.listing_id, reading_id, date.to_string()))?;
    while let Some(row) = rows.next()? {
        let moved = is_settled && row.get("is_moved")?;
        if !moved && !row.get::<_, bool>("is_changed")? {
            continue;
        }
        if moved {
            changes.days.extend(listing.date.parse::<NaiveDate>());
        }
        changes.transfers.push(ChangedTransfer {
            kind: kind_of(row)?,
            transfer_id: row.get::<_, String>("transfer_id")?.into(),
            merchant_id: merchant_column(row, "merchant_id")?,
            moved,
            is_represented: row.get("is_represented")?,
            settled_day: date_column(row, "settled_day")?,
        });
    }
    let sql = include_str!("../sql/books/gone_transfers.sql");
    let mut statement = store.connection.prepare_cached(sql)?;
    let mut rows = statement.query((listing.listing_id, date.to_string()))?;
    while let Some(row) = rows.next()? {
        changes.transfers.push(ChangedTransfer {
            kind: kind_of(row)?,
            transfer_id: row.get::<_, String>("transfer_id")?.into(),
            merchant_id: merchant_column(row, "merchant_id")?,
            moved: true,
            is_represented: false,
            settled_day: date_column(row, "settled_day")?,
        });
    }
    Ok(())
}

/// The earliest date of a record of `ledger` that was added, removed or changed since.
///
/// # Errors
/// When the store refuses.
pub fn ledger_changed_since(
    store: &Store,
    ledger: &str,
    change_id: i64,
) -> Result<Option<NaiveDate>, StoreError> {
    let sql = "select min(since) as since from ledger_change \
               where ledger = ?1 and change_id > ?2";
    let mut statement = store.connection.prepare_cached(sql).during(READING)?;
    statement.query_row((ledger, change_id), |row| date_column(row, "since")).during(READING)
}

/// Whether one of `names` belongs to an item or record that was no longer kept as of `date`.
///
/// # Errors
/// When the store refuses.
pub fn is_any_name_settled(
    store: &Store,
    merchant_id: &MerchantId,
    of: NameOf,
    names: &mut dyn Iterator<Item = ShortText>,
    date: NaiveDate,
) -> Result<bool, StoreError> {
    let sql = "select business_date <= ?2 from kept_name where name = ?1";
    let mut statement = store.connection.prepare_cached(sql).during(READING)?;
    let date = date.to_string();
    for name in names {
        let found: Option<bool> = statement
            .query_row((name_hash(merchant_id, of, &name), &date), |row| row.get(0))
            .optional()
            .during(READING)?;
        if found == Some(true) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The merchants with an item after `since` that shares an authorization or a transaction with
/// an older one.
///
/// # Errors
/// When the store refuses.
pub fn joined_before(
    store: &Store,
    since: NaiveDate,
    date: NaiveDate,
) -> Result<BTreeSet<Option<MerchantId>>, StoreError> {
    let sql = include_str!("../sql/books/joined_before.sql");
    let dates = (since.to_string(), date.to_string());
    rows(&store.connection, sql, dates, |row| merchant_column(row, 0)).during(READING)
}

/// How many records of a merchant up to `date` carry each of these ledger ids.
///
/// # Errors
/// When the store refuses.
pub fn count_ledger_ids(
    store: &Store,
    (merchant_id, ledger): (&MerchantId, &str),
    ids: &BTreeSet<ShortText>,
    date: NaiveDate,
) -> Result<HashMap<ShortText, u32>, StoreError> {
    book_records::count_ids(&store.connection, (merchant_id, ledger), ids, &date.to_string())
        .during(READING)
}

/// The records of the merchant that carry `id`.
///
/// # Errors
/// When the store refuses.
pub fn known_id(store: &Store, merchant: &MerchantId, id: &str) -> Result<CarriesId, StoreError> {
    let number = id.parse::<i64>().ok();
    let mut found = CarriesId::default();
    let mut read = || -> rusqlite::Result<()> {
        let sql = include_str!("../sql/books/known_id.sql");
        let mut statement = store.connection.prepare_cached(sql)?;
        let mut rows = statement.query((id, number))?;
        while let Some(row) = rows.next()? {
            if merchant_column(row, "merchant_id")?.is_some_and(|own| own != *merchant) {
                continue;
            }
            match row.get::<_, String>("what")?.as_str() {
                "card" => found.card_day = found.card_day.max(date_column(row, "day")?),
                "return" => found.is_return = true,
                what => {
                    found.came_back |= what == "returned transfer";
                    found.transfers.insert(kind_of(row)?);
                }
            }
        }
        Ok(())
    };
    read().during(READING)?;
    Ok(found)
}

fn kind_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<TransferKind> {
    let kind: String = row.get("kind")?;
    Ok(if kind == "payment" { TransferKind::Payment } else { TransferKind::Refund })
}

fn keep_all(
    transaction: &Transaction<'_>,
    date: &str,
    books: &[KeptBooks],
) -> rusqlite::Result<()> {
    transaction.execute("delete from kept_books where business_date = ?1", [date])?;
    let mut keep = transaction.prepare_cached(
        "insert into kept_books (merchant_id, business_date, reading_id, change_id, made_for, \
         content) values (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut forget =
        transaction.prepare_cached(include_str!("../sql/ingest/forget_kept_books.sql"))?;
    let mut name = transaction.prepare_cached(
        "insert into kept_name (name, business_date) values (?1, ?2) on conflict (name) \
         do update set business_date = min(business_date, excluded.business_date)",
    )?;
    for one in books {
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
            rusqlite::Error::ToSqlConversionFailure(error)
        };
        let text = serde_json::to_vec(&one.kept).map_err(|error| failed(error.into()))?;
        let content = zstd::encode_all(&*text, 1).map_err(|error| failed(error.into()))?;
        let Seen { reading_id, change_id } = one.seen;
        let merchant_id = one.merchant_id.as_str();
        keep.execute((merchant_id, date, reading_id, change_id, &one.made_for, content))?;
        forget.execute((merchant_id, date))?;
        let sides =
            [(NameOf::Items, &one.names.of_items), (NameOf::Records, &one.names.of_records)];
        for (of, names) in sides {
            let mut hashes: Vec<i64> =
                names.iter().map(|text| name_hash(&one.merchant_id, of, text)).collect();
            hashes.sort_unstable();
            for hash in hashes {
                name.execute((hash, date))?;
            }
        }
    }
    Ok(())
}

/// The hash under which a name is stored: a collision only costs time.
#[expect(
    clippy::cast_possible_wrap,
    reason = "SQLite has no unsigned integers; only equality counts"
)]
fn name_hash(merchant_id: &MerchantId, of: NameOf, name: &str) -> i64 {
    hash(&(merchant_id.as_str(), of == NameOf::Records, name)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_past_few_dates_stay_and_each_way_back_leads_to_one() {
        let store = Store::in_memory().unwrap();
        let connection = store.connection();
        let keep = "insert into kept_books (merchant_id, business_date, reading_id, change_id, \
                    made_for, content) values ('1', ?1, 1, 1, '', x'')";
        let forget = include_str!("../sql/ingest/forget_kept_books.sql");
        let first: NaiveDate = "2026-01-01".parse().unwrap();
        for date in first.iter_days().take(300) {
            connection.execute(keep, [date.to_string()]).unwrap();
            connection.execute(forget, ("1", date.to_string())).unwrap();
            let kept = |days: u64| dates(&store, &"1".into(), "", date - chrono::Days::new(days));
            assert!(kept(0).unwrap().len() <= 22, "{date}");
            for days in [0, 10, 40, 100] {
                let before = date - chrono::Days::new(days);
                let latest = kept(days).unwrap().first().map(|one| one.date);
                let is_near = latest.is_some_and(|one| before - chrono::Days::new(11) <= one);
                assert!(is_near || before <= first, "{date}, {days} days back: {latest:?}");
            }
        }
    }
}
