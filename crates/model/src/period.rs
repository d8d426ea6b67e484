//! The result of several consecutive business dates: the rows of the period reports. `None` means
//! unknown and is written empty.

use chrono::NaiveDate;

use super::report_rows::{RollAmounts, Verdict};
use super::{MerchantId, MoneyShare, SignOff};
use crate::money::{Currency, Minor};

/// Ages of open discrepancies in banking days: the name of a column, words for a person, and
/// the last day that belongs to it.
pub const AGES: [(&str, &str, u32); 6] = [
    ("age_0", "First day", 0),
    ("age_1", "1 banking day", 1),
    ("age_2_to_5", "2 to 5", 5),
    ("age_6_to_10", "6 to 10", 10),
    ("age_11_to_20", "11 to 20", 20),
    ("age_over_20", "More than 20", u32::MAX),
];

/// Which of [`AGES`] an age belongs to.
pub fn age_class(age_days: u32) -> usize {
    AGES.iter().position(|(_, _, last)| age_days <= *last).unwrap_or(AGES.len() - 1)
}

/// A row of `days.csv` of a period: one business date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayRow {
    pub business_date: NaiveDate,
    pub verdict: Verdict,
    /// The verdict by new discrepancies alone, without those carried from earlier dates.
    pub own_verdict: Verdict,
    /// `None` on a date that was never reconciled, as all that follows.
    pub figures: Option<DayFigures>,
    /// The first date of the period as of which all dates up to this one were final.
    pub final_since: Option<NaiveDate>,
    pub sign_off: SignOff,
}

/// The figures of a reconciled date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DayFigures {
    /// An older date was reconciled after this one, or records of it were listed, and this one not
    /// since.
    pub is_stale: bool,
    pub not_evaluated: u64,
    /// Open ones by level.
    pub errors: u64,
    pub warnings: u64,
    pub notes: u64,
    pub opening: u64,
    pub new: u64,
    pub reopened: u64,
    pub cleared: u64,
    pub accepted: u64,
    pub closing: u64,
    /// Open ones by age, as in [`AGES`].
    pub ages: [u64; AGES.len()],
    /// For the merchants whose books were compared; `None` without any.
    pub ledger_records: Option<i64>,
    pub matched: Option<i64>,
}

/// A row of `day_amounts.csv` of a period: one business date and currency. An amount is
/// unknown when one merchant's is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayAmountsRow {
    pub business_date: NaiveDate,
    pub currency: Option<Currency>,
    pub deposits: Option<i64>,
    pub deposited_net: Option<Minor>,
    pub batches: Option<i64>,
    pub items: Option<i64>,
    pub items_amount: Option<Minor>,
    pub in_transit_amount: Option<Minor>,
    pub closing: i64,
    pub closing_amount: Option<Minor>,
    /// Opening + new - cleared - accepted + changed = closing.
    pub roll: RollAmounts,
    /// The explained and verified share; empty on a date that could not be evaluated.
    pub share: MoneyShare,
}

/// A row of `merchants.csv` of a period: one merchant and currency. A figure that is unknown
/// on one of the dates is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantPeriodRow {
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    pub days_tied: i64,
    pub days_in_transit: i64,
    pub days_discrepancy: i64,
    pub days_not_evaluated: i64,
    pub deposits: Option<i64>,
    pub deposited_net: Option<Minor>,
    pub batches: Option<i64>,
    pub items: Option<i64>,
    pub items_amount: Option<Minor>,
    pub ledger_records: Option<i64>,
    pub matched: Option<i64>,
    /// On the first date.
    pub opening: i64,
    pub new: i64,
    pub cleared: i64,
    /// On the last date, as the amount and the verdict.
    pub closing: i64,
    pub closing_amount: Option<Minor>,
    pub verdict: Verdict,
    /// Not among `cleared`.
    pub accepted: Option<i64>,
    /// Opening + new - cleared - accepted + changed = closing.
    pub roll: RollAmounts,
}

/// A rate of returned debits that the rules of the ACH network set a threshold for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReturnMeasure {
    Unauthorized,
    Administrative,
    Overall,
}

impl ReturnMeasure {
    /// Every measure.
    pub const ALL: [Self; 3] = [Self::Unauthorized, Self::Administrative, Self::Overall];

