//! What pairing takes, and what it answers with.

use std::collections::BTreeSet;

use chrono::NaiveDate;

/// A deposit that must stand on the account's statements. Never of zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deposit {
    pub id: i64,
    pub merchant_id: String,
    /// The first day on which a line can pay it: the day that it was sent.
    pub earliest: NaiveDate,
    pub payment_date: NaiveDate,
    /// The last day on which a line pays it on time.
    pub due: NaiveDate,
    /// Negative when the processor takes money.
    pub amount: i64,
    /// The deposit of the same group and figures that was paid before it.
    pub twin_of: Option<i64>,
}

/// A line of the account's statements that the processor caused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub key: String,
    pub date: NaiveDate,
    /// Negative for a debit.
    pub amount: i64,
    /// The merchant that it names, when it names one.
    pub merchant_id: Option<String>,
    /// The deposits that its text may name.
    pub names: BTreeSet<i64>,
}

/// What became of a deposit; lines and sets by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepositState {
    Paid {
        line: usize,
    },
    /// Several lines add up to it; they name it.
    PaidInParts,
    Missing,
    Differs {
        line: usize,
    },
    /// The line debits again what another one had credited; it was sent again.
    TakenBack {
        line: usize,
    },
    Ambiguous {
        set: usize,
    },
}

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineState {
    Pays(Vec<usize>),
    /// It pays the deposit together with other lines.
    PaysPart {
        deposit: usize,
    },
    Unknown,
    Differs {
        deposit: usize,
    },
    TakenBack {
        deposit: usize,
    },
    Ambiguous {
        set: usize,
    },
}

/// Lines and deposits of which nothing was paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ambiguity {
    pub deposits: BTreeSet<usize>,
    pub lines: BTreeSet<usize>,
    /// Whether more choices were possible than are looked at.
    pub is_bounded: bool,
}

/// A state for every deposit and every line, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub deposits: Vec<DepositState>,
    pub lines: Vec<LineState>,
    pub ambiguities: Vec<Ambiguity>,
}
