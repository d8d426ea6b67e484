//! The local API server and its worlds: the payments service of `openapi.yaml` in memory.
//! A world is generated from a seed and ties out; plants spoil it in known places, and the
//! answer key says where. Never imports the client: a shared misreading would cancel out.

mod banks;
mod books;
mod grade;
mod plants;
mod random;
mod routes;
mod serve;
#[expect(clippy::struct_field_names, reason = "fields are named as the contract names them")]
mod wire;
mod world;

pub use books::WorldFile;
pub use grade::{Found, grade};
pub use plants::{AnswerKey, Expected, plant_codes};
pub use serve::{API_KEY, RunningSandbox, SandboxError, ServeOptions, serve};
pub use world::{World, WorldError, WorldOptions};

#[cfg(test)]
mod audit;
#[cfg(test)]
mod tests;
