//! The nightly job, end to end, where it takes longer: `cargo test --test long`. As in `../nights`,
//! worlds come from seeds; a failure names the options that replay it.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

#[path = "../harness/mod.rs"]
#[allow(dead_code, reason = "each suite uses its part")]
mod harness;

#[path = "../nights/audit.rs"]
mod audit;
#[path = "../nights/dice.rs"]
mod dice;
#[path = "../nights/graded.rs"]
mod graded;
#[path = "../nights/shifting.rs"]
mod shifting;

mod altered;
mod backfill;
mod daemon;
mod kept;
mod killed;
mod kinds;
mod life;
mod links;
mod misstated;
mod orders;
mod ordinary;
mod quarter;
mod rolling;
mod shards;
mod stretches;
mod watched;
mod worlds;
