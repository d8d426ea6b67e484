//! tieout: settlement reconciliation.

pub mod calendar;
pub mod clock;
pub mod config;
pub mod exit;
pub mod ledger;
pub mod matching;
pub mod model;
pub mod money;
