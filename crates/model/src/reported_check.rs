//! The properties of a check that the reports use, from its header.

use std::collections::BTreeMap;

/// The meaning in money of a finding's difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Claim {
    /// Money received: less than expected is short, more is over.
    #[default]
    LessIsShort,
    /// Money that was taken or given back: more than expected is short, less is over.
    MoreIsShort,
    /// As [`Self::LessIsShort`], but the missing money was due and has not arrived.
    Overdue,
    /// Neither: money that is disputed, or a figure that was changed.
    Unclear,
}

/// Which of the sums at the top of a report the money of a finding belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoneyPart {
    Overdue,
    Short,
    Over,
    Unclear,
}

impl MoneyPart {
    /// In the order of the reports.
    pub const ALL: [Self; 4] = [Self::Overdue, Self::Short, Self::Over, Self::Unclear];

    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overdue => "Overdue",
            Self::Short => "Short",
            Self::Over => "Over or unidentified",
            Self::Unclear => "To be clarified",
        }
    }
}

impl Claim {
    /// Classifies a difference (actual less expected) by this claim.
    pub fn of(self, difference: i64) -> MoneyPart {
        match (self, difference < 0) {
            (Self::Unclear, _) => MoneyPart::Unclear,
            (Self::Overdue, true) => MoneyPart::Overdue,
            (Self::LessIsShort, true) | (Self::MoreIsShort, false) => MoneyPart::Short,
            (Self::LessIsShort | Self::Overdue, false) | (Self::MoreIsShort, true) => {
                MoneyPart::Over
            }
        }
    }
}

/// The properties of one check that the reports use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a line of the header by itself")]
pub struct ReportedCheck {
    /// The condition that it looks for, as a sentence.
    pub means: String,
    pub claim: Claim,
    /// Whether it is about the set-up: money cannot be judged while it fails.
    pub is_setup: bool,
    /// Whether no verdict follows from it, however severe it is.
    pub is_aside: bool,
    /// Whether the verdict of a deposit, of a batch rests on it.
    pub names_deposit: bool,
    pub names_batch: bool,
    /// Whether it concerns books.
    pub is_for_ledger: bool,
}

/// The properties of a check that no longer exists.
static GONE: ReportedCheck = ReportedCheck {
    means: String::new(),
    claim: Claim::LessIsShort,
    is_setup: false,
    is_aside: false,
    names_deposit: false,
    names_batch: false,
    is_for_ledger: false,
};

/// The properties of the checks by code. A check that no longer exists has the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportedChecks(pub BTreeMap<String, ReportedCheck>);

impl ReportedChecks {
    /// The properties of the check `code`.
    pub fn of(&self, code: &str) -> &ReportedCheck {
        self.0.get(code).unwrap_or(&GONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_a_difference_says_of_money() {
        let cases = [
            (Claim::LessIsShort, MoneyPart::Short, MoneyPart::Over),
            (Claim::MoreIsShort, MoneyPart::Over, MoneyPart::Short),
            (Claim::Overdue, MoneyPart::Overdue, MoneyPart::Over),
            (Claim::Unclear, MoneyPart::Unclear, MoneyPart::Unclear),
        ];
        for (claim, less, more) in cases {
            assert_eq!((claim.of(-1), claim.of(1)), (less, more), "{claim:?}");
        }
    }
}
