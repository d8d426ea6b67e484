//! The codes of the bank checks.

/// A bank check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BankCode {
    DepositNotInBank,
    AmountMismatch,
    CreditUnknown,
    CreditAmbiguous,
    ProcessorNotOnStatement,
}

impl BankCode {
    /// Every code.
    pub(super) const ALL: [Self; 5] = [
        Self::DepositNotInBank,
        Self::AmountMismatch,
        Self::CreditUnknown,
        Self::CreditAmbiguous,
        Self::ProcessorNotOnStatement,
    ];

    /// The code as it is reported.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DepositNotInBank => "DEPOSIT_NOT_IN_BANK",
            Self::AmountMismatch => "BANK_AMOUNT_MISMATCH",
            Self::CreditUnknown => "BANK_CREDIT_UNKNOWN",
            Self::CreditAmbiguous => "BANK_CREDIT_AMBIGUOUS",
            Self::ProcessorNotOnStatement => "PROCESSOR_NOT_ON_STATEMENT",
        }
    }
}
