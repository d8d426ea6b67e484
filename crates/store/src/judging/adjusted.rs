//! Reads the inputs that `sql/asof/21_adjustments.sql` prepares for explaining adjustments: groups,
//! movements of disputes, and balances below zero.

use std::collections::BTreeSet;
use tieout_model::{DepositId, DisputeId, MerchantId};

use chrono::NaiveDate;
use rusqlite::Row;

use super::{Result, Store, all};
use crate::columns::{parse_date, required_date, required_merchant};

/// A group with the part of its adjustment that returned bank transfers do not explain.
pub struct Group {
    pub merchant_id: MerchantId,
    pub batch_date: String,
    pub currency: String,
    pub left: i64,
    pub deposits: Vec<AdjustedDeposit>,
}

/// A deposit of a group whose adjustment is known.
#[derive(Clone, Debug)]
pub struct AdjustedDeposit {
    pub id: DepositId,
    pub sent: NaiveDate,
    pub paid: NaiveDate,
    pub adjustment: i64,
}

/// One side of a dispute and the days on which it can have moved money after one of its statuses.
pub struct Movement {
    pub dispute_id: DisputeId,
    /// `debit`, `credit` or `part`.
    pub side: String,
    /// Numbers the movements of one side: a dispute can go back and forth.
    pub turn: i64,
    pub window: (NaiveDate, NaiveDate),
    pub amount: Option<i64>,
    pub fee: Option<i64>,
}

/// A balance below zero of a merchant.
pub struct BelowZero {
    pub batch_date: String,
    pub deposit: Option<DepositId>,
    pub batch_ids: String,
    pub owed: i64,
    pub after: NaiveDate,
    pub until: NaiveDate,
}

/// The groups with an unexplained rest, in order of their first dates.
pub fn groups(store: &Store) -> Result<Vec<Group>> {
    let sql = "select merchant_id, batch_date, currency, left_minor, deposits \
               from temp.adjusted_groups order by merchant_id, batch_date, currency";
    all(store, sql, [], |row| {
        let joined: Option<String> = row.get("deposits")?;
        let each = joined.iter().flat_map(|all| all.split(';')).filter_map(deposit);
        Ok(Group {
            merchant_id: required_merchant(row, "merchant_id")?,
            batch_date: row.get("batch_date")?,
            currency: row.get("currency")?,
            left: row.get("left_minor")?,
            deposits: each.collect::<rusqlite::Result<_>>()?,
        })
    })
}

/// A deposit of `id/sent/paid/adjustment`; one whose adjustment is unknown makes the sum unknown as
/// well, and is left out.
fn deposit(joined: &str) -> Option<rusqlite::Result<AdjustedDeposit>> {
    let fields: Vec<&str> = joined.split('/').collect();
    let [id, sent, paid, adjustment] = fields[..] else { return None };
    let dates =
        parse_date("deposits", sent).and_then(|sent| Ok((sent, parse_date("deposits", paid)?)));
    Some(dates.map(|(sent, paid)| AdjustedDeposit {
        id: DepositId(id.parse().unwrap_or_default()),
        sent,
        paid,
        adjustment: adjustment.parse().unwrap_or_default(),
    }))
}

/// The movements of a merchant's disputes in a currency, including disputes without a currency; in
/// order of dispute, side and date.
pub fn movements(store: &Store, merchant: &MerchantId, currency: &str) -> Result<Vec<Movement>> {
    let sql = "select dispute_id, side, turn, status_date, until_date, amount_minor, fee_minor \
               from temp.dispute_movements \
               where merchant_id = ?1 and coalesce(currency, ?2) = ?2 \
               order by dispute_id, side, turn, status_date";
    all(store, sql, (merchant.as_str(), currency), |row| {
        Ok(Movement {
            dispute_id: row.get("dispute_id").map(DisputeId)?,
            side: row.get("side")?,
            turn: row.get("turn")?,
            window: (required_date(row, "status_date")?, required_date(row, "until_date")?),
            amount: row.get("amount_minor")?,
            fee: row.get("fee_minor")?,
        })
    })
}

/// Disputes of a merchant whose outcome or owner is not known: the id and the first date.
pub fn unclear_disputes(
    store: &Store,
    merchant: &MerchantId,
) -> Result<Vec<(DisputeId, NaiveDate)>> {
    let sql = "select dispute_id, first_date from temp.disputes \
               where merchant_id = ?1 and not is_read and verdict in ('waits', 'undecided') \
               order by dispute_id";
    let read = |row: &Row<'_>| {
        Ok((row.get("dispute_id").map(DisputeId)?, required_date(row, "first_date")?))
    };
    all(store, sql, [merchant.as_str()], read)
}

