//! The local API server and its worlds: the payments service of `api/openapi.yaml` in memory.
//!
//! - `world` is generated from a seed and ties out; `plants` alter it in known places, which the
//!   answer key lists. A world never changes while it is served.
//! - `live` is kept beside it: the clock, and all records created through the API or changed since.
//!   `state` lets one request at a time change it, remembers the answer under each Idempotency-Key,
//!   and keeps both in the state file (`journal`).
//! - `wire` is the JSON of the contract, `routes` its paths, `service` the data of the handlers,
//!   `serve` the listening.
//!
//! Shares only the contract with the job, neither calendar nor money: a shared misreading would
//! cancel out.

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
pub use plants::{AnswerKey, Expected, newer_plants, plant_codes, plants_of_a_week};
pub use serve::{RunningSandbox, SandboxError, serve, serve_with_faults};
pub use service::{API_KEY, Links, ServeOptions};
pub use world::{Kind, World, WorldError, WorldOptions};

#[cfg(test)]
mod tests;
