//! Operations that not every key has: disputes with their statuses, and the terminals of a
//! processing account.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};

use super::answer::{Answer, json};
use super::base::Base;
use super::paging::List;
use super::parameters::{Parameters, missing, path_number};
use super::reporting::{is_merchant, numeric_cursor};
use crate::service::Service;
use crate::wire::{self, Problem};

/// `GET /disputes`
pub async fn list_disputes(
    State(service): State<Arc<Service>>,
    base: Base,
    RawQuery(query): RawQuery,
) -> Answer {
    is_allowed(service.options.disputes)?;
    let (records, parameters) = (service.records(), Parameters::new(query.as_deref())?);
    let date = parameters.date("date")?.ok_or_else(|| missing("date"))?;
    let state = service.state();
    let book = service.book(&state, &base);
    let positions = service.world.index().disputes.get(&date).map_or(&[][..], Vec::as_slice);
    let list = List { book, path: "/disputes", parameters: &parameters, records: [positions, &[]] };
    list.answer(
        |at| is_merchant(&parameters, &records.merchants[records.disputes[*at].merchant]),
        |at| records.disputes[*at].id,
        numeric_cursor,
        |at| records.disputes[*at].id,
        |at| wire::Dispute::new(book, &records.disputes[*at]),
    )
}

/// `GET /disputes/{disputeId}/statuses`
pub async fn list_statuses(
    State(service): State<Arc<Service>>,
    base: Base,
    Path(id): Path<String>,
) -> Answer {
    is_allowed(service.options.disputes)?;
    let id = path_number("disputeId", &id)?;
    let found = service.records().disputes.iter().find(|dispute| dispute.id == id);
    let dispute = found.ok_or_else(|| Problem::not_found(Some("dispute")))?;
    let state = service.state();
    json(&wire::dispute_statuses(service.book(&state, &base), dispute))
}

/// `GET /processing-accounts/{processingAccountId}/processing-terminals`
pub async fn list_terminals(
    State(service): State<Arc<Service>>,
    base: Base,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    is_allowed(service.options.terminals)?;
    let id = path_number("processingAccountId", &id)?;
    let parameters = Parameters::new(query.as_deref())?;
    let found = service.records().merchants.iter().find(|merchant| merchant.account_id == id);
    let merchant = found.ok_or_else(|| Problem::not_found(Some("processingAccount")))?;
    let state = service.state();
    let book = service.book(&state, &base);
    let places: Vec<usize> = (0..merchant.terminals.len()).collect();
    let path = format!("/processing-accounts/{id}/processing-terminals");
    let list = List { book, path: &path, parameters: &parameters, records: [&places[..], &[]] };
    list.answer(
        |_| true,
        |place| merchant.terminals[*place].clone(),
        |_, text| Ok(text.to_owned()),
        |place| merchant.terminals[*place].clone(),
        |place| wire::ProcessingTerminal::new(merchant, *place),
    )
}

/// Refuses an operation that the key lacks.
fn is_allowed(has_operation: bool) -> Result<(), Problem> {
    if has_operation { Ok(()) } else { Err(Problem::not_found(None)) }
}
