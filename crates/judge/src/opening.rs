//! The discrepancies that existed before a date: open, accepted, recently cleared, or found in a
//! closed date.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::{AsOf, JudgeError};
use tieout_config::Settings;
use tieout_model::{Discrepancy, DiscrepancyStatus};
use tieout_read::needs;
use tieout_store::{Store, decisions, discrepancies, prior_findings};

/// The earlier discrepancies that a date's own findings are joined with.
pub struct Opening {
    /// Discrepancies open when the latest earlier reconciled date closed.
    pub carried: Vec<Discrepancy>,
    /// Discrepancies that existed and were accepted on that date.
    pub accepted: Vec<Discrepancy>,
    /// The ids of those whose acceptance is still valid on this date.
    still_accepted: BTreeSet<String>,
    /// Discrepancies cleared within the days whose records are still re-read.
    pub cleared: Vec<Discrepancy>,
    /// Findings of closed dates that this date reports.
    pub priors: Vec<Discrepancy>,
}

impl Opening {
    pub fn of(
        store: &Store,
        settings: &Settings,
        asof: &AsOf,
        takes_waiting: bool,
    ) -> Result<Self, JudgeError> {
        let mut carried = match asof.previous_date {
            Some(previous) => discrepancies::of_date(store, previous)?,
            None => Vec::new(),
        };
        carried.retain(|open| open.is_carried && open.status != DiscrepancyStatus::Cleared);
        let accepted = match asof.previous_date {
            Some(previous) => discrepancies::accepted(store, previous)?,
            None => Vec::new(),
        };
        let date = asof.business_date;
        let ids = accepted.iter().map(|stored| stored.discrepancy_id.as_str());
        let still_accepted = decisions::accepted_among(store, ids, date)?;
        let cleared =
            discrepancies::cleared_lately(store, needs::restated_from(settings, date), date)?;
        let priors = prior_findings::of(store, asof.business_date, takes_waiting)?;
        Ok(Self { carried, accepted, still_accepted, cleared, priors })
    }

    /// The earlier discrepancies whose records are re-read: open ones, those whose acceptance
    /// expired, and findings of closed dates.
    pub fn tested(&self) -> impl Iterator<Item = &Discrepancy> {
        let is_over = |found: &&Discrepancy| !self.is_still_accepted(found);
        let late = self.priors.iter().filter(|found| found.is_carried);
        self.carried.iter().chain(self.accepted.iter().filter(is_over)).chain(late)
    }

    /// The earlier discrepancies that the checks test although none of their records may be new.
    /// Those still accepted are tested from the store alone and are listed for as long as they
    /// exist.
    pub fn reopened(&self) -> Vec<&Discrepancy> {
        let stays = self.accepted.iter().filter(|found| self.is_still_accepted(found));
        self.tested().chain(stays).chain(&self.cleared).collect()
    }

    fn is_still_accepted(&self, found: &Discrepancy) -> bool {
        self.still_accepted.contains(&found.discrepancy_id)
    }
}

/// The closed date in which each discrepancy was found, by id.
pub(crate) fn prior_dates(
    store: &Store,
    ids: &[String],
    priors: &[Discrepancy],
    date: NaiveDate,
) -> Result<BTreeMap<String, NaiveDate>, JudgeError> {
    let mut dates: BTreeMap<String, NaiveDate> = BTreeMap::new();
    for id in ids {
        if let Some(closed) = prior_findings::closed_date(store, id, date)? {
            dates.insert(id.clone(), closed);
        }
    }
    for prior in priors {
        let id = prior.discrepancy_id.clone();
        let entry = dates.entry(id).or_insert(prior.business_date);
        *entry = prior.business_date.min(*entry);
    }
    Ok(dates)
}
