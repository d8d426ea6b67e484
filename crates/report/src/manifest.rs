//! `run.json`: its name, its format, and the part of it that the index reads.

use std::io::{self, Write};
use std::path::Path;

use chrono::NaiveDate;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::atomic;
use tieout_model::{DateStanding, DiscrepancyTotals, RunRecord, SignOff, StoreStamp};

/// The manifest's name. It is written for every set of formats.
pub const MANIFEST_FILE: &str = "run.json";

/// The part of a date's manifest that the index shows.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IndexedDate {
    pub business_date: NaiveDate,
    pub tool_version: String,
    pub standing: Option<DateStanding>,
    #[serde(default)]
    pub sign_off: SignOff,
    pub discrepancies: DiscrepancyTotals,
    pub checks: IndexedChecks,
}

/// The checks that could not be evaluated; only their number is read.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IndexedChecks {
    pub not_evaluated: Vec<IgnoredAny>,
}

/// The id of the store that wrote the manifest of `folder`; `None` without a manifest, or if it is
/// older than the ids of stores.
pub fn store_of(folder: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Stamped {
        store: Option<StoreStamp>,
    }
    part_of::<Stamped>(folder)?.store.map(|store| store.id)
}

/// The sign-off in the manifest of `folder`; `None` without one.
pub fn sign_off_of(folder: &Path) -> Option<SignOff> {
    #[derive(Deserialize)]
    struct Signed {
        #[serde(default)]
        sign_off: SignOff,
    }
    Some(part_of::<Signed>(folder)?.sign_off)
}

/// A part of the manifest of `folder`; `None` if it is absent or cannot be parsed.
fn part_of<T: DeserializeOwned>(folder: &Path) -> Option<T> {
    let content = atomic::read(&folder.join(MANIFEST_FILE)).ok()?;
    serde_json::from_slice(&content).ok()
}

/// Writes the record, indented, with a line feed at the end.
pub(super) fn write(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, record)?;
    out.write_all(b"\n")
}
