//! Why shards cannot be merged.

use std::path::PathBuf;

use chrono::NaiveDate;

use tieout_model::{MerchantId, Shard};

/// Shards that cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("store {} does not exist", path.display())]
    NoStore { path: PathBuf },
    #[error("store {} holds {found}, expected a shard of the merchants", path.display())]
    NoShard { path: PathBuf, found: &'static str },
    #[error(
        "stores {} and {} are of {} and {} shards: they were never one run",
        first.display(), second.display(), counts.0, counts.1
    )]
    OtherCount { first: PathBuf, second: PathBuf, counts: (u32, u32) },
    #[error("stores {} and {} are both shard {shard}", first.display(), second.display())]
    Twice { first: PathBuf, second: PathBuf, shard: Shard },
    #[error("{} missing: {}", match missing.len() { 1 => "a shard is", _ => "shards are" }, listed(missing))]
    Missing { missing: Vec<Shard> },
    #[error("{date}: not reconciled in shard {}", listed(shards))]
    NotReconciled { date: NaiveDate, shards: Vec<Shard> },
    #[error(
        "{date}: shard {first} was judged with another {what} than shard {second}: \
         {found} and {expected}"
    )]
    Unlike {
        date: NaiveDate,
        what: &'static str,
        first: Shard,
        second: Shard,
        found: String,
        expected: String,
    },
    #[error("{date}: merchant {merchant_id} is in shard {first} and in shard {second}")]
    InTwo { date: NaiveDate, merchant_id: MerchantId, first: Shard, second: Shard },
    #[error("{date}: {problem}")]
    NotConserved { date: NaiveDate, problem: String },
    #[error("no shard has reconciled a date")]
    Nothing,
}

pub(super) fn listed(shards: &[Shard]) -> String {
    let names: Vec<String> = shards.iter().map(ToString::to_string).collect();
    names.join(", ")
}

impl MergeError {
    /// Checks that the command line is wrong, so that nothing was done.
    pub fn is_usage(&self) -> bool {
        !matches!(
            self,
            Self::NotReconciled { .. }
                | Self::Unlike { .. }
                | Self::InTwo { .. }
                | Self::NotConserved { .. }
                | Self::Nothing
        )
    }

    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoStore { .. } | Self::Missing { .. } => {
                "name the store of every shard; one that is lost can be run again with --shard"
                    .to_owned()
            }
            Self::NoShard { .. } => {
                "name the stores that runs with --shard have written".to_owned()
            }
            Self::OtherCount { .. } | Self::Twice { .. } => {
                "name the stores of one set of shards, each once".to_owned()
            }
            Self::NotReconciled { date, shards } => {
                let shard = shards.first().map(ToString::to_string).unwrap_or_default();
                format!("run it first: tieout run --shard {shard} --date {date}")
            }
            Self::Unlike { date, .. } => format!(
                "use the same program and configuration for every shard, then judge again: tieout \
                 reconcile --shard I/N --date {date}"
            ),
            Self::InTwo { date, first, .. } => format!(
                "it has moved since: run the open dates again in every shard, oldest first: \
                 tieout run --shard {first} --date FIRST..{date}"
            ),
            Self::Nothing => "run the shards first: tieout run --shard I/N".to_owned(),
            Self::NotConserved { .. } => return None,
        })
    }
}
