//! What matching is given, as of the prepared date: items, known bank transfers, ledger
//! records and the days that were read. Decides what an item is; never pairs anything.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::NaiveDate;
use rusqlite::{Connection, Row, named_params};

use super::outcome::{currency_column, date_column, minor_column, required_date, wrong};
use super::{Store, StoreError, While};
use crate::matching::{
    Item, ItemKind, KnownTransfer, Last4, Record, ReturnFact, TransferFacts, TransferStatus,
};
use crate::model::{LedgerKind, LedgerStatus, TransferKind};
use crate::money::{Currency, Minor};

/// Ids of an item that matching does not look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CardIds {
    pub transaction_id: Option<i64>,
    pub batch_id: Option<i64>,
}

/// One merchant's side of the books and of the processor, as of a date.
#[derive(Clone, Debug, Default)]
pub struct BookInput {
    pub items: Vec<Item>,
    /// One for each item.
    pub card_ids: Vec<CardIds>,
    pub records: Vec<Record>,
    pub transfers: Vec<KnownTransfer>,
    pub other_references: Vec<String>,
    /// Since the start date: the days on which all of its items were read.
    pub days_read: BTreeSet<NaiveDate>,
}

/// A row for the ledger checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookFinding {
    pub code: &'static str,
    pub merchant_id: String,
    pub subject: String,
    pub currency: Option<Currency>,
    pub expected: Option<i64>,
    pub actual: Option<i64>,
    pub batch_date: Option<NaiveDate>,
    pub batch_id: String,
    pub authorization_id: String,
    pub transaction_id: String,
    pub payment_id: String,
    pub refund_id: String,
    pub order_id: String,
    pub ledger_id: String,
    pub explanation: String,
    /// Why it cannot be told; `None` for a discrepancy.
    pub problem: Option<String>,
}

/// A discrepancy of a ledger check that was open when the latest earlier date closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFinding {
    pub code: String,
    pub merchant_id: String,
    pub subject: String,
    pub batch_date: Option<NaiveDate>,
}

/// A ledger check that cannot be evaluated for a merchant; an empty code is every one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BookGap {
    pub merchant_id: String,
    pub code: &'static str,
    pub reason: String,
}

const READING: &str = "reading items and ledger records";
const WRITING: &str = "handing findings to the ledger checks";

type Inputs = BTreeMap<String, BookInput>;

impl Store {
    /// Everything that matching needs as of the prepared date. `ledgers` are the merchants to
    /// match, each with the ledger that it names.
    ///
    /// # Errors
    /// When the store refuses or holds what no program of this version wrote.
    pub fn book_inputs(
        &self,
        ledgers: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, BookInput>, StoreError> {
        let connection = self.connection();
        let mut inputs: Inputs =
            ledgers.keys().map(|merchant| (merchant.clone(), BookInput::default())).collect();
        let read = || -> rusqlite::Result<Inputs> {
            let mut insert = connection
                .prepare("insert or ignore into temp.ledger_merchant (merchant_id) values (?1)")?;
            for merchant in ledgers.keys() {
                insert.execute([merchant])?;
            }
            read_days(connection, &mut inputs)?;
            read_card_items(connection, &mut inputs)?;
            let returns = read_returns(connection, &mut inputs)?;
            read_bank_transfers(connection, &mut inputs, returns)?;
            read_records(connection, &mut inputs, ledgers)?;
            Ok(inputs)
        };
        read().during(READING)
    }

    /// What the ledger checks had open when the latest earlier reconciled date closed.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn open_book_findings(&self) -> Result<Vec<OpenFinding>, StoreError> {
        let mut statement = self
            .connection()
            .prepare(include_str!("../../sql/books/open_findings.sql"))
            .during(READING)?;
        let rows = statement.query_map([], |row| {
            Ok(OpenFinding {
                code: row.get("code")?,
                merchant_id: row.get("merchant_id")?,
                subject: row.get("subject")?,
                batch_date: date_column(row, "batch_date")?,
            })
        });
        rows.and_then(Iterator::collect).during(READING)
    }

