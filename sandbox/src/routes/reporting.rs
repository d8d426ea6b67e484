//! Settlement reporting: lists by date (and batch or deposit), and single records.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use chrono::NaiveDate;

use super::answer::{Answer, json};
use super::base::Base;
use super::paging::List;
use super::parameters::{Parameters, missing, not_a_number, path_number, whole_number};
use crate::service::Service;
use crate::wire::{self, Problem};
use crate::world::records::{Authorization, CardKind, Merchant, Role};

/// `GET /ach-deposits`
pub async fn list_deposits(
    State(service): State<Arc<Service>>,
    base: Base,
    RawQuery(query): RawQuery,
) -> Answer {
    let (records, parameters) = (service.records(), Parameters::new(query.as_deref())?);
    let date = required_date(&parameters)?;
    let state = service.state();
    let book = service.book(&state, &base);
    let list = List {
        book,
        path: "/ach-deposits",
        parameters: &parameters,
        records: book.deposits_paid(date),
    };
    list.answer(
        |at| {
            let deposit = book.deposit_at(*at);
            book.is_deposit_listed(deposit.id)
                && is_merchant(&parameters, &records.merchants[deposit.merchant])
        },
        |at| book.deposit_at(*at).id,
        numeric_cursor,
        |at| book.deposit_at(*at).id,
        |at| wire::AchDeposit::new(book, book.deposit_at(*at)),
    )
}

/// `GET /ach-deposits/{achDepositId}`
pub async fn get_deposit(
    State(service): State<Arc<Service>>,
    base: Base,
    Path(id): Path<String>,
) -> Answer {
    let id = path_number("achDepositId", &id)?;
    let state = service.state();
    let book = service.book(&state, &base);
    let found = book.deposit(id);
    let deposit = found.ok_or_else(|| Problem::not_found(Some("achDeposit")))?;
    json(&wire::AchDeposit::new(book, deposit))
}

/// `GET /ach-deposit-fees`: the date is the payment date of the deposit.
pub async fn list_fees(
    State(service): State<Arc<Service>>,
    base: Base,
    RawQuery(query): RawQuery,
) -> Answer {
    let (records, parameters) = (service.records(), Parameters::new(query.as_deref())?);
    let (date, deposit) = (parameters.date("date")?, parameters.number("achDepositId")?);
    let state = service.state();
    let book = service.book(&state, &base);
    let positions = match (deposit, date) {
        (Some(deposit), _) => book.fees_of_deposit(deposit),
        (None, Some(date)) => book.fees_listed(date),
        (None, None) => return Err(missing("date")),
    };
    let list =
        List { book, path: "/ach-deposit-fees", parameters: &parameters, records: positions };
    list.answer(
        |at| {
            let fee = book.fee(*at);
            date.is_none_or(|date| fee.listed_date == date)
                && fee.deposit_id.is_none_or(|id| book.is_deposit_listed(id))
                && is_merchant(&parameters, &records.merchants[fee.merchant])
        },
        // Fees have no id: cursors use their position in the world instead.
        |at| i64::try_from(*at).unwrap_or(i64::MAX),
        numeric_cursor,
        |at| *at,
        |at| wire::AchDepositFee::new(book, book.fee(*at)),
    )
}

/// `GET /batches`
pub async fn list_batches(
    State(service): State<Arc<Service>>,
    base: Base,
    RawQuery(query): RawQuery,
) -> Answer {
    let (records, parameters) = (service.records(), Parameters::new(query.as_deref())?);
    let date = required_date(&parameters)?;
    let state = service.state();
    let book = service.book(&state, &base);
    let list =
        List { book, path: "/batches", parameters: &parameters, records: book.batches(date) };
    list.answer(
        |batch| {
            book.is_batch_listed(batch.id)
                && is_merchant(&parameters, &records.merchants[batch.merchant])
        },
        |batch| batch.id,
        numeric_cursor,
        |batch| batch.id,
        |batch| wire::Batch::new(book, book.current_batch(batch)),
    )
}

/// `GET /batches/{batchId}`
pub async fn get_batch(
    State(service): State<Arc<Service>>,
    base: Base,
    Path(id): Path<String>,
) -> Answer {
    let id = path_number("batchId", &id)?;
    let state = service.state();
    let book = service.book(&state, &base);
    let found = book.batch(id);
    let batch = found.ok_or_else(|| Problem::not_found(Some("batch")))?;
    json(&wire::Batch::new(book, batch))
}

