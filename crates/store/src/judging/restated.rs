//! Reads records with their content when their date was reconciled, as `sql/asof/20_restated.sql`
//! compares them.

use rusqlite::Row;
use serde_json::{Map, Value};

use super::{Result, Store, all};
use crate::columns::required_merchant;
use tieout_model::MerchantId;
use tieout_model::money::Currency;

/// A record then and now.
#[derive(Clone, Debug)]
pub struct Compared {
    pub kind: String,
    pub id: String,
    /// Identifies the record on another day.
    pub subject: String,
    pub merchant_id: MerchantId,
    pub currency: Option<Currency>,
    /// The day of its group or item.
    pub batch_date: Option<String>,
    /// The date that listed it when it was reconciled.
    pub listed_on: String,
    pub order_id: String,
    pub before: Map<String, Value>,
    pub after: Map<String, Value>,
    pub fate: Fate,
}

/// Where the record is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Listed,
    Vanished,
    /// It left its listing, and the request by its id failed.
    Unknown,
}

/// A listing that was to be read again and could not be.
pub struct UnreadAgain {
    pub merchant_id: MerchantId,
    pub resource: String,
    pub selector: String,
    pub scope: String,
    pub business_date: String,
    pub error: String,
}

/// The records of this and earlier dates that differ, as of the prepared date, from their content when
/// their own date was reconciled, and those that are delisted: settlement records first, then bank
/// transfers.
///
/// # Errors
/// When the statement fails, or the store holds a value that this version does not write.
pub fn compared(store: &Store) -> Result<Vec<Compared>> {
    let records = "select * from temp.restated_records order by kind, subject";
    let transfers = "select * from temp.restated_transfers order by kind, id";
    let mut compared: Vec<Compared> = all(store, records, [], settlement_record)?;
    compared.extend(all::<_, Vec<_>>(store, transfers, [], bank_transfer)?);
    Ok(compared)
}

/// The listings that could not be read again.
pub fn unread_again(store: &Store) -> Result<Vec<UnreadAgain>> {
    let sql =
        "select * from temp.restated_unread order by resource, selector, business_date, scope";
    all(store, sql, [], |row| {
        Ok(UnreadAgain {
            merchant_id: required_merchant(row, "merchant_id")?,
            resource: row.get("resource")?,
            selector: row.get("selector")?,
            scope: row.get("scope")?,
            business_date: row.get("business_date")?,
            error: row
                .get::<_, Option<String>>("error")?
                .unwrap_or_else(|| "its reading was interrupted".to_owned()),
        })
    })
}

fn object(row: &Row<'_>, column: &str) -> rusqlite::Result<Map<String, Value>> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, error.into())
    })
}

fn settlement_record(row: &Row<'_>) -> rusqlite::Result<Compared> {
    let kind: String = row.get("kind")?;
    let before = object(row, "before")?;
    let is_gone: bool = row.get("is_gone")?;
    let day = if kind == "deposit" { "association_date" } else { "batch_date" };
    Ok(Compared {
        batch_date: before.get(day).and_then(Value::as_str).map(str::to_owned),
        currency: row
            .get::<_, Option<String>>("currency")?
            .and_then(|code| Currency::from_code(&code)),
        id: row.get("id")?,
        subject: row.get("subject")?,
        merchant_id: required_merchant(row, "merchant_id")?,
        listed_on: row.get("day")?,
        order_id: String::new(),
        after: object(row, "after")?,
        fate: if is_gone { Fate::Vanished } else { Fate::Listed },
        before,
        kind,
    })
}

fn bank_transfer(row: &Row<'_>) -> rusqlite::Result<Compared> {
    let (mut before, mut after) = (object(row, "before")?, object(row, "after")?);
    let run_before: Option<String> = row.get("run_before")?;
    let run_after: Option<String> = row.get("run_after")?;
    let settled_before: Option<String> = row.get("settled_before")?;
    let settled_after: Option<String> = row.get("settled_after")?;
    let is_lost: bool = row.get("is_lost")?;
    let looked_up: Option<String> = row.get("looked_up")?;
    // The ordinary life of a bank transfer is not a restatement.
    if row.get::<_, bool>("has_left_final_state")? {
        before.insert("status".to_owned(), Value::from("complete"));
    } else {
        before.remove("status");
    }
    let listed_on = settled_before.clone().or(run_before.clone()).unwrap_or_default();
    let mut set = |before_is: Option<String>, after_is: Option<String>, name: &str| {
        before.insert(name.to_owned(), Value::from(before_is));
        after.insert(name.to_owned(), Value::from(after_is));
    };
    set(run_before, run_after, "run_date");
    // A transfer settles once: when its settled listing no longer holds it, it has another date or
    // none.
    let settled_after = settled_after.or_else(|| is_lost.then(|| "none".to_owned()));
    set(settled_before, settled_after, "settlement_date");
    let (kind, id): (String, String) = (row.get("kind")?, row.get("id")?);
    Ok(Compared {
        subject: format!("{kind}/{id}"),
        kind,
        id,
        merchant_id: required_merchant(row, "merchant_id")?,
        currency: before.get("currency").and_then(Value::as_str).and_then(Currency::from_code),
        batch_date: Some(listed_on.clone()).filter(|date| !date.is_empty()),
        listed_on,
        order_id: row.get::<_, Option<String>>("order_id")?.unwrap_or_default(),
        before,
        after,
        fate: match looked_up.as_deref() {
            Some("missing") if is_lost => Fate::Vanished,
            Some("unknown") if is_lost => Fate::Unknown,
            _ => Fate::Listed,
        },
    })
}
