//! tieout: settlement reconciliation.

pub mod calendar;
pub mod clock;
pub mod config;
pub mod exit;
pub mod model;
pub mod money;
pub mod sandbox;