    /// The word in the reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unauthorized => "unauthorized",
            Self::Administrative => "administrative",
            Self::Overall => "overall",
        }
    }

    /// The return codes that it counts; `None` for every one.
    pub fn codes(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Unauthorized => Some(&["R05", "R07", "R10", "R11", "R29", "R51"]),
            Self::Administrative => Some(&["R02", "R03", "R04"]),
            Self::Overall => None,
        }
    }

    /// In hundredths of a percent; a rate above it breaks the rule.
    pub fn threshold(self) -> i64 {
        match self {
            Self::Unauthorized => 50,
            Self::Administrative => 300,
            Self::Overall => 1_500,
        }
    }

    /// Whether it counts a return with this code.
    pub fn counts(self, code: &str) -> bool {
        self.codes().is_none_or(|codes| codes.contains(&code))
    }
}

/// A rate compared with its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    Within,
    Over,
    /// Not every day of the window was read.
    NotEvaluated,
    /// Nothing was debited.
    NoDebits,
}

impl Standing {
    /// The word in the reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Within => "within",
            Self::Over => "over",
            Self::NotEvaluated => "not_evaluated",
            Self::NoDebits => "no_debits",
        }
    }
}

/// A row of `return_rates.csv`: one merchant and measure over the window that ends with the
/// period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnRateRow {
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub measure: ReturnMeasure,
    pub window_from: NaiveDate,
    pub window_to: NaiveDate,
    /// Days of the window whose settled payments were read on every terminal.
    pub days_read: i64,
    pub returned: i64,
    pub debits: i64,
}

impl ReturnRateRow {
    /// Days of the window.
    pub fn days(&self) -> i64 {
        (self.window_to - self.window_from).num_days() + 1
    }

    /// Compares the rate with its threshold. A rate that was not read in full is not compared.
    pub fn standing(&self) -> Standing {
        // Both sides in hundredths of a percent of the debits: nothing is rounded.
        let returned = i128::from(self.returned) * 10_000;
        let allowed = i128::from(self.debits) * i128::from(self.measure.threshold());
        match () {
            () if self.days_read < self.days() => Standing::NotEvaluated,
            () if self.debits == 0 && self.returned == 0 => Standing::NoDebits,
            () if returned > allowed => Standing::Over,
            () => Standing::Within,
        }
    }
}

/// A row of `return_codes.csv`: one merchant and return code over the same window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnCodeRow {
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub code: String,
    /// As the processor words it.
    pub reason: String,
    pub currency: Currency,
    pub returned: i64,
    /// Unknown when that of one payment is.
    pub amount: Option<Minor>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(measure: ReturnMeasure, returned: i64, debits: i64, days_read: i64) -> ReturnRateRow {
        ReturnRateRow {
            merchant_id: "1".into(),
            merchant_name: String::new(),
            measure,
            window_from: "2026-09-22".parse().unwrap(),
            window_to: "2026-11-20".parse().unwrap(),
            days_read,
            returned,
            debits,
        }
    }

    #[test]
    fn breaks_a_rule_only_above_its_threshold() {
        use ReturnMeasure::{Administrative, Overall, Unauthorized};
        let cases = [
            (Unauthorized, 1, 200, 60, Standing::Within), // 0.5 % exactly
            (Unauthorized, 1, 199, 60, Standing::Over),
            (Administrative, 3, 100, 60, Standing::Within),
            (Administrative, 3, 99, 60, Standing::Over),
            (Overall, 15, 100, 60, Standing::Within),
            (Overall, 16, 100, 60, Standing::Over),
            (Overall, 1, 0, 60, Standing::Over), // all that there is came back
            (Overall, 0, 0, 60, Standing::NoDebits),
            (Overall, 99, 100, 59, Standing::NotEvaluated),
        ];
        for (measure, returned, debits, days_read, expected) in cases {
            let row = rate(measure, returned, debits, days_read);
            assert_eq!(row.days(), 60);
            assert_eq!(row.standing(), expected, "{returned} of {debits} {measure:?}");
        }
    }

    #[test]
    fn puts_every_age_into_one_class() {
        let classes = [0, 1, 2, 5, 6, 10, 11, 20, 21, u32::MAX].map(age_class);
        assert_eq!(classes, [0, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
}
