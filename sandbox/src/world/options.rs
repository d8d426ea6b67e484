//! The options of a world, and the errors of generating one.

use std::path::PathBuf;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::Kind;

/// Measurements use a store of two years; more days would take long to generate, without a use.
const MAX_DAYS: i64 = 1_000;
/// Bound of the numbering of merchant ids and terminals.
const MAX_MERCHANTS: u32 = 10_000;
/// About ten times the largest day of the job's measurements.
const MAX_TRANSACTIONS_PER_DAY: u32 = 2_000_000;

/// The seed, size and plants of a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldOptions {
    pub seed: u64,
    /// The first business date to run.
    pub from: NaiveDate,
    /// Last business date; batches end with it.
    pub to: NaiveDate,
    /// Merchants that the configuration names.
    pub merchants: u32,
    /// Card authorizations a day, over all merchants.
    pub transactions_per_day: u32,
    /// Codes of the discrepancies to plant; a repeated code is planted repeatedly.
    pub plants: Vec<String>,
    /// The kinds that the world contains beside plain life; without any it is the plain world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Kind>,
    /// The seed that selects the records of each kind that are listed days after their date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<u64>,
}

/// Why a world could not be generated, read or written.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    #[error("the range of the world runs backwards: from {from} to {to}")]
    Backwards { from: NaiveDate, to: NaiveDate },
    #[error("the {name} of a world: expected {low} to {high}, found {found}")]
    OutOfRange { name: &'static str, low: i64, high: i64, found: i64 },
    #[error("no plant is called \"{code}\"\nhint: plants are {}", known.join(", "))]
    UnknownPlant { code: String, known: Vec<&'static str> },
    #[error(
        "{code} does not fit between {from} and {to}: it needs {needs}\n\
         hint: take a longer range or more merchants, or plant less"
    )]
    DoesNotFit { code: &'static str, from: NaiveDate, to: NaiveDate, needs: &'static str },
    #[error("world file {path} cannot be read")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("world file {path} cannot be written")]
    Write { path: PathBuf, source: std::io::Error },
    #[error("world file {path} is not a world")]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("world file {path} has format {found}, expected {expected}")]
    Format { path: PathBuf, expected: u32, found: u32 },
}

impl WorldOptions {
    /// Refuses a range or a size that cannot be generated.
    pub(super) fn check(&self) -> Result<(), WorldError> {
        if self.to < self.from {
            return Err(WorldError::Backwards { from: self.from, to: self.to });
        }
        let days = (self.to - self.from).num_days() + 1;
        let (merchants, per_day) = (self.merchants.into(), self.transactions_per_day.into());
        let limits = [
            ("days", 1, MAX_DAYS, days),
            ("merchants", 1, MAX_MERCHANTS.into(), merchants),
            ("transactions a day", 0, MAX_TRANSACTIONS_PER_DAY.into(), per_day),
        ];
        for (name, low, high, found) in limits {
            if !(low..=high).contains(&found) {
                return Err(WorldError::OutOfRange { name, low, high, found });
            }
        }
        Ok(())
    }
}
