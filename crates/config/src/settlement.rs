//! When money is due, and how items and ledger records are matched; a merchant can have terms of
//! its own.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::defaults;
use super::fields::calendar;
use super::keys::{MATCHING, SETTLEMENT, SIGNS};
use super::tree::{Entry, Table, declared};
use tieout_model::calendar::CalendarName;

/// Banking days until money is due, and the calendar that counts them.
#[derive(Clone, Debug)]
pub struct SettlementSettings {
    pub payout_days: u32,
    pub settle_days: u32,
    pub ledger_days: u32,
    pub return_days: u32,
    /// From a deposit's payment date until the bank's statement must show it.
    pub bank_days: u32,
    /// From that day on until a statement that does not show it is missing.
    pub statement_days: u32,
    /// From a dispute's status that waits for the merchant until it is reported.
    pub dispute_days: u32,
    /// Calendar days, counted from a bank transfer's run date.
    pub lookback_days: u32,
    /// Calendar days before a date whose listings are read again, to find changes since they were
    /// reconciled.
    pub restated_days: u32,
    /// The maximum number of pages of authorizations that these may cost a date, beside its other
    /// listings.
    pub restated_requests: u32,
    /// Whole percent that captures may exceed their authorization by, as for tips.
    pub capture_tolerance_percent: u32,
    pub calendar: CalendarName,
    pub extra_holidays: BTreeSet<NaiveDate>,
    /// The sign of each component of a deposit's net amount.
    pub signs: ComponentSigns,
}

/// `+1` or `-1` for each component of `netAmount`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentSigns {
    pub sales: i64,
    pub returns: i64,
    pub daily_fees: i64,
    pub held_sales: i64,
    pub ach_adjustment: i64,
    pub holdback: i64,
    pub reserve_release: i64,
}

/// How items and ledger records are matched.
#[derive(Clone, Debug)]
pub struct MatchingSettings {
    pub window_days: u32,
    pub amount_tolerance_minor: i64,
    /// Ten-thousandths of the larger amount; 0 is not set.
    pub amount_tolerance_basis_points: u32,
}

/// The terms of a merchant: its own, else the configured ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerchantTerms {
    pub payout_days: u32,
    pub settle_days: u32,
    pub ledger_days: u32,
    pub window_days: u32,
    pub amount_tolerance_minor: i64,
    pub amount_tolerance_basis_points: u32,
}

impl MerchantTerms {
    /// The terms of a merchant without terms of its own.
    pub fn usual(settlement: &SettlementSettings, matching: &MatchingSettings) -> Self {
        Self {
            payout_days: settlement.payout_days,
            settle_days: settlement.settle_days,
            ledger_days: settlement.ledger_days,
            window_days: matching.window_days,
            amount_tolerance_minor: matching.amount_tolerance_minor,
            amount_tolerance_basis_points: matching.amount_tolerance_basis_points,
        }
    }

    /// These, but where the table of a merchant has a value of its own.
    pub(super) fn with_own(&self, merchant: &Table) -> Self {
        Self {
            payout_days: merchant.own_number("payout_days").unwrap_or(self.payout_days),
            settle_days: merchant.own_number("settle_days").unwrap_or(self.settle_days),
            ledger_days: merchant.own_number("ledger_days").unwrap_or(self.ledger_days),
            window_days: merchant.own_number("window_days").unwrap_or(self.window_days),
            amount_tolerance_minor: merchant
                .own_number("amount_tolerance_minor")
                .unwrap_or(self.amount_tolerance_minor),
            amount_tolerance_basis_points: merchant
                .own_number("amount_tolerance_basis_points")
                .unwrap_or(self.amount_tolerance_basis_points),
        }
    }
}

pub(super) fn matching(table: &Table) -> MatchingSettings {
    MatchingSettings {
        window_days: table.number("window_days"),
        amount_tolerance_minor: table.number("amount_tolerance_minor"),
        amount_tolerance_basis_points: table.number("amount_tolerance_basis_points"),
    }
}

pub(super) fn settlement(table: &Table) -> SettlementSettings {
    let mut extra_holidays = BTreeSet::new();
    for (text, _) in table.list("extra_holidays").iter().filter_map(Entry::text) {
        extra_holidays.extend(text.parse::<NaiveDate>());
    }
    SettlementSettings {
        payout_days: table.number("payout_days"),
        settle_days: table.number("settle_days"),
        ledger_days: table.number("ledger_days"),
        return_days: table.number("return_days"),
        bank_days: table.number("bank_days"),
        statement_days: table.number("statement_days"),
        dispute_days: table.number("dispute_days"),
        lookback_days: table.number("lookback_days"),
        restated_days: table.number("restated_days"),
        restated_requests: table.number("restated_requests"),
        capture_tolerance_percent: table.number("capture_tolerance_percent"),
        calendar: declared(calendar(table)),
        extra_holidays,
        signs: signs(table.table("signs")),
    }
}

fn signs(table: &Table) -> ComponentSigns {
    let sign = |name| if table.word(name) == Some("minus") { -1 } else { 1 };
    ComponentSigns {
        sales: sign("sales"),
        returns: sign("returns"),
        daily_fees: sign("daily_fees"),
        held_sales: sign("held_sales"),
        ach_adjustment: sign("ach_adjustment"),
        holdback: sign("holdback"),
        reserve_release: sign("reserve_release"),
    }
}

impl Default for ComponentSigns {
    fn default() -> Self {
        signs(&defaults::of(SIGNS))
    }
}

impl Default for MerchantTerms {
    fn default() -> Self {
        Self::usual(&settlement(&defaults::of(SETTLEMENT)), &matching(&defaults::of(MATCHING)))
    }
}
