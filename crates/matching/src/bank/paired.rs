//! The input and the result of pairing.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use tieout_model::MerchantId;

/// A deposit that must appear on the account's statements, or the fees of a month that name no
/// deposit, which may. Its amount is never zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deposit {
    pub id: i64,
    pub merchant_id: MerchantId,
    /// The first day on which a line can pay it: the day on which it was sent.
    pub earliest: NaiveDate,
    pub payment_date: NaiveDate,
    /// The last day on which a line pays it on time.
    pub due: NaiveDate,
    /// The last day on which a line pays it together with others.
    pub sum_until: NaiveDate,
    /// Negative when the processor takes money.
    pub amount: i64,
    pub is_fees: bool,
}

/// A line of the account's statements that comes from the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub key: String,
    pub date: NaiveDate,
    /// For a debit, the first day of a credit that it can take back.
    pub back_from: NaiveDate,
    /// Negative for a debit.
    pub amount: i64,
    /// The merchant that it names, if any.
    pub merchant_id: Option<MerchantId>,
    /// The deposits that its text may name.
    pub names: BTreeSet<i64>,
}

impl Line {
    /// Whether neither names a merchant or a deposit beside what the other names.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        let merchants = self.merchant_id.as_ref().zip(other.merchant_id.as_ref());
        merchants.is_none_or(|(one, other)| one == other)
            && (self.names.is_empty()
                || other.names.is_empty()
                || !self.names.is_disjoint(&other.names))
    }
}

/// The state of a deposit after pairing; lines and sets by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepositState {
    Paid {
        line: usize,
    },
    /// Several lines add up to it, alone or together with other deposits.
    Together {
        set: usize,
    },
    Missing,
    Differs {
        line: usize,
    },
    /// The line debits the amount that another line had credited.
    TakenBack {
        line: usize,
    },
    Ambiguous {
        set: usize,
    },
}

/// The state of a line after pairing.
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
    /// It and another line cancel each other.
    TakenBack,
    Ambiguous {
        set: usize,
    },
}

/// Several lines that together pay one or more deposits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Together {
    pub deposits: Vec<usize>,
    pub lines: Vec<usize>,
}

/// Lines and deposits that fit in several ways; none of them is paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ambiguity {
    pub deposits: BTreeSet<usize>,
    pub lines: BTreeSet<usize>,
}

/// A state for every deposit and every line, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub deposits: Vec<DepositState>,
    pub lines: Vec<LineState>,
    pub ambiguities: Vec<Ambiguity>,
    pub together: Vec<Together>,
    /// Unpaired lines with more deposits in reach than the search for sums examines.
    pub bounded: BTreeSet<usize>,
}

impl Outcome {
    /// Parts a line and a deposit that were paired although their amounts differ.
    pub fn release(&mut self, line: usize, deposit: usize) {
        if self.lines[line] == (LineState::Differs { deposit }) {
            self.lines[line] = LineState::Unknown;
            self.deposits[deposit] = DepositState::Missing;
        }
    }
}
