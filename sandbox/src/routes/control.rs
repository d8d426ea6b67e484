//! `/_sandbox`: actions of a test or a person on the sandbox itself. Not part of the contract:
//! without token or Idempotency-Key, and unknown to the real service.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::routing::{get, post};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answer::{Answer, json as answer, unknown_path};
use super::base::Base;
use super::parameters::wrong;
use super::posts::read_body;
use super::refusals::problem_of;
use crate::live::{Change, ChangedField, Command, Effect, MAX_AMOUNT};
use crate::service::Service;
use crate::wire::{Attachment, Payment, Problem};
use crate::world::details::{CORRECTION_NOTICE, RETURN_CODES};

type Called = State<Arc<Service>>;

/// The paths under `/_sandbox`.
pub fn router() -> Router<Arc<Service>> {
    Router::new()
        .route("/", get(describe))
        .route("/clock", get(show_clock).post(move_clock))
        .route("/returns", post(send_back))
        .route("/amounts/{id}", post(change_amount))
        .fallback(unknown_path)
}

/// Moves the clock: to a time, or by days and seconds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    now: Option<DateTime<Utc>>,
    #[serde(default)]
    days: u32,
    #[serde(default)]
    seconds: u32,
}

/// A payment to return today.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SendBack {
    payment_id: String,
    return_code: String,
}

/// The merchants of the world, and the time of the clock.
async fn describe(State(service): Called) -> Answer {
    let state = service.state();
    let options = service.world.options();
    let merchants = service.records().merchants.iter().enumerate().map(|(place, merchant)| {
        json!({
            "merchantId": merchant.id,
            "doingBusinessAs": merchant.name,
            "currency": merchant.currency,
            "timeZone": merchant.time_zone.name(),
            "calendar": merchant.calendar.name(),
            "processingTerminalIds": merchant.terminals,
            "takesBankTransfers": merchant.takes_bank_transfers(),
            "attachmentId": Attachment::id_of(place),
        })
    });
    answer(&json!({
        "now": moment(state.live.now()),
        "seed": options.seed,
        "from": options.from,
        "to": options.to,
        "merchants": merchants.collect::<Vec<Value>>(),
    }))
}

async fn show_clock(State(service): Called) -> Answer {
    answer(&json!({"now": moment(service.state().live.now())}))
}

async fn move_clock(State(service): Called, body: Body) -> Answer {
    let asked: Move = read(body).await?;
    let mut state = service.state_to_change();
    let by = TimeDelta::days(asked.days.into()) + TimeDelta::seconds(asked.seconds.into());
    let start = asked.now.unwrap_or(state.live.now());
    let message = || "A moment that exists is needed".to_owned();
    let now = start.checked_add_signed(by);
    let now = now.ok_or_else(|| wrong("now", "out of range", message()))?;
    let command = Command::Advance { now };
    let effect = state.apply(&service.world, &command).map_err(|refusal| problem_of(&refusal))?;
    keep(&mut state, &command)?;
    let Effect::Days(happened) = effect else { return Err(Problem::server_error()) };
    answer(&json!({"now": moment(now), "happened": happened}))
}

async fn send_back(State(service): Called, base: Base, body: Body) -> Answer {
    let asked: SendBack = read(body).await?;
    let taken = &RETURN_CODES[..CORRECTION_NOTICE];
    let code = taken.iter().position(|(code, _)| *code == asked.return_code);
    let code = code.ok_or_else(|| {
        let codes: Vec<&str> = taken.iter().map(|(code, _)| *code).collect();
        let message = format!("One of {} is needed", codes.join(", "));
        wrong("returnCode", "not an allowed value", message)
    })?;
    let mut state = service.state_to_change();
    let command = Command::ComeBack { payment_id: asked.payment_id, code };
    let effect = state.apply(&service.world, &command).map_err(|refusal| problem_of(&refusal))?;
    keep(&mut state, &command)?;
    let Effect::Transfer(at) = effect else { return Err(Problem::server_error()) };
    let book = service.book(&state, &base);
    answer(&Payment::new(book, book.transfer(at)))
}

/// `{"netAmount": 100}` for the deposit, batch, payment or refund with that id: changes one amount
/// without the figures that should agree with it.
async fn change_amount(State(service): Called, Path(id): Path<String>, body: Body) -> Answer {
    let asked: std::collections::BTreeMap<String, i64> = read(body).await?;
    let message = || "One property with its new amount is needed".to_owned();
    let mut asked = asked.into_iter();
    let (Some((name, amount)), None) = (asked.next(), asked.next()) else {
        return Err(wrong("body", "not one amount", message()));
    };
    let field: ChangedField = serde_json::from_value(Value::String(name.clone()))
        .map_err(|_| wrong(&name, "not an amount that can be changed", message()))?;
    if !(-MAX_AMOUNT..=MAX_AMOUNT).contains(&amount) {
        return Err(wrong(&name, "out of range", message()));
    }
    let mut state = service.state_to_change();
    let command = Command::Change(Change { id, field, amount });
    let effect = state.apply(&service.world, &command).map_err(|refusal| problem_of(&refusal))?;
    keep(&mut state, &command)?;
    let Effect::Changed { before } = effect else { return Err(Problem::server_error()) };
    answer(&json!({"before": before, "after": amount}))
}

fn keep(state: &mut crate::state::ServiceState, command: &Command) -> Result<(), Problem> {
    state.keep(Some(command), None).map_err(|error| {
        tracing::error!(%error, "the sandbox's state is not kept");
        Problem::server_error()
    })
}

async fn read<T: DeserializeOwned>(body: Body) -> Result<T, Problem> {
    let bytes = read_body(body).await?;
    serde_json::from_slice(&bytes)
        .map_err(|error| wrong("body", "not as it should be", error.to_string()))
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}
