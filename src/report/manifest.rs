//! `run.json`: its name, how it is written, and what the index reads of it.

use std::io::{self, Write};

use chrono::NaiveDate;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::model::{DateStanding, DiscrepancyTotals, RunRecord};

/// The manifest's name, which is written whatever the formats.
pub const MANIFEST_FILE: &str = "run.json";

/// A date of the index: what its manifest says.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IndexedDate {
    pub business_date: NaiveDate,
    pub tool_version: String,
    pub standing: Option<DateStanding>,
    pub discrepancies: DiscrepancyTotals,
    pub checks: IndexedChecks,
}

/// How many checks could not be evaluated.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IndexedChecks {
    pub not_evaluated: Vec<IgnoredAny>,
}

/// Writes the record, indented, with a line feed at the end.
pub(super) fn write(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, record)?;
    out.write_all(b"\n")
}
