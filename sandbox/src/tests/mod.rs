//! Properties of every world, and of the service that serves them.

mod client;
mod disputes;
mod faults;
mod filters;
mod hostile;
mod kept;
mod kinds;
mod named;
mod operations;
mod server;
mod worlds;

use super::WorldOptions;

/// A week with a few merchants.
fn week(seed: u64) -> WorldOptions {
    WorldOptions {
        seed,
        from: "2026-11-02".parse().unwrap(),
        to: "2026-11-08".parse().unwrap(),
        merchants: 4,
        transactions_per_day: 90,
        plants: Vec::new(),
        kinds: Vec::new(),
        lateness: None,
    }
}
