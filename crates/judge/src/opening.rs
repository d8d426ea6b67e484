//! What was there before a date: open, accepted until now, cleared lately, or found in a closed
//! date.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::{AsOf, JudgeError};
use tieout_config::Settings;
use tieout_model::{Discrepancy, DiscrepancyStatus};
use tieout_read::needs;
use tieout_store::Store;

/// What a date is joined with beside its own findings.
pub struct Opening {
    /// What was open when the latest earlier reconciled date closed.
    pub carried: Vec<Discrepancy>,
    /// What was accepted and is so no longer.
    pub ended: Vec<Discrepancy>,
    /// What was cleared while its records were still read again.
    pub cleared: Vec<Discrepancy>,
    /// What was found in closed dates, for this date to report.
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
            Some(previous) => store.discrepancies(previous)?,
            None => Vec::new(),
        };
        carried.retain(|open| open.is_carried && open.status != DiscrepancyStatus::Cleared);
        let is_carried: BTreeSet<&str> =
            carried.iter().map(|open| open.discrepancy_id.as_str()).collect();
        let mut ended = store.returning(asof.previous_date, asof.business_date)?;
        ended.retain(|stored| !is_carried.contains(stored.discrepancy_id.as_str()));
        let date = asof.business_date;
        let cleared = store.cleared_lately(needs::restated_from(settings, date), date)?;
        let priors = store.prior_findings(asof.business_date, takes_waiting)?;
        Ok(Self { carried, ended, cleared, priors })
    }

    /// What is in no list of the earlier date, and is there unless it is known to be gone.
    pub fn returning(&self) -> impl Iterator<Item = &Discrepancy> {
        let late = self.priors.iter().filter(|found| found.is_carried);
        self.ended.iter().chain(late)
    }

    /// Everything of which the records are read again because it was there before.
    pub fn tested(&self) -> impl Iterator<Item = &Discrepancy> {
        self.carried.iter().chain(self.returning())
    }

    /// Everything that the checks test although nothing of it may be new.
    pub fn reopened(&self) -> Vec<&Discrepancy> {
        self.tested().chain(&self.cleared).collect()
    }
}

/// Of the discrepancies that were found in a closed date: which one.
pub(crate) fn prior_dates(
    store: &Store,
    ids: &[String],
    priors: &[Discrepancy],
    date: NaiveDate,
) -> Result<BTreeMap<String, NaiveDate>, JudgeError> {
    let mut dates: BTreeMap<String, NaiveDate> = BTreeMap::new();
    for id in ids {
        if let Some(closed) = store.prior_date(id, date)? {
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
