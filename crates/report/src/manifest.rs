//! `run.json`: its name, how it is written, and what the index reads of it.

use std::io::{self, Write};
use std::path::Path;

use chrono::NaiveDate;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use tieout_model::{DateStanding, DiscrepancyTotals, RunRecord, SignOff, StoreStamp};

/// The manifest's name, which is written whatever the formats.
pub const MANIFEST_FILE: &str = "run.json";

/// A date of the index: what its manifest says.
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

/// How many checks could not be evaluated.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IndexedChecks {
    pub not_evaluated: Vec<IgnoredAny>,
}

/// The id of the store that wrote the manifest of `folder`; `None` without one, or of a manifest
/// from before stores had ids.
pub fn store_of(folder: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Stamped {
        store: Option<StoreStamp>,
    }
    part_of::<Stamped>(folder)?.store.map(|store| store.id)
}

/// What the manifest of `folder` says of who has signed its date off; `None` without one.
pub fn sign_off_of(folder: &Path) -> Option<SignOff> {
    #[derive(Deserialize)]
    struct Signed {
        #[serde(default)]
        sign_off: SignOff,
    }
    Some(part_of::<Signed>(folder)?.sign_off)
}

/// A part of the manifest of `folder`; `None` without one that can be understood.
fn part_of<T: DeserializeOwned>(folder: &Path) -> Option<T> {
    let content = std::fs::read(folder.join(MANIFEST_FILE)).ok()?;
    serde_json::from_slice(&content).ok()
}

/// Writes the record, indented, with a line feed at the end.
pub(super) fn write(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, record)?;
    out.write_all(b"\n")
}
