//! The nightly job, end to end: worlds served over loopback HTTP, real stores, real files. Worlds
//! come from seeds; a failure names the options that replay it. Slower suites are in `../long`.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod accepted;
mod assignments;
mod audit;
mod backfills;
mod bridges;
mod calendars;
mod decisions;
pub mod dice;
mod evidence;
mod figures;
mod graded;
mod heads;
mod journals;
mod own_checks;
mod pages;
mod periods;
mod sample;
mod shares;
pub mod shifting;
mod worlds;
