//! Bank transfers: the lists of a terminal with their filters, and single payments and refunds.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use chrono::{DateTime, NaiveDate, Utc};

use super::answer::{Answer, json};
use super::base::Base;
use super::paging::List;
use super::parameters::{Parameters, missing, path_id, wrong};
use crate::live::Book;
use crate::service::Service;
use crate::wire::{self, Problem};
use crate::world::records::{HOLDERS, Transfer};

const STATUSES: [&str; 7] =
    ["ready", "pending", "declined", "complete", "admin", "reversal", "returned"];

/// `GET /bank-transfer-payments`
pub async fn list_payments(
    State(service): State<Arc<Service>>,
    base: Base,
    RawQuery(query): RawQuery,
) -> Answer {
    let parameters = Parameters::new(query.as_deref())?;
    let filter = Filter::read(&parameters, &["payment", "accountVerification"])?;
    let link = parameters.bounded("paymentLinkId", 10, 10)?;
    let state = service.state();
    let book = service.book(&state, &base);
    let list = List {
        book,
        path: "/bank-transfer-payments",
        parameters: &parameters,
        records: book.payments(terminal(book, &parameters)?),
    };
    list.answer(
        // No payment of the sandbox was made through a payment link.
        |at| link.is_none() && filter.keeps(book, *at),
        |at| place(book, *at),
        |name, text| cursor(book, name, text),
        |at| &book.transfer(*at).id,
        |at| wire::Payment::new(book, book.transfer(*at)),
    )
}

/// `GET /bank-transfer-payments/{paymentId}`: also for a return, by its own id.
pub async fn get_payment(
    State(service): State<Arc<Service>>,
    base: Base,
    Path(id): Path<String>,
) -> Answer {
    path_id("paymentId", &id)?;
    let state = service.state();
    let book = service.book(&state, &base);
    json(&wire::Payment::new(book, find(book, &id, false)?))
}

/// `GET /bank-transfer-refunds`
pub async fn list_refunds(
    State(service): State<Arc<Service>>,
    base: Base,
    RawQuery(query): RawQuery,
) -> Answer {
    let parameters = Parameters::new(query.as_deref())?;
    let filter = Filter::read(&parameters, &["refund", "unreferencedRefund"])?;
    let state = service.state();
    let book = service.book(&state, &base);
    let list = List {
        book,
        path: "/bank-transfer-refunds",
        parameters: &parameters,
        records: book.refunds(terminal(book, &parameters)?),
    };
    list.answer(
        |at| filter.keeps(book, *at),
        |at| place(book, *at),
        |name, text| cursor(book, name, text),
        |at| &book.transfer(*at).id,
        |at| wire::Refund::new(book, book.transfer(*at)),
    )
}

/// `GET /bank-transfer-refunds/{refundId}`
pub async fn get_refund(
    State(service): State<Arc<Service>>,
    base: Base,
    Path(id): Path<String>,
) -> Answer {
    path_id("refundId", &id)?;
    let state = service.state();
    let book = service.book(&state, &base);
    json(&wire::Refund::new(book, find(book, &id, true)?))
}

/// The filters that both lists share.
struct Filter<'q> {
    order_id: Option<&'q str>,
    name_on_account: Option<&'q str>,
    last4: Option<u16>,
    types: Vec<&'q str>,
    statuses: Vec<&'q str>,
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
    is_settled: Option<bool>,
    settlement_date: Option<NaiveDate>,
}

impl<'q> Filter<'q> {
    fn read(parameters: &'q Parameters, types: &[&str]) -> Result<Self, Problem> {
        let state = parameters.choices("settlementState", &["settled", "unsettled"])?;
        Ok(Self {
            order_id: parameters.bounded("orderId", 1, 24)?,
            name_on_account: parameters.bounded("nameOnAccount", 1, 50)?,
            last4: last4(parameters)?,
            types: parameters.choices("type", types)?,
            statuses: parameters.choices("status", &STATUSES)?,
            from: parameters.moment("dateFrom")?,
            to: parameters.moment("dateTo")?,
            is_settled: state.first().map(|state| *state == "settled"),
            settlement_date: parameters.date("settlementDate")?,
        })
    }

    /// The ends of the time range are excluded: the published contract permits it, and a client
    /// must not rely on the other reading.
    fn keeps(&self, book: Book<'_>, at: usize) -> bool {
        let transfer = book.transfer(at);
        let settled = book.settled(at);
        self.order_id.is_none_or(|id| id == transfer.order_id)
            && self.name_on_account.is_none_or(|name| name == name_on_account(transfer))
            && self.last4.is_none_or(|last4| last4 == transfer.account_last4)
            && (self.types.is_empty() || self.types.contains(&transfer.transfer_type.as_str()))
            && (self.statuses.is_empty() || self.statuses.contains(&transfer.status.as_str()))
            && self.from.is_none_or(|from| transfer.run_at > from)
            && self.to.is_none_or(|to| transfer.run_at < to)
            && self.is_settled.is_none_or(|wanted| wanted == settled[0].is_some())
            && self.settlement_date.is_none_or(|date| settled.contains(&Some(date)))
    }
}

/// The account's holder, from the request or generated.
fn name_on_account(transfer: &Transfer) -> &str {
    let known = transfer.details.as_deref().and_then(|details| details.account.as_ref());
    known.map_or(HOLDERS[transfer.holder], |account| &account.name)
}

/// Four digits. The contract's pattern also fits a longer text that contains four digits: no
/// account ends with such a text, so it keeps nothing.
fn last4(parameters: &Parameters) -> Result<Option<u16>, Problem> {
    let Some(text) = parameters.text("last4") else { return Ok(None) };
    let digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    if text.len() == 4 && digits(text.as_bytes()) {
        return Ok(text.parse().ok());
    }
    if text.as_bytes().windows(4).any(digits) {
        return Ok(Some(u16::MAX));
    }
    Err(wrong("last4", "not four digits", format!("Got {text} where four digits are needed")))
}

/// The terminal named in the request.
fn terminal(book: Book<'_>, parameters: &Parameters) -> Result<(usize, usize), Problem> {
    let name = "processingTerminalId";
    let id = parameters.bounded(name, 4, 50)?.ok_or_else(|| missing(name))?;
    book.terminal(id).ok_or_else(|| Problem::forbidden("terminal"))
}

/// The position of a transfer in the lists: transfers of the world by their run time, later ones in
/// order of creation.
type Place = (bool, DateTime<Utc>, usize);

fn place(book: Book<'_>, at: usize) -> Place {
    (at >= book.records().transfers.len(), book.transfer(at).run_at, at)
}

/// A cursor is the id of a result, which gives its position in the list.
fn cursor(book: Book<'_>, name: &str, text: &str) -> Result<Place, Problem> {
    let found = book.find(text).map(|at| place(book, at));
    found.ok_or_else(|| {
        wrong(name, "not a result", format!("Got {text} where the id of a result is needed"))
    })
}

fn find<'s>(book: Book<'s>, id: &str, is_refund: bool) -> Result<&'s Transfer, Problem> {
    let resource = if is_refund { "refund" } else { "payment" };
    let found = book.find(id).map(|at| book.transfer(at));
    found
        .filter(|transfer| transfer.transfer_type.is_refund() == is_refund)
        .ok_or_else(|| Problem::not_found(Some(resource)))
}
