//! Reads results from the temporary tables of a date: the rows of the reports before their
//! verdicts, and the listings that the date rests on.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rusqlite::{Params, Row, named_params};

use crate::columns::{currency_column, minor_column, required_date, required_merchant};
use crate::listings::{ListingState, state_of};
use crate::results::read;
use crate::statement::rows;
use crate::{Store, StoreError, While};
use tieout_model::money::{Currency, Minor};
use tieout_model::{BatchRow, DepositId, DepositRow, DisputeRow, MerchantId, TransitRow};

/// A row and the facts that its verdict depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged<R> {
    pub row: R,
    /// Not fully paid and not due.
    pub is_in_transit: bool,
    /// Its merchant is checked at all.
    pub is_checked: bool,
    /// A listing that shows whether it was paid is not complete.
    pub is_unread: bool,
}

/// The figures of a merchant and currency on a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryFigures {
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    pub deposits: i64,
    pub deposited_net: Option<Minor>,
    pub batches: i64,
    pub items: i64,
    pub items_amount: Option<Minor>,
    pub is_checked: bool,
}

/// A listing by id, by deposit or by batch that could not be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedRead {
    pub resource: String,
    pub selector: String,
    pub scope: String,
    pub error: String,
}

/// Terminals that earlier dates were reconciled without, since they were not configured then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAsked {
    pub merchant_id: MerchantId,
    /// Joined with commas.
    pub terminal_ids: String,
    pub first_date: NaiveDate,
    pub last_date: NaiveDate,
}

/// The deposits paid on the prepared date.
pub fn unjudged_deposits(store: &Store) -> Result<Vec<Unjudged<DepositRow>>, StoreError> {
    select(store, include_str!("../../sql/report/deposits.sql"), [], |row| {
        Ok(Unjudged {
            row: read(row)?,
            is_in_transit: row.get::<_, Option<bool>>("is_in_transit")?.unwrap_or(false),
            is_checked: row.get("is_checked")?,
            is_unread: false,
        })
    })
}

/// The batches of the prepared date.
pub fn unjudged_batches(store: &Store) -> Result<Vec<Unjudged<BatchRow>>, StoreError> {
    select(store, include_str!("../../sql/report/batches.sql"), [], |row| {
        Ok(Unjudged {
            row: read(row)?,
            is_in_transit: row.get::<_, Option<bool>>("is_in_transit")?.unwrap_or(false),
            is_checked: row.get("is_checked")?,
            is_unread: row.get("is_unread")?,
        })
    })
}

/// The rows that are in transit as of the prepared date.
pub fn in_transit(store: &Store) -> Result<Vec<TransitRow>, StoreError> {
    select(store, include_str!("../../sql/report/in_transit.sql"), [], read)
}

/// The dates from which money is not known to have arrived, by merchant; an empty merchant stands
/// for all of them.
pub fn open_since(
    store: &Store,
    bank_days: u32,
) -> Result<Vec<(MerchantId, NaiveDate)>, StoreError> {
    let sql = include_str!("../../sql/report/open_since.sql");
    select(store, sql, named_params! { ":bank_days": bank_days }, |row| {
        Ok((required_merchant(row, "merchant_id")?, required_date(row, "day")?))
    })
}

/// The state of each dispute as of the prepared date.
pub fn dispute_rows(store: &Store) -> Result<Vec<DisputeRow>, StoreError> {
    select(store, include_str!("../../sql/report/disputes.sql"), [], read)
}

/// The figures of each merchant and currency on the prepared date.
pub fn summary_figures(store: &Store) -> Result<Vec<SummaryFigures>, StoreError> {
    select(store, include_str!("../../sql/report/summary.sql"), [], |row| {
        Ok(SummaryFigures {
            merchant_id: required_merchant(row, "merchant_id")?,
            merchant_name: row.get("merchant_name")?,
            currency: currency_column(row, "currency")?,
            deposits: row.get("deposits")?,
            deposited_net: minor_column(row, "deposited_net_minor")?,
            batches: row.get("batches")?,
            items: row.get("items")?,
            items_amount: minor_column(row, "items_amount_minor")?,
            is_checked: row.get("is_checked")?,
        })
    })
}

/// The listings that the prepared date rests on.
pub fn date_listings(store: &Store) -> Result<Vec<ListingState>, StoreError> {
    select(store, include_str!("../../sql/report/date_listings.sql"), [], state_of)
}

/// Records without a merchant listed on the prepared date: kind and id, or the words for a fee,
/// which has none.
pub fn nameless_records(store: &Store) -> Result<Vec<(String, String)>, StoreError> {
    select(store, include_str!("../../sql/report/nameless.sql"), [], |row| {
        let (id, deposit): (Option<i64>, Option<i64>) = (row.get("id")?, row.get("fee_of")?);
        let name = match (id, deposit) {
            (Some(id), _) => id.to_string(),
            (None, Some(deposit)) => format!("of deposit {deposit}"),
            (None, None) => "without a deposit".to_owned(),
        };
        Ok((row.get("kind")?, name))
    })
}

/// Every merchant with the name that the reports show and the calendar that applies.
pub fn merchant_rules(store: &Store) -> Result<BTreeMap<MerchantId, (String, String)>, StoreError> {
    select(store, "select merchant_id, name, calendar from temp.merchants", [], |row| {
        Ok((required_merchant(row, 0)?, (row.get(1)?, row.get(2)?)))
    })
}

/// The records that could not be read again in the session of `date`.
pub fn failed_reads(store: &Store, date: NaiveDate) -> Result<Vec<FailedRead>, StoreError> {
    let sql = include_str!("../../sql/report/failed_reads.sql");
    select(store, sql, [date.to_string()], |row| {
        Ok(FailedRead {
            resource: row.get("resource")?,
            selector: row.get("selector")?,
            scope: row.get("scope")?,
            error: row
                .get::<_, Option<String>>("error")?
                .unwrap_or_else(|| "no reason was kept".to_owned()),
        })
    })
}

/// Terminals whose bank transfers were not requested for dates before the prepared one, within the
/// look-back.
pub fn not_asked(store: &Store) -> Result<Vec<NotAsked>, StoreError> {
    select(store, include_str!("../../sql/report/not_asked.sql"), [], |row| {
        Ok(NotAsked {
            merchant_id: required_merchant(row, "merchant_id")?,
            terminal_ids: row.get("terminal_ids")?,
            first_date: required_date(row, "first_date")?,
            last_date: required_date(row, "last_date")?,
        })
    })
}

/// The deposits that no check of the prepared date looks at, but whose own amounts or fees differ
/// and count in its unexplained amount.
pub fn unjudged_parts(store: &Store) -> Result<Vec<DepositId>, StoreError> {
    select(store, include_str!("../../sql/plan/unjudged_parts.sql"), [], |row| {
        row.get(0).map(DepositId)
    })
}

fn select<T, C: FromIterator<T>>(
    store: &Store,
    sql: &str,
    given: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<C, StoreError> {
    store
        .query_of(sql)
        .and_then(|query| rows(&store.connection, query, given, read))
        .during("reading the results of a date")
}
