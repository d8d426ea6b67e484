//! Which dates are worth another try: those that never ran, and those that were done in part because
//! of a listing or a file that may be there by now.

use chrono::NaiveDate;

use super::stages::caught_up_from;
use super::{NightError, Stages};
use tieout_config::Settings;
use tieout_judge::registry_for;
use tieout_store::{Store, days, results};

/// The stages of a date that lacks a file alone: nothing is asked of the API.
const ONLY_FILES: Stages = Stages { fetch: false, ..Stages::NIGHT };

/// The dates to run again, oldest first, and the stages that they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    pub dates: Vec<NaiveDate>,
    pub stages: Stages,
}

/// Of the last `schedule.catch_up_days` up to `last`, not before the first date that ran.
///
/// # Errors
/// When the store cannot be read.
pub fn again(settings: &Settings, last: NaiveDate) -> Result<Again, NightError> {
    if !settings.store_path.is_file() {
        return Ok(Again { dates: vec![last], stages: Stages::NIGHT });
    }
    let lacking = lacking(settings, &Store::open(&settings.store_path)?, last)?;
    let is_all_files = lacking.iter().all(|(_, is_file)| *is_file);
    let stages = if is_all_files { ONLY_FILES } else { Stages::NIGHT };
    Ok(Again { dates: lacking.into_iter().map(|(date, _)| date).collect(), stages })
}

/// The same of the dates up to the newest that lack a file and nothing else.
pub(super) fn again_for_files(settings: &Settings) -> Result<Again, NightError> {
    let store = Store::open(&settings.store_path)?;
    let Some(last) = days::reconciled(&store)?.last().copied() else {
        return Ok(Again { dates: Vec::new(), stages: ONLY_FILES });
    };
    let lacking = lacking(settings, &store, last)?;
    let dates = lacking.into_iter().filter(|(_, is_file)| *is_file).map(|(date, _)| date);
    Ok(Again { dates: dates.collect(), stages: ONLY_FILES })
}

/// The dates that lack something, and whether that is a file alone.
fn lacking(
    settings: &Settings,
    store: &Store,
    last: NaiveDate,
) -> Result<Vec<(NaiveDate, bool)>, NightError> {
    let registry = registry_for(settings)?;
    let is_of_files = |code: &str| {
        registry.find(code).is_some_and(|check| check.is_for_ledger || check.is_for_bank)
    };
    let days = days::all(store)?;
    let since = caught_up_from(settings, days::reconciled(store)?.first(), last);
    let mut lacking = Vec::new();
    for date in since.iter_days().take_while(|date| *date <= last) {
        match days.iter().find(|day| day.business_date == date && day.is_reconciled) {
            None => lacking.push((date, false)),
            Some(day) if day.is_complete || day.is_closed => {}
            Some(day) if day.incomplete_listings > 0 => lacking.push((date, false)),
            Some(_) => {
                if results::not_evaluated(store, date)?.iter().any(|entry| is_of_files(&entry.code))
                {
                    lacking.push((date, true));
                }
            }
        }
    }
    Ok(lacking)
}
