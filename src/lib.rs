//! tieout: settlement reconciliation.

pub mod api;
pub mod calendar;
pub mod checks;
pub mod cli;
pub mod clock;
pub mod config;
pub mod dates;
pub mod digest;
pub mod exit;
pub mod job;
pub mod model;
pub mod money;
pub mod report;
pub mod store;
pub mod telemetry;
