//! The report of a period: one set of files over several business dates in a row, in
//! `<dir>/periods/<first>..<last>/`. Its manifest is `period.json`, written last.

mod record;
mod rows;

use std::collections::BTreeSet;
use std::path::Path;

use chrono::NaiveDate;

use super::atomic::{self, StagedFile};
use super::manifest::{Count, DiscrepancyTotals};
use super::table::Table;
use super::{Contents, ReportError, WrittenFiles, order, overview, page, publish};
use crate::config::{ComponentSigns, ReportFormat};
use crate::model::{
    DayAmountsRow, DayFigures, DayRow, DepositRow, Discrepancy, MerchantPeriodRow, ReturnCodeRow,
    ReturnRateRow, Verdict,
};
use record::PeriodRecord;

/// The folder of the periods, beside those of the dates.
pub const PERIODS_FOLDER: &str = "periods";
/// The manifest's name, which is written whatever the formats.
pub const PERIOD_MANIFEST_FILE: &str = "period.json";

/// Everything that is written for a period. Rows are in their order.
#[derive(Clone, Debug)]
pub struct PeriodReport {
    pub first: NaiveDate,
    pub last: NaiveDate,
    /// The last date of the period that was reconciled: what is open is open on it.
    pub last_reconciled: NaiveDate,
    pub days: Vec<DayRow>,
    /// Of each reconciled date the digest of what it came to.
    pub results: std::collections::BTreeMap<NaiveDate, String>,
    pub amounts: Vec<DayAmountsRow>,
    pub merchants: Vec<MerchantPeriodRow>,
    /// Each as it was on the last date on which it was listed.
    pub discrepancies: Vec<Discrepancy>,
    pub deposits: Vec<DepositRow>,
    pub return_rates: Vec<ReturnRateRow>,
    pub return_codes: Vec<ReturnCodeRow>,
    pub signs: ComponentSigns,
    pub meanings: std::collections::BTreeMap<String, String>,
    pub tool_version: String,
    pub configuration_digest: String,
}

impl PeriodReport {
    /// How things stand at its end. A date that was not reconciled, or not in full, leaves the
    /// period untold.
    pub fn verdict(&self) -> Verdict {
        let is_untold = |day: &DayRow| day.verdict == Verdict::NotEvaluated;
        if self.days.iter().any(is_untold) {
            return Verdict::NotEvaluated;
        }
        self.days.last().map_or(Verdict::NotEvaluated, |day| day.verdict)
    }

    /// From what was open before the first date to what is open after the last.
    pub(super) fn roll_forward(&self) -> DiscrepancyTotals {
        let days: Vec<&DayFigures> =
            self.days.iter().filter_map(|day| day.figures.as_ref()).collect();
        let total =
            |of: fn(&DayFigures) -> u64| Count { count: days.iter().map(|day| of(day)).sum() };
        DiscrepancyTotals {
            opening: Count { count: days.first().map_or(0, |day| day.opening) },
            new: total(|day| day.new),
            reopened: total(|day| day.reopened),
            cleared: total(|day| day.cleared),
            accepted: total(|day| day.accepted),
            closing: Count { count: days.last().map_or(0, |day| day.closing) },
        }
    }

    fn tables(&self) -> Vec<Table<'_>> {
        vec![
            Table::of(self.days.iter().collect()),
            Table::of(self.amounts.iter().collect()),
            Table::of(self.merchants.iter().collect()),
            Table::of(order::discrepancies(&self.discrepancies)),
            Table::of(order::deposits(&self.deposits)),
            Table::of(self.return_rates.iter().collect()),
            Table::of(self.return_codes.iter().collect()),
        ]
    }
}

/// Writes the files of a period.
///
/// # Errors
/// When a folder or file cannot be written. No file is ever half written under its own name.
pub fn write_period(
    dir: &Path,
    report: &PeriodReport,
    formats: &BTreeSet<ReportFormat>,
) -> Result<WrittenFiles, ReportError> {
    let folder = dir.join(PERIODS_FOLDER).join(format!("{}..{}", report.first, report.last));
    atomic::create_folder(&folder)?;
    let tables = report.tables();
    let contents = Contents {
        title: format!("Settlement reconciliation, {} to {}", report.first, report.last),
        date: report.last,
        tables: &tables,
        overview: overview::of_period(report),
        page: &|files| page::period_page(report, files),
    };
    let others = contents.others(formats);
    let mut files = publish(contents.stage(&folder, formats)?)?;
    let record = PeriodRecord::of(report, files.clone());
    let manifest = StagedFile::write(&folder, PERIOD_MANIFEST_FILE, |out| record.write_to(out))?;
    files.extend(publish(vec![manifest])?);
    atomic::remove_files(&folder, &others)?;
    atomic::sync_folder(&folder)?;
    Ok(WrittenFiles { folder, files })
}
