//! Facts in the store that decide which further listings a fetch reads.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Row};

use super::columns::{merchant_column, parse_date, required_date, required_merchant, wrong};
use super::days;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::{BatchId, DepositId, GroupKey, Listing, MerchantId, TerminalId, TransferId};

/// How far a stretch of an interrupted reading had come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StretchState {
    /// Cursors that its pages named for the pages after them, oldest first.
    pub cursors: Vec<String>,
    /// Pages stored; its listing ended with the last of them when there are as many cursors less
    /// one.
    pub pages: usize,
    /// The JSON of its first page, without private fields.
    pub first: Vec<u8>,
    /// The same of its last page.
    pub last: Vec<u8>,
}

/// A deposit paid on a date and the group that it pays for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidDeposit {
    pub ach_deposit_id: DepositId,
    pub group: Option<GroupKey>,
}

/// The days on which payments of each terminal came back.
#[derive(Clone, Debug, Default)]
pub struct ReturnDays {
    days: BTreeMap<TerminalId, BTreeSet<NaiveDate>>,
}

impl ReturnDays {
    /// The earliest return on one of `terminals` from `first` to the day before `end`.
    pub fn earliest(
        &self,
        terminals: &[TerminalId],
        first: NaiveDate,
        end: NaiveDate,
    ) -> Option<NaiveDate> {
        terminals
            .iter()
            .filter_map(|terminal| self.days.get(terminal)?.range(first..end).next().copied())
            .min()
    }
}

const PLANNING: &str = "planning the listings to read";

/// The listing by date that a row names by its key.
pub(super) fn listing_of(row: &Row<'_>) -> rusqlite::Result<Listing> {
    let resource: String = row.get("resource")?;
    let selector: String = row.get("selector")?;
    let scope: String = row.get("scope")?;
    let date = required_date(row, "business_date")?;
    Listing::from_key(&resource, &selector, &scope, Some(date))
        .ok_or_else(|| wrong("listing", &format!("{resource} by {selector}")))
}

/// The deposits paid on `date`.
pub fn deposits_of_date(store: &Store, date: NaiveDate) -> Result<Vec<PaidDeposit>, StoreError> {
    let sql = include_str!("../sql/plan/deposits_of_date.sql");
    rows(&store.connection, sql, [date.to_string()], |row| {
        let merchant = merchant_column(row, "merchant_id")?;
        let batch_date = super::columns::date_column(row, "association_date")?;
        Ok(PaidDeposit {
            ach_deposit_id: DepositId(row.get("ach_deposit_id")?),
            group: merchant
                .zip(batch_date)
                .map(|(merchant_id, batch_date)| GroupKey { merchant_id, batch_date }),
        })
    })
    .during(PLANNING)
}

/// The deposits of `group` that were paid before `date`, and when.
pub fn deposits_of_group(
    store: &Store,
    group: &GroupKey,
    date: NaiveDate,
) -> Result<Vec<(DepositId, NaiveDate)>, StoreError> {
    let key = (group.merchant_id.as_str(), group.batch_date.to_string(), date.to_string());
    rows(&store.connection, include_str!("../sql/plan/deposits_of_group.sql"), key, |row| {
        let day: String = row.get("day")?;
        Ok((DepositId(row.get("ach_deposit_id")?), parse_date("day", &day)?))
    })
    .during(PLANNING)
}

/// Deposits that fees of `date` name and that are not stored.
pub fn deposits_to_look_up(store: &Store, date: NaiveDate) -> Result<Vec<DepositId>, StoreError> {
    let sql = include_str!("../sql/plan/deposits_to_look_up.sql");
    rows(&store.connection, sql, [date.to_string()], |row| row.get(0).map(DepositId))
        .during(PLANNING)
}

