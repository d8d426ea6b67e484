//! The bridge of one bank and currency over a period: from the deposits that were paid to the total
//! of the processor's lines on the statements.

use chrono::NaiveDate;

use crate::MerchantId;
use crate::money::{Currency, Minor};

/// A step of the bridge, in its order. All but the last add up to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BridgeStep {
    /// A listing or statement is missing: the bank has no other rows.
    CannotBeClosed,
    Paid,
    OnTheWayAtStart,
    OverdueAtStart,
    CreditedBefore,
    OnTheWayAtEnd,
    OverdueAtEnd,
    AmbiguousDeposit,
    Carried,
    AmountDiffers,
    Fees,
    UnexplainedLine,
    LineNotDue,
    AmbiguousLine,
    TakenBack,
    Statement,
}

impl BridgeStep {
    /// Every step.
    pub const ALL: [Self; 16] = [
        Self::CannotBeClosed,
        Self::Paid,
        Self::OnTheWayAtStart,
        Self::OverdueAtStart,
        Self::CreditedBefore,
        Self::OnTheWayAtEnd,
        Self::OverdueAtEnd,
        Self::AmbiguousDeposit,
        Self::Carried,
        Self::AmountDiffers,
        Self::Fees,
        Self::UnexplainedLine,
        Self::LineNotDue,
        Self::AmbiguousLine,
        Self::TakenBack,
        Self::Statement,
    ];

    /// The word in the reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CannotBeClosed => "cannot_be_closed",
            Self::Paid => "paid",
            Self::OnTheWayAtStart => "on_the_way_at_start",
            Self::OverdueAtStart => "overdue_at_start",
            Self::CreditedBefore => "credited_before",
            Self::OnTheWayAtEnd => "on_the_way_at_end",
            Self::OverdueAtEnd => "overdue_at_end",
            Self::AmbiguousDeposit => "ambiguous_deposit",
            Self::Carried => "carried",
            Self::AmountDiffers => "amount_differs",
            Self::Fees => "fees",
            Self::UnexplainedLine => "unexplained_line",
            Self::LineNotDue => "line_not_due",
            Self::AmbiguousLine => "ambiguous_line",
            Self::TakenBack => "taken_back",
            Self::Statement => "statement",
        }
    }
}

/// A row of `bank_bridge.csv`: the amount that one deposit or line adds to a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankBridgeRow {
    pub bank: String,
    /// `None` where the bridge cannot be closed.
    pub currency: Option<Currency>,
    pub step: BridgeStep,
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    /// Joined with `;` where a line pays several.
    pub ach_deposit_id: String,
    /// Payment date of a deposit, date of a line.
    pub date: Option<NaiveDate>,
    pub due_date: Option<NaiveDate>,
    /// With the sign that it has in the bridge.
    pub amount: Option<Minor>,
    /// File and line of a line.
    pub place: String,
    pub note: String,
}
