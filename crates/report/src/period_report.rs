//! The contents of all reports of a period.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::order;
use super::table::Table;
use tieout_config::ComponentSigns;
use tieout_model::{
    AcceptedRow, BankBridgeRow, Count, DayAmountsRow, DayFigures, DayRow, DepositRow, Discrepancy,
    DiscrepancyTotals, FeeRateRow, MerchantPeriodRow, NotEvaluated, ReportedChecks, ReturnCodeRow,
    ReturnRateRow, Verdict,
};

/// The contents of all reports of a period. Rows are in their order.
#[derive(Clone, Debug)]
pub struct PeriodReport {
    pub first: NaiveDate,
    pub last: NaiveDate,
    /// The last reconciled date of the period, on which findings count as open.
    pub last_reconciled: NaiveDate,
    pub days: Vec<DayRow>,
    /// The digest of the results of each reconciled date.
    pub results: BTreeMap<NaiveDate, String>,
    pub amounts: Vec<DayAmountsRow>,
    pub merchants: Vec<MerchantPeriodRow>,
    /// Each in its state on the last date that listed it.
    pub discrepancies: Vec<Discrepancy>,
    /// Each in its state on the last date on which it was accepted.
    pub accepted: Vec<AcceptedRow>,
    /// As of the last reconciled date.
    pub deposits: Vec<DepositRow>,
    /// The bridges of the banks, row by row.
    pub bank_bridge: Vec<BankBridgeRow>,
    pub fee_rates: Vec<FeeRateRow>,
    pub return_rates: Vec<ReturnRateRow>,
    pub return_codes: Vec<ReturnCodeRow>,
    pub signs: ComponentSigns,
    /// The time zone in which the times of people's acts are shown.
    pub time_zone: Tz,
    /// The time zone of all merchants; `None` if they have several.
    pub merchant_zone: Option<Tz>,
    /// The entries that could not be evaluated, by date.
    pub not_evaluated: BTreeMap<NaiveDate, Vec<NotEvaluated>>,
    pub checks: ReportedChecks,
    pub tool_version: String,
    pub configuration_digest: String,
}

impl PeriodReport {
    /// The state at its end. A date that was not reconciled, or not in full, makes the period not
    /// evaluated.
    pub fn verdict(&self) -> Verdict {
        let is_untold = |day: &DayRow| day.verdict == Verdict::NotEvaluated;
        if self.days.iter().any(is_untold) {
            return Verdict::NotEvaluated;
        }
        self.days.last().map_or(Verdict::NotEvaluated, |day| day.verdict)
    }

    /// The roll-forward from the findings open before the first date to those open after the last.
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

    /// Number of dates that were closed.
    pub(super) fn signed_off(&self) -> u64 {
        self.days.iter().filter(|day| day.sign_off.closed.is_some()).count() as u64
    }

    pub(super) fn tables(&self) -> Vec<Table<'_>> {
        vec![
            Table::of(self.days.iter().collect()),
            Table::of(self.amounts.iter().collect()),
            Table::of(self.merchants.iter().collect()),
            Table::of(order::discrepancies(&self.discrepancies)),
            Table::of(order::deposits(&self.deposits)),
            Table::of(self.bank_bridge.iter().collect()),
            Table::of(self.fee_rates.iter().collect()),
            Table::of(self.return_rates.iter().collect()),
            Table::of(self.return_codes.iter().collect()),
        ]
    }
}