/// `GET /authorizations`
pub async fn list_authorizations(
    State(service): State<Arc<Service>>,
    base: Base,
    RawQuery(query): RawQuery,
) -> Answer {
    let (records, parameters) = (service.records(), Parameters::new(query.as_deref())?);
    let (date, batch) = date_or_batch(&parameters)?;
    let items = items(&service, date, batch);
    let state = service.state();
    let book = service.book(&state, &base);
    let list =
        List { book, path: "/authorizations", parameters: &parameters, records: [items, &[]] };
    list.answer(
        |item| {
            date.is_none_or(|date| item.date == date)
                && batch.is_none_or(|_| item.role != Role::NoBatch)
                && book.is_item_listed(item)
                && is_merchant(&parameters, &records.merchants[item.merchant as usize])
        },
        |item| item.id,
        numeric_cursor,
        |item| item.id,
        |item| wire::Authorization::new(book, item),
    )
}

/// `GET /authorizations/{authorizationId}`
pub async fn get_authorization(
    State(service): State<Arc<Service>>,
    base: Base,
    Path(id): Path<String>,
) -> Answer {
    let (records, id) = (service.records(), path_number("authorizationId", &id)?);
    let found = records.authorizations.binary_search_by_key(&id, |item| item.id);
    let state = service.state();
    let book = service.book(&state, &base);
    // A further part has a key of its own, which is not an authorization id.
    let item = found.ok().map(|at| &records.authorizations[at]);
    let item = item.filter(|item| item.part_of == 0 && book.is_item_listed(item));
    let item = item.ok_or_else(|| Problem::not_found(Some("authorization")))?;
    json(&wire::Authorization::new(book, item))
}

/// `GET /transactions`: the transactions of batches, each once.
pub async fn list_transactions(
    State(service): State<Arc<Service>>,
    base: Base,
    RawQuery(query): RawQuery,
) -> Answer {
    has_transactions(&service)?;
    let (records, parameters) = (service.records(), Parameters::new(query.as_deref())?);
    let (date, batch) = date_or_batch(&parameters)?;
    let kind = parameters.choices("transactionType", &["Capture", "Return"])?.first().copied();
    let items = items(&service, date, batch);
    let state = service.state();
    let book = service.book(&state, &base);
    let list = List { book, path: "/transactions", parameters: &parameters, records: [items, &[]] };
    list.answer(
        |item| {
            is_transaction(item)
                && book.is_item_listed(item)
                && date.is_none_or(|date| item.date == date)
                && kind.is_none_or(|kind| (kind == "Return") == (item.kind == CardKind::Return))
                && is_merchant(&parameters, &records.merchants[item.merchant as usize])
        },
        // A record without a transaction has the id of the one before it, which preserves the
        // order.
        |item| item.transaction_id,
        numeric_cursor,
        |item| item.transaction_id,
        |item| wire::Transaction::new(book, item),
    )
}

/// `GET /transactions/{transactionId}`
pub async fn get_transaction(
    State(service): State<Arc<Service>>,
    base: Base,
    Path(id): Path<String>,
) -> Answer {
    has_transactions(&service)?;
    let (records, id) = (service.records(), path_number("transactionId", &id)?);
    // A record without a transaction has the id of the one before it, which preserves the order.
    let start = records.authorizations.partition_point(|item| item.transaction_id < id);
    let same = records.authorizations[start..].iter().take_while(|item| item.transaction_id == id);
    let state = service.state();
    let book = service.book(&state, &base);
    let item = same
        .into_iter()
        .find(|item| item.kind != CardKind::None && book.is_item_listed(item))
        .ok_or_else(|| Problem::not_found(Some("transaction")))?;
    json(&wire::Transaction::new(book, item))
}

/// Refuses an operation that the key lacks.
fn has_transactions(service: &Service) -> Result<(), Problem> {
    if service.options.transactions { Ok(()) } else { Err(Problem::not_found(None)) }
}

fn is_transaction(item: &Authorization) -> bool {
    item.kind != CardKind::None && item.role == Role::Ordinary
}

/// The authorizations of a batch, else of a date: each is a slice.
fn items(service: &Service, date: Option<NaiveDate>, batch: Option<i64>) -> &[Authorization] {
    let records = service.records();
    if let Some(batch) = batch {
        return records.batch_items(batch);
    }
    let Some(date) = date else { return &[] };
    let start = records.authorizations.partition_point(|item| item.date < date);
    let end = records.authorizations.partition_point(|item| item.date <= date);
    &records.authorizations[start..end]
}

fn required_date(parameters: &Parameters) -> Result<NaiveDate, Problem> {
    parameters.date("date")?.ok_or_else(|| missing("date"))
}

fn date_or_batch(parameters: &Parameters) -> Result<(Option<NaiveDate>, Option<i64>), Problem> {
    let (date, batch) = (parameters.date("date")?, parameters.number("batchId")?);
    if date.is_none() && batch.is_none() {
        return Err(missing("date"));
    }
    Ok((date, batch))
}

pub(super) fn is_merchant(parameters: &Parameters, merchant: &Merchant) -> bool {
    parameters.text("merchantId").is_none_or(|id| id == merchant.id)
}

pub(super) fn numeric_cursor(name: &str, text: &str) -> Result<i64, Problem> {
    whole_number(text).ok_or_else(|| not_a_number(name, text))
}
