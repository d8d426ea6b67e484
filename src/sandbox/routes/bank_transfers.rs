//! Bank transfers: lists of a terminal with their filters, and single payments and refunds.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use chrono::{DateTime, NaiveDate, Utc};

use super::paging::List;
use super::parameters::{Parameters, missing, wrong};
use super::{Answer, json};
use crate::sandbox::serve::Service;
use crate::sandbox::wire::{self, Problem};
use crate::sandbox::world::Index;
use crate::sandbox::world::records::{HOLDERS, Transfer};

type Pairs = Query<Vec<(String, String)>>;

const STATUSES: [&str; 7] =
    ["ready", "pending", "declined", "complete", "admin", "reversal", "returned"];

/// `GET /bank-transfer-payments`
pub async fn list_payments(State(service): State<Arc<Service>>, Query(pairs): Pairs) -> Answer {
    let (records, parameters) = (service.records(), Parameters::new(pairs));
    let filter = Filter::read(&parameters, &["payment", "accountVerification"])?;
    let link = parameters.bounded("paymentLinkId", 10, 10)?;
    let positions = positions(&service, &parameters, |index| &index.payments)?;
    let list =
        List { path: "/bank-transfer-payments", parameters: &parameters, records: positions };
    list.answer(
        // No payment of a world was made through a payment link.
        |at| link.is_none() && filter.keeps(&records.transfers[*at]),
        |at| (records.transfers[*at].run_at, *at),
        |name, text| cursor(&service, name, text),
        |at| &records.transfers[*at].id,
        |at| wire::Payment::new(records, &records.transfers[*at]),
    )
}

/// `GET /bank-transfer-payments/{paymentId}`: also a return, by its own id.
pub async fn get_payment(State(service): State<Arc<Service>>, Path(id): Path<String>) -> Answer {
    let transfer = find(&service, &id, false)?;
    json(&wire::Payment::new(service.records(), transfer))
}

/// `GET /bank-transfer-refunds`
pub async fn list_refunds(State(service): State<Arc<Service>>, Query(pairs): Pairs) -> Answer {
    let (records, parameters) = (service.records(), Parameters::new(pairs));
    let filter = Filter::read(&parameters, &["refund", "unreferencedRefund"])?;
    let positions = positions(&service, &parameters, |index| &index.refunds)?;
    let list = List { path: "/bank-transfer-refunds", parameters: &parameters, records: positions };
    list.answer(
        |at| filter.keeps(&records.transfers[*at]),
        |at| (records.transfers[*at].run_at, *at),
        |name, text| cursor(&service, name, text),
        |at| &records.transfers[*at].id,
        |at| wire::Refund::new(records, &records.transfers[*at]),
    )
}

/// `GET /bank-transfer-refunds/{refundId}`
pub async fn get_refund(State(service): State<Arc<Service>>, Path(id): Path<String>) -> Answer {
    let transfer = find(&service, &id, true)?;
    json(&wire::Refund::new(service.records(), transfer))
}

/// The filters that both lists have.
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

    /// The ends of the span of time do not count: what is published allows it, and a client
    /// must not lean on the other reading.
    fn keeps(&self, transfer: &Transfer) -> bool {
        self.order_id.is_none_or(|id| id == transfer.order_id)
            && self.name_on_account.is_none_or(|name| name == HOLDERS[transfer.holder])
            && self.last4.is_none_or(|last4| last4 == transfer.account_last4)
            && (self.types.is_empty() || self.types.contains(&transfer.transfer_type.as_str()))
            && (self.statuses.is_empty() || self.statuses.contains(&transfer.status.as_str()))
            && self.from.is_none_or(|from| transfer.run_at > from)
            && self.to.is_none_or(|to| transfer.run_at < to)
            && self.is_settled.is_none_or(|settled| settled == transfer.settled.is_some())
            && self.settlement_date.is_none_or(|date| transfer.settled == Some(date))
    }
}

fn last4(parameters: &Parameters) -> Result<Option<u16>, Problem> {
    let Some(text) = parameters.text("last4") else { return Ok(None) };
    if text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(text.parse().ok());
    }
    Err(wrong("last4", "not four digits", format!("Got {text} where four digits are needed")))
}

type Terminals = std::collections::BTreeMap<(usize, usize), Vec<usize>>;

/// The transfers of the terminal that the request names.
fn positions<'s>(
    service: &'s Service,
    parameters: &Parameters,
    listing: impl Fn(&'s Index) -> &'s Terminals,
) -> Result<&'s [usize], Problem> {
    let name = "processingTerminalId";
    let id = parameters.bounded(name, 4, 50)?.ok_or_else(|| missing(name))?;
    let index = service.world.index();
    let terminal = index.terminals.get(id).ok_or_else(|| Problem::forbidden("terminal"))?;
    Ok(listing(index).get(terminal).map_or(&[][..], Vec::as_slice))
}

/// A cursor is the id of a result; its place in time follows from it.
fn cursor(service: &Service, name: &str, text: &str) -> Result<(DateTime<Utc>, usize), Problem> {
    let found = service.world.index().transfers.get(text);
    let at = *found.ok_or_else(|| {
        wrong(name, "not a result", format!("Got {text} where the id of a result is needed"))
    })?;
    Ok((service.records().transfers[at].run_at, at))
}

fn find<'s>(service: &'s Service, id: &str, is_refund: bool) -> Result<&'s Transfer, Problem> {
    let resource = if is_refund { "refund" } else { "payment" };
    let found = service.world.index().transfers.get(id);
    found
        .map(|at| &service.records().transfers[*at])
        .filter(|transfer| transfer.transfer_type.is_refund() == is_refund)
        .ok_or_else(|| Problem::not_found(Some(resource)))
}
