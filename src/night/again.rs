//! The dates worth another run: those that never ran, and those that ended partial because of a
//! listing or a file that may have arrived since.

use chrono::NaiveDate;

use super::stages::caught_up_from;
use super::{NightError, Stages};
use tieout_config::Settings;
use tieout_judge::registry_for;
use tieout_store::Store;

/// The dates to run again, oldest first, and the stages that they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    pub dates: Vec<NaiveDate>,
    pub stages: Stages,
}

/// The dates to run again, of the last `schedule.catch_up_days` up to `last`, not before the first
/// date that ran.
///
/// # Errors
/// When the store cannot be read.
pub fn again(settings: &Settings, last: NaiveDate) -> Result<Again, NightError> {
    let only_files = Stages { fetch: false, ..Stages::NIGHT };
    if !settings.store_path.is_file() {
        return Ok(Again { dates: vec![last], stages: Stages::NIGHT });
    }
    let store = Store::open(&settings.store_path)?;
    let registry = registry_for(settings)?;
    let days = store.days()?;
    let since = caught_up_from(settings, store.reconciled_dates()?.first(), last);
    let mut again = Again { dates: Vec::new(), stages: only_files };
    for date in since.iter_days().take_while(|date| *date <= last) {
        let day = days.iter().find(|day| day.business_date == date && day.is_reconciled);
        let Some(day) = day else {
            again.dates.push(date);
            again.stages = Stages::NIGHT;
            continue;
        };
        if day.is_complete || day.is_closed {
            continue;
        }
        let is_of_files = |code: &str| {
            registry.find(code).is_some_and(|check| check.is_for_ledger || check.is_for_bank)
        };
        if day.incomplete_listings > 0 {
            again.dates.push(date);
            again.stages = Stages::NIGHT;
        } else if store.not_evaluated(date)?.iter().any(|entry| is_of_files(&entry.code)) {
            again.dates.push(date);
        }
    }
    Ok(again)
}