    /// Hands what matching found, and what it could not tell, to the ledger checks.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn hand_to_checks(
        &self,
        findings: &[BookFinding],
        gaps: &BTreeSet<BookGap>,
    ) -> Result<(), StoreError> {
        let connection = self.connection();
        let mut gap = connection
            .prepare_cached(
                "insert into temp.ledger_unread (merchant_id, code, reason) values (?1, ?2, ?3)",
            )
            .during(WRITING)?;
        for entry in gaps {
            gap.execute((&entry.merchant_id, entry.code, &entry.reason)).during(WRITING)?;
        }
        let mut insert = connection
            .prepare_cached(include_str!("../../sql/ingest/ledger_finding.sql"))
            .during(WRITING)?;
        for finding in findings {
            insert
                .execute(named_params! {
                    ":code": finding.code,
                    ":merchant_id": finding.merchant_id,
                    ":subject": finding.subject,
                    ":currency": finding.currency.map(Currency::code),
                    ":expected": finding.expected,
                    ":actual": finding.actual,
                    ":batch_date": finding.batch_date.map(|date| date.to_string()),
                    ":batch_id": finding.batch_id,
                    ":authorization_id": finding.authorization_id,
                    ":transaction_id": finding.transaction_id,
                    ":payment_id": finding.payment_id,
                    ":refund_id": finding.refund_id,
                    ":order_id": finding.order_id,
                    ":ledger_id": finding.ledger_id,
                    ":explanation": finding.explanation,
                    ":problem": finding.problem,
                })
                .during(WRITING)?;
        }
        Ok(())
    }
}

fn read_days(connection: &Connection, inputs: &mut Inputs) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(include_str!("../../sql/books/days_read.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let day = required_date(row, "day")?;
        if let Some(input) = inputs.get_mut(&row.get::<_, String>("merchant_id")?) {
            input.days_read.insert(day);
        }
    }
    Ok(())
}

/// Reads authorizations in order of id: the first of a transaction stands for it.
fn read_card_items(connection: &Connection, inputs: &mut Inputs) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(include_str!("../../sql/books/card_items.sql"))?;
    let mut rows = statement.query([])?;
    let mut seen: HashMap<String, HashSet<i64>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let merchant: String = row.get("merchant_id")?;
        let Some(input) = inputs.get_mut(&merchant) else { continue };
        let ids =
            CardIds { transaction_id: row.get("transaction_id")?, batch_id: row.get("batch_id")? };
        let authorization_id: i64 = row.get("authorization_id")?;
        let stands = match ids.transaction_id {
            Some(id) => seen.entry(merchant).or_default().insert(id),
            None => true,
        };
        let is_known = stands && row.get("has_transaction")? && row.get("is_day_read")?;
        let kind = match row.get::<_, Option<String>>("transaction_type")?.as_deref() {
            Some("capture") if is_known => ItemKind::Capture,
            Some("return") if is_known => ItemKind::Return,
            _ => {
                input.other_references.push(authorization_id.to_string());
                if stands {
                    input.other_references.extend(ids.transaction_id.map(|id| id.to_string()));
                }
                continue;
            }
        };
        input.items.push(card_item(row, kind, authorization_id, ids)?);
        input.card_ids.push(ids);
    }
    Ok(())
}

fn card_item(
    row: &Row<'_>,
    kind: ItemKind,
    authorization_id: i64,
    ids: CardIds,
) -> rusqlite::Result<Item> {
    let amount = minor_column(row, "amount_minor")?;
    Ok(Item {
        kind,
        item_id: ids.transaction_id.unwrap_or(authorization_id).to_string(),
        authorization_id: Some(authorization_id),
        day: required_date(row, "day")?,
        // The sign of a return's amount is not published; its size is.
        amount: if kind == ItemKind::Return { amount.and_then(Minor::checked_abs) } else { amount },
        currency: currency_column(row, "currency")?,
        order_id: None,
        last4: last4(row, "card_last4")?,
        facts: None,
        representment_of: None,
    })
}