/// Deposits that hold what was on hold from `first` to `last`, and that are not stored.
pub fn released_deposits(
    store: &Store,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<DepositId>, StoreError> {
    let sql = include_str!("../sql/plan/released_deposits.sql");
    rows(&store.connection, sql, (first.to_string(), last.to_string()), |row| {
        row.get(0).map(DepositId)
    })
    .during(PLANNING)
}

/// The listings of the days from `from` to the day before `end` that an earlier run did not read
/// completely, with the day of each: listings by date, then those that were requested on behalf of
/// a date, the newest first.
pub fn failed_listings(
    store: &Store,
    from: NaiveDate,
    end: NaiveDate,
) -> Result<Vec<(Listing, NaiveDate)>, StoreError> {
    let sql = include_str!("../sql/plan/failed_listings.sql");
    rows(&store.connection, sql, (from.to_string(), end.to_string()), |row| {
        Ok((listing_of(row)?, required_date(row, "business_date")?))
    })
    .during(PLANNING)
}

/// The days from `from` on whose facts have changed since the dates before `date` were judged:
/// `date` reports the records that they missed, and those that a later reading changed.
pub fn late_days(
    store: &Store,
    date: NaiveDate,
    from: NaiveDate,
) -> Result<Vec<NaiveDate>, StoreError> {
    let Some(previous) = days::previous_reconciled(store, date)? else { return Ok(Vec::new()) };
    let [date, previous, from] = [date, previous, from].map(|day| day.to_string());
    let missed = store.query_of(include_str!("../sql/plan/late_days.sql")).during(PLANNING)?;
    let changed = include_str!("../sql/plan/changed_content_days.sql");
    let day = |row: &Row<'_>| required_date(row, "day");
    let mut days: BTreeSet<NaiveDate> =
        rows(&store.connection, missed, [&date, &previous, &from], day).during(PLANNING)?;
    let changed: Vec<NaiveDate> =
        rows(&store.connection, changed, [&previous, &from], day).during(PLANNING)?;
    days.extend(changed);
    Ok(days.into_iter().collect())
}

/// Payments that refunds listed for `date` name and that are not stored.
pub fn payments_to_look_up(store: &Store, date: NaiveDate) -> Result<Vec<TransferId>, StoreError> {
    let sql = include_str!("../sql/plan/payments_to_look_up.sql");
    rows(&store.connection, sql, [date.to_string()], |row| {
        row.get::<_, String>(0).map(TransferId::from)
    })
    .during(PLANNING)
}

/// The merchant-days before `start` that deposits from `from` to the day before `end` pay for,
/// and when.
pub fn groups_before_start(
    store: &Store,
    from: NaiveDate,
    end: NaiveDate,
    start: NaiveDate,
) -> Result<Vec<(GroupKey, NaiveDate)>, StoreError> {
    let days = [from, end, start].map(|day| day.to_string());
    let sql = include_str!("../sql/plan/groups_before_start.sql");
    rows(&store.connection, sql, days, |row| {
        let group = GroupKey {
            merchant_id: required_merchant(row, "merchant_id")?,
            batch_date: required_date(row, "association_date")?,
        };
        Ok((group, required_date(row, "day")?))
    })
    .during(PLANNING)
}

/// The merchant-days before `start` that deposits of `date` may pay for beside the date that
/// they name, since they do not agree with its batches.
pub fn neighbours_before_start(
    store: &Store,
    date: NaiveDate,
    start: NaiveDate,
) -> Result<Vec<GroupKey>, StoreError> {
    let sql = include_str!("../sql/plan/neighbours_before_start.sql");
    rows(&store.connection, sql, [date, start].map(|day| day.to_string()), |row| {
        Ok(GroupKey {
            merchant_id: required_merchant(row, "merchant_id")?,
            batch_date: required_date(row, "day")?,
        })
    })
    .during(PLANNING)
}

/// The terminal of a bank transfer that was looked up by its id; `None` when no reading has
/// brought it.
pub fn terminal_of(store: &Store, listing: &Listing) -> Result<Option<TerminalId>, StoreError> {
    let mut statement = store
        .connection()
        .prepare_cached(include_str!("../sql/plan/terminal_of.sql"))
        .during(PLANNING)?;
    let (_, id, _) = listing.key();
    let found = statement.query_row((listing.resource.as_str(), id), |row| {
        Ok(TerminalId::from(row.get::<_, String>("terminal_id")?))
    });
    found.optional().during(PLANNING)
}

/// The merchant-days with batches from `first` to `last`.
pub fn batch_groups(
    store: &Store,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<GroupKey>, StoreError> {
    group_keys(store, include_str!("../sql/plan/batch_groups.sql"), first, last)
}

/// The merchant-days whose batches were in transit when `date` closed.
pub fn groups_in_transit(store: &Store, date: NaiveDate) -> Result<Vec<GroupKey>, StoreError> {
    group_keys(store, include_str!("../sql/plan/groups_in_transit.sql"), date, date)
}

/// The merchant-days of deposits paid up to `date` that hold transactions of the dates from `first`
/// to `date`.
pub fn linked_groups(
    store: &Store,
    first: NaiveDate,
    date: NaiveDate,
) -> Result<Vec<GroupKey>, StoreError> {
    group_keys(store, include_str!("../sql/plan/linked_groups.sql"), first, date)
}

/// The groups whose transactions the deposits of `group` hold, as far as they were read.
pub fn groups_held_with(store: &Store, group: &GroupKey) -> Result<Vec<GroupKey>, StoreError> {
    let mut statement = store
        .connection()
        .prepare_cached(include_str!("../sql/plan/days_held_with.sql"))
        .during(PLANNING)?;
    let (merchant_id, day) = (group.merchant_id.as_str(), group.batch_date.to_string());
    let rows = statement.query_map((merchant_id, day), |row| {
        let batch_date = required_date(row, "day")?;
        Ok(GroupKey { merchant_id: group.merchant_id.clone(), batch_date })
    });
    rows.and_then(Iterator::collect).during(PLANNING)
}

fn group_keys(
    store: &Store,
    sql: &str,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<GroupKey>, StoreError> {
    rows(&store.connection, sql, (first.to_string(), last.to_string()), |row| {
        Ok(GroupKey {
            merchant_id: required_merchant(row, "merchant_id")?,
            batch_date: parse_date("day", &row.get::<_, String>("day")?)?,
        })
    })
    .during(PLANNING)
}

/// Whether the group has a batch, as far as it was read.
pub fn has_batch(store: &Store, group: &GroupKey) -> Result<bool, StoreError> {
    store
        .connection()
        .prepare_cached(include_str!("../sql/plan/has_batch.sql"))
        .and_then(|mut statement| {
            statement.query_row((group.merchant_id.as_str(), group.batch_date.to_string()), |row| {
                row.get(0)
            })
        })
        .during(PLANNING)
}

/// Whether `date` has card transactions that no deposit held when they were read.
pub fn has_unlinked(store: &Store, date: NaiveDate) -> Result<bool, StoreError> {
    store
        .connection()
        .prepare_cached(include_str!("../sql/plan/has_unlinked.sql"))
        .and_then(|mut statement| statement.query_row([date.to_string()], |row| row.get(0)))
        .during(PLANNING)
}

/// The batches of `date` with the number of transactions that their headers announce.
pub fn batch_sizes(store: &Store, date: NaiveDate) -> Result<Vec<(BatchId, u64)>, StoreError> {
    let sql = include_str!("../sql/plan/batch_sizes.sql");
    rows(&store.connection, sql, [date.to_string()], |row| {
        let announced: i64 = row.get("transactions")?;
        Ok((BatchId(row.get("batch_id")?), announced.unsigned_abs()))
    })
    .during(PLANNING)
}

/// The merchants of the deposits and batches of `date`.
pub fn merchants_of(store: &Store, date: NaiveDate) -> Result<Vec<MerchantId>, StoreError> {
    let sql = include_str!("../sql/plan/merchants_of.sql");
    rows(&store.connection, sql, [date.to_string()], |row| required_merchant(row, 0))
        .during(PLANNING)
}

/// The stretches of an interrupted reading, by their number; none for one without a page.
pub fn stretches(
    store: &Store,
    reading_id: i64,
) -> Result<BTreeMap<usize, StretchState>, StoreError> {
    let mut statement = store
        .connection()
        .prepare_cached(include_str!("../sql/plan/stretch_pages.sql"))
        .during(PLANNING)?;
    let mut rows = statement.query([reading_id]).during(PLANNING)?;
    let mut stretches: BTreeMap<usize, StretchState> = BTreeMap::new();
    while let Some(row) = rows.next().during(PLANNING)? {
        let stretch: i64 = row.get("part").during(PLANNING)?;
        let next: Option<String> = row.get("next").during(PLANNING)?;
        let content: Option<Vec<u8>> = row.get("content").during(PLANNING)?;
        let state = stretches.entry(usize::try_from(stretch).unwrap_or_default()).or_default();
        state.pages += 1;
        state.cursors.extend(next);
        let Some(packed) = content else { continue };
        // A page that cannot be unpacked gives no JSON: then its stretch is read to the end.
        state.last = zstd::decode_all(packed.as_slice()).unwrap_or_default();
        if state.pages == 1 {
            state.first.clone_from(&state.last);
        }
    }
    Ok(stretches)
}

/// The days from `first` to the day before `end` on which payments came back, by terminal.
pub fn return_days(
    store: &Store,
    first: NaiveDate,
    end: NaiveDate,
) -> Result<ReturnDays, StoreError> {
    let mut statement = store
        .connection()
        .prepare_cached(include_str!("../sql/plan/return_days.sql"))
        .during(PLANNING)?;
    let rows = statement
        .query_map((first.to_string(), end.to_string()), |row| {
            let day = parse_date("return_date", &row.get::<_, String>("return_date")?)?;
            Ok((TerminalId::from(row.get::<_, String>("terminal_id")?), day))
        })
        .during(PLANNING)?;
    let mut days = ReturnDays::default();
    for row in rows {
        let (terminal, day) = row.during(PLANNING)?;
        days.days.entry(terminal).or_default().insert(day);
    }
    Ok(days)
}
