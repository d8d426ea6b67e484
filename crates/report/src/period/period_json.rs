//! `period.json`: the dates of a period with their states, and the digest of every other file. It
//! holds no times: the same data gives the same bytes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use chrono::NaiveDate;
use serde::Serialize;

use crate::period_report::PeriodReport;
use tieout_model::SCHEMA_VERSION;

/// The content of `period.json`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PeriodRecord {
    schema_version: u32,
    tool_version: String,
    first: NaiveDate,
    last: NaiveDate,
    last_reconciled: NaiveDate,
    verdict: &'static str,
    configuration_digest: String,
    dates: Vec<DateRecord>,
    /// File name to SHA-256, without this file.
    files: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize)]
struct DateRecord {
    business_date: NaiveDate,
    is_reconciled: bool,
    is_stale: bool,
    verdict: &'static str,
    not_evaluated: u64,
    /// SHA-256 over every row of the date in the store; empty if it was not reconciled.
    results_digest: String,
}

impl PeriodRecord {
    pub fn of(report: &PeriodReport, files: BTreeMap<String, String>) -> Self {
        let dates = report.days.iter().map(|day| DateRecord {
            business_date: day.business_date,
            is_reconciled: day.figures.is_some(),
            is_stale: day.figures.as_ref().is_some_and(|figures| figures.is_stale),
            verdict: day.verdict.as_str(),
            not_evaluated: day.figures.as_ref().map_or(0, |figures| figures.not_evaluated),
            results_digest: report.results.get(&day.business_date).cloned().unwrap_or_default(),
        });
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: report.tool_version.clone(),
            first: report.first,
            last: report.last,
            last_reconciled: report.last_reconciled,
            verdict: report.verdict().as_str(),
            configuration_digest: report.configuration_digest.clone(),
            dates: dates.collect(),
            files,
        }
    }

    /// Writes the record, indented, with a line feed at the end.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }
}
