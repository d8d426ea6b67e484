//! The local API server and its worlds: the payments service of `api/openapi.yaml` in memory.
//!
//! - `world` is generated from a seed and ties out; `plants` spoil it in known places, and the
//!   answer key says where. A world never changes while it is served.
//! - `live` lies beside it: the clock, and all that was created through the API or has happened
//!   since. `state` lets one request at a time change it, remembers what was answered under which
//!   Idempotency-Key, and keeps both in the state file (`journal`).
//! - `wire` is the JSON of the contract, `routes` its paths, `service` all that
//!   a handler sees, `serve` the listening.
//!
//! Shares nothing with the job but the contract, neither calendar nor money: a misreading that
//! both shared would cancel out.

mod banks;
mod books;
mod calendar;
mod digest;
mod faults;
mod files;
mod journal;
mod live;
mod money;
mod plants;
mod random;
mod routes;
mod serve;
mod service;
mod state;
mod tls;
#[expect(clippy::struct_field_names, reason = "fields are named as the contract names them")]
mod wire;
mod world;

pub use calendar::Calendar;
pub use faults::{Fault, FaultOptions, Outcome};
pub use files::WorldFile;
pub use journal::StateError;
pub use plants::{
    AnswerKey, Expected, awaited_plants, newer_plants, plant_codes, plants_of_a_week,
};
pub use serve::{RunningSandbox, SandboxError, serve, serve_with_faults};
pub use service::{API_KEY, Links, ServeOptions};
pub use world::{Kind, World, WorldError, WorldOptions};

#[cfg(test)]
mod tests;