fn last4(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Last4>> {
    Ok(row.get::<_, Option<String>>(column)?.as_deref().and_then(Last4::from_digits))
}

/// Returns by payment; the id of a return that is dated up to the business date is known.
fn read_returns(
    connection: &Connection,
    inputs: &mut Inputs,
) -> rusqlite::Result<HashMap<String, Vec<ReturnFact>>> {
    let mut statement = connection.prepare(include_str!("../../sql/books/returns.sql"))?;
    let mut rows = statement.query([])?;
    let mut returns: HashMap<String, Vec<ReturnFact>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let fact = ReturnFact {
            date: required_date(row, "return_date")?,
            is_closed: row.get("closed")?,
            is_represented: row.get("represented")?,
        };
        returns.entry(row.get("payment_id")?).or_default().push(fact);
        if let Some(input) = inputs.get_mut(&row.get::<_, String>("merchant_id")?)
            && row.get("is_dated")?
        {
            input.other_references.push(row.get("return_id")?);
        }
    }
    Ok(returns)
}

fn read_bank_transfers(
    connection: &Connection,
    inputs: &mut Inputs,
    mut returns: HashMap<String, Vec<ReturnFact>>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(include_str!("../../sql/books/bank_transfers.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(input) = inputs.get_mut(&row.get::<_, String>("merchant_id")?) else { continue };
        let transfer_id: String = row.get("transfer_id")?;
        let kind = match row.get::<_, String>("kind")?.as_str() {
            "payment" => TransferKind::Payment,
            _ => TransferKind::Refund,
        };
        if row.get("is_return")? {
            input.other_references.push(transfer_id);
            continue;
        }
        let came_back = match kind {
            TransferKind::Payment => returns.remove(&transfer_id).unwrap_or_default(),
            TransferKind::Refund => Vec::new(),
        };
        let facts = TransferFacts {
            status: TransferStatus::from_name(&row.get::<_, String>("status")?),
            returns: came_back,
        };
        let is_verification = row.get::<_, String>("transfer_type")? == "accountVerification";
        match date_column(row, "settled_day")? {
            Some(day) if !is_verification => {
                input.items.push(transfer_item(row, kind, transfer_id, day, facts)?);
                input.card_ids.push(CardIds::default());
            }
            _ => input.transfers.push(KnownTransfer {
                kind,
                transfer_id,
                // A verification moves no money: only who names it by its id means it.
                order_id: if is_verification { None } else { row.get("order_id")? },
                amount: minor_column(row, "amount_minor")?,
                currency: currency_column(row, "currency")?,
                last4: last4(row, "account_last4")?,
                run_date: date_column(row, "run_date")?,
                facts,
            }),
        }
    }
    Ok(())
}

fn transfer_item(
    row: &Row<'_>,
    kind: TransferKind,
    transfer_id: String,
    day: NaiveDate,
    facts: TransferFacts,
) -> rusqlite::Result<Item> {
    Ok(Item {
        kind: match kind {
            TransferKind::Payment => ItemKind::Payment,
            TransferKind::Refund => ItemKind::Refund,
        },
        item_id: transfer_id,
        authorization_id: None,
        day,
        amount: minor_column(row, "amount_minor")?,
        currency: currency_column(row, "currency")?,
        order_id: row.get("order_id")?,
        last4: last4(row, "account_last4")?,
        facts: Some(facts),
        representment_of: row.get("representment_of")?,
    })
}

fn read_records(
    connection: &Connection,
    inputs: &mut Inputs,
    ledgers: &BTreeMap<String, String>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(include_str!("../../sql/books/records.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let merchant: String = row.get("merchant_id")?;
        let ledger: String = row.get("ledger")?;
        // A record of a merchant that names another ledger is nobody's.
        let Some(input) = inputs.get_mut(&merchant).filter(|_| ledgers[&merchant] == ledger) else {
            continue;
        };
        input.records.push(record(row)?);
    }
    Ok(())
}

fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let kind: String = row.get("kind")?;
    let status: String = row.get("status")?;
    Ok(Record {
        ledger_id: row.get("ledger_id")?,
        line: u64::try_from(row.get::<_, i64>("line")?).unwrap_or_default(),
        kind: LedgerKind::from_name(&kind).ok_or_else(|| wrong("kind", &kind))?,
        date: required_date(row, "date")?,
        amount: Minor(row.get("amount_minor")?),
        currency: currency_column(row, "currency")?.ok_or_else(|| wrong("currency", ""))?,
        order_id: row.get("order_id")?,
        reference: row.get("reference")?,
        last4: last4(row, "last4")?,
        status: LedgerStatus::from_name(&status).ok_or_else(|| wrong("status", &status))?,
        day_not_read: false,
    })
}
