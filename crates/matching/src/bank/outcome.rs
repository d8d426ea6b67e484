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
    /// The last day on which a line pays it together with others.
    pub sum_until: NaiveDate,
    /// Negative when the processor takes money.
    pub amount: i64,
}

/// A line of the account's statements that the processor caused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub key: String,
    pub date: NaiveDate,
    /// The first day of a credit that it can take back, when it is a debit.
    pub back_from: NaiveDate,
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
    /// Several lines add up to it, alone or together with others.
    Together {
        set: usize,
    },
    Missing,
    Differs {
        line: usize,
    },
    /// The line debits again what another one had credited.
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
    /// It pays deposits together with other lines.
    Together {
        set: usize,
    },
    Unknown,
    Differs {
        deposit: usize,
    },
    /// It and another line cancel each other, of a deposit that was sent or of none.
    TakenBack {
        deposit: Option<usize>,
    },
    Ambiguous {
        set: usize,
    },
}

/// Several lines that pay one deposit or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Together {
    pub deposits: Vec<usize>,
    pub lines: Vec<usize>,
}

/// Lines and deposits of which nothing was paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ambiguity {
    pub deposits: BTreeSet<usize>,
    pub lines: BTreeSet<usize>,
}

/// A state for every deposit and every line, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub deposits: Vec<DepositState>,
    pub lines: Vec<LineState>,
    pub ambiguities: Vec<Ambiguity>,
    pub together: Vec<Together>,
    /// Lines left over with more deposits in reach than sums are looked for among.
    pub bounded: BTreeSet<usize>,
}
