//! Verifies the report of a period: its files, its manifest, and that it was made from the results
//! of its dates in the store.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::NaiveDate;

use super::anchors::Trail;
use super::verified::{Manifest, Verified, tell_later};
use super::workbook::{Subject, explain};
use crate::night::{NightError, Run};
use tieout_model::digest::sha256_hex;
use tieout_report::{PERIOD_MANIFEST_FILE, atomic};
use tieout_store::{Store, seal};

/// The fields of `period.json` that verifying needs; its digest covers the others.
#[derive(serde::Deserialize)]
struct Period {
    dates: Vec<PeriodDate>,
    files: BTreeMap<String, String>,
}

#[derive(serde::Deserialize)]
struct PeriodDate {
    business_date: NaiveDate,
    /// Empty for a date that was not reconciled.
    results_digest: String,
}

/// Verifies the folder of a period.
pub(crate) fn verify_folder(
    store: &Store,
    run: Option<&Run<'_>>,
    trail: &Trail,
    folder: &Path,
    name: &str,
) -> Result<Verified, NightError> {
    let mut verified = prove(store, run, folder, name)?;
    let last = name.rsplit("..").next().and_then(|last| last.parse().ok());
    if !verified.problems.is_empty() && last.is_some_and(|last| trail.was_interrupted(last)) {
        verified.problems = vec![format!(
            "the run that was to write it did not end: tieout report --date {name} writes it"
        )];
        verified.is_interrupted = true;
    }
    Ok(verified)
}

fn prove(
    store: &Store,
    run: Option<&Run<'_>>,
    folder: &Path,
    name: &str,
) -> Result<Verified, NightError> {
    let mut verified = Verified::of(folder);
    let problems = &mut verified.problems;
    let bytes = match atomic::read(&folder.join(PERIOD_MANIFEST_FILE)) {
        Ok(bytes) => bytes,
        Err(error) => {
            problems.push(format!("{PERIOD_MANIFEST_FILE} cannot be read: {error}"));
            return Ok(verified);
        }
    };
    let period: Period = match serde_json::from_slice(&bytes) {
        Ok(period) => period,
        Err(error) => {
            problems.push(format!("{PERIOD_MANIFEST_FILE} is not a manifest: {error}"));
            return Ok(verified);
        }
    };
    let manifest = Manifest { name: PERIOD_MANIFEST_FILE, subject: name };
    let later = manifest.is_a_written_one(store, &sha256_hex(&bytes), problems)?;
    let dates: Vec<NaiveDate> = period.dates.iter().map(|date| date.business_date).collect();
    let subject = Subject::Period(&dates);
    let explain = |digest: &str| match run {
        Some(run) => explain(run, store, subject, folder, digest),
        None => Ok(None),
    };
    verified.files = manifest.files(folder, &period.files, explain, problems)?;
    let before = problems.len();
    for date in &period.dates {
        let day = date.business_date;
        let kept = seal::sealed(store, day)?.unwrap_or_default();
        if kept != date.results_digest {
            problems.push(format!(
                "it was made from other results of {day} than the store holds: reconciled again \
                 since, or altered; tieout report --date {name} rewrites it"
            ));
        } else if !kept.is_empty() && seal::of_results(store, day)? != kept {
            problems.push(format!("the results of {day} in the store were altered"));
        }
    }
    tell_later(problems, before, later);
    Ok(verified)
}
