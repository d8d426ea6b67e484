//! The nightly job, end to end: worlds served over loopback HTTP, real stores, real files.
//! Worlds come from seeds; a failure names the options that replay it.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

#[path = "../harness/mod.rs"]
#[allow(dead_code, reason = "each suite uses its part")]
mod harness;

mod altered;
mod audit;
mod calendars;
mod decisions;
mod evidence;
mod figures;
mod journals;
mod kept;
mod killed;
mod kinds;
mod life;
mod links;
mod misstated;
mod orders;
mod own_checks;
mod pages;
mod periods;
mod quarter;
mod sample;
mod schemas;
mod shards;
mod shifting;
mod stretches;
mod watched;
mod worlds;