/// The earliest day of a group with an unexplained rest.
///
/// # Errors
/// When the statement fails, or there is no such group.
pub fn first_adjusted(store: &Store) -> Result<NaiveDate> {
    let sql = "select min(substr(batch_date, 1, 10)) as first from temp.adjusted_groups";
    Ok(store.connection.query_row(sql, [], |row| required_date(row, "first"))?)
}

/// The days from `first` to `last` whose disputes were read.
pub fn days_with_disputes(
    store: &Store,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<BTreeSet<NaiveDate>> {
    let sql = "select business_date from temp.complete_listing where resource = 'disputes' \
               and selector = 'date' and business_date between ?1 and ?2";
    let dates = (first.to_string(), last.to_string());
    all(store, sql, dates, |row| required_date(row, "business_date"))
}

/// The balances below zero of a merchant in a currency.
pub fn below_zero(store: &Store, merchant: &MerchantId, currency: &str) -> Result<Vec<BelowZero>> {
    let sql = "select batch_date, ach_deposit_id, batch_ids, owed_minor, after_date, until_date \
               from temp.below_zero where merchant_id = ?1 and currency = ?2 \
               order by after_date, batch_date, ach_deposit_id";
    all(store, sql, (merchant.as_str(), currency), |row| {
        Ok(BelowZero {
            batch_date: row.get("batch_date")?,
            deposit: row.get::<_, Option<_>>("ach_deposit_id")?.map(DepositId),
            batch_ids: row.get("batch_ids")?,
            owed: row.get("owed_minor")?,
            after: required_date(row, "after_date")?,
            until: required_date(row, "until_date")?,
        })
    })
}

/// A bank transfer that came back, and the group that its own date belongs to.
pub struct LateReturn {
    pub id: String,
    pub group_date: String,
    pub date: NaiveDate,
    /// The last day of a deposit that can deduct it.
    pub until: NaiveDate,
    pub amount: i64,
    /// Whether that group has no deposit yet.
    pub is_unpaid: bool,
}

/// The returned bank transfers of a merchant in a currency, in order of date and id.
pub fn late_returns(
    store: &Store,
    merchant: &MerchantId,
    currency: &str,
) -> Result<Vec<LateReturn>> {
    let sql = "select return_id, group_date, return_date, until_date, amount_minor, is_unpaid \
               from temp.late_returns \
               where merchant_id = ?1 and currency = ?2 order by return_date, return_id";
    all(store, sql, (merchant.as_str(), currency), |row| {
        Ok(LateReturn {
            id: row.get("return_id")?,
            group_date: row.get("group_date")?,
            date: required_date(row, "return_date")?,
            until: required_date(row, "until_date")?,
            amount: row.get("amount_minor")?,
            is_unpaid: row.get("is_unpaid")?,
        })
    })
}

/// What is left of a group without a deposit that later deposits took in part falls due when no
/// deposit can take it any more.
pub fn wait_for_rests(store: &Store) -> Result<()> {
    let sql = "update temp.groups set due_date = rests.until_date, \
                   is_due = rests.until_date <= rests.business_date \
               from ( \
                   select merchant_id, batch_date, currency, business_date, \
                       max(until_date) as until_date \
                   from temp.carried_balances cross join temp.asof \
                   where ach_deposit_id is null \
                   group by merchant_id, batch_date, currency having min(rest_minor) > 0 \
               ) as rests \
               where groups.merchant_id = rests.merchant_id \
                   and groups.group_date = rests.batch_date and groups.currency = rests.currency";
    store.connection.execute(sql, [])?;
    Ok(())
}

/// Adds `sum`, which may be negative, to the returned amount of a group.
pub fn add_returned(
    store: &Store,
    merchant: &MerchantId,
    batch_date: &str,
    currency: &str,
    sum: i64,
) -> Result<()> {
    for table in ["groups", "judged_groups"] {
        let sql = format!(
            "update temp.{table} set returned_minor = returned_minor + ?4 \
             where merchant_id = ?1 and group_date = ?2 and currency = ?3"
        );
        store.connection.execute(&sql, (merchant.as_str(), batch_date, currency, sum))?;
    }
    Ok(())
}
