//! Pairs the lines of a bank account with the deposits that they pay. Pure: deposits and lines
//! as of a date go in, a state for each of them comes out; their order changes nothing.
//!
//! 1. On time, one to one: the same amount, nearest day first.
//! 2. On time, one line for several deposits of one merchant: when exactly one choice of them
//!    adds up to the line.
//! 3. On time, several lines for one deposit: when exactly one choice of them adds up to it.
//! 4. Late: the same, for what is past its due date.
//! 5. What is left, one line and one deposit that have nobody else: they differ in amount.
//!
//! A pair that deposits which are left over could have made just as well is no pair: nothing is
//! guessed. Deposits of one merchant, day and amount are interchangeable, and so are lines of
//! one day and amount.

mod late;
mod parts;
mod single;
mod sums;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use sums::Budget;

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

/// Pairs the deposits and the lines of one account and currency.
///
/// Sums are looked for among at most `sums::MAX_CANDIDATES` deposits of a merchant at a time,
/// and within a budget of steps for the whole account; what would take more is ambiguous.
pub fn pair(deposits: &[Deposit], lines: &[Line]) -> Outcome {
    let mut pairing = Pairing::new(deposits, lines);
    single::run(&mut pairing);
    sums::run(&mut pairing, Pairing::is_on_time);
    parts::run(&mut pairing);
    pairing.withdraw_doubtful();
    late::run(&mut pairing);
    pairing.pair_what_differs();
    pairing.outcome
}

/// The state of play.
struct Pairing<'a> {
    deposits: &'a [Deposit],
    lines: &'a [Line],
    /// Positions, in an order that does not depend on the input's.
    deposit_order: Vec<usize>,
    line_order: Vec<usize>,
    /// Calendar days that a line can stand after a payment date, and before it.
    reach_days: i64,
    early_days: i64,
    outcome: Outcome,
    budget: Budget,
}

impl<'a> Pairing<'a> {
    fn new(deposits: &'a [Deposit], lines: &'a [Line]) -> Self {
        let mut deposit_order: Vec<usize> = (0..deposits.len()).collect();
        deposit_order.sort_by_key(|&at| {
            let deposit = &deposits[at];
            (deposit.payment_date, &deposit.merchant_id, deposit.id)
        });
        let mut line_order: Vec<usize> = (0..lines.len()).collect();
        line_order.sort_by_key(|&at| (lines[at].date, lines[at].amount, &lines[at].key));
        let longest = |days: fn(&Deposit) -> chrono::Duration| {
            deposits.iter().map(|one| days(one).num_days()).max().unwrap_or(0)
        };
        let on_time_days = longest(|one| one.due - one.payment_date);
        let early_days = longest(|one| one.payment_date - one.earliest);
        Self {
            deposits,
            lines,
            deposit_order,
            line_order,
            reach_days: on_time_days.max(late::LATE_DAYS),
            early_days,
            outcome: Outcome {
                deposits: vec![DepositState::Missing; deposits.len()],
                lines: vec![LineState::Unknown; lines.len()],
                ambiguities: Vec::new(),
            },
            budget: Budget::default(),
        }
    }

    fn is_deposit_left(&self, deposit: usize) -> bool {
        self.outcome.deposits[deposit] == DepositState::Missing
    }

    fn is_line_left(&self, line: usize) -> bool {
        self.outcome.lines[line] == LineState::Unknown
    }

    /// In order of payment date.
    fn deposits_left(&self) -> Vec<usize> {
        self.deposit_order.iter().copied().filter(|&at| self.is_deposit_left(at)).collect()
    }

    /// Of `left` (in order of payment date) those that the line could pay at all: few, however
    /// long the history is.
    fn in_reach<'l>(&self, left: &'l [usize], line: usize) -> &'l [usize] {
        let date = self.lines[line].date;
        let day = |at: &usize| self.deposits[*at].payment_date;
        let first = left.partition_point(|at| (date - day(at)).num_days() > self.reach_days);
        let end = left.partition_point(|at| (day(at) - date).num_days() <= self.early_days);
        &left[first.min(end)..end]
    }

    fn lines_left(&self) -> Vec<usize> {
        self.line_order.iter().copied().filter(|&at| self.is_line_left(at)).collect()
    }

    fn is_allowed(&self, line: usize, deposit: usize) -> bool {
        let named = self.lines[line].merchant_id.as_ref();
        named.is_none_or(|merchant| *merchant == self.deposits[deposit].merchant_id)
    }

    /// Whether the line would pay the deposit on time.
    fn is_on_time(&self, line: usize, deposit: usize) -> bool {
        let (line_date, deposit_of) = (self.lines[line].date, &self.deposits[deposit]);
        (deposit_of.earliest..=deposit_of.due).contains(&line_date)
            && self.is_allowed(line, deposit)
    }

    /// Calendar days between the payment date and the line.
    fn distance(&self, line: usize, deposit: usize) -> i64 {
        (self.lines[line].date - self.deposits[deposit].payment_date).num_days().abs()
    }

    fn pay(&mut self, line: usize, deposits: Vec<usize>) {
        assert!(self.is_line_left(line) && !deposits.is_empty(), "a line is taken once");
        let sum: i128 = deposits.iter().map(|&at| i128::from(self.deposits[at].amount)).sum();
        assert!(sum == i128::from(self.lines[line].amount), "a line pays what it is worth");
        for &deposit in &deposits {
            assert!(self.is_deposit_left(deposit), "a deposit is paid once");
            self.outcome.deposits[deposit] = DepositState::Paid { line };
        }
        self.outcome.lines[line] = LineState::Pays(deposits);
    }

    /// Pays one deposit with several lines.
    fn pay_in_parts(&mut self, deposit: usize, lines: &[usize]) {
        let sum: i128 = lines.iter().map(|&at| i128::from(self.lines[at].amount)).sum();
        assert!(sum == i128::from(self.deposits[deposit].amount), "lines pay what they add up to");
        assert!(self.is_deposit_left(deposit), "a deposit is paid once");
        for &line in lines {
            assert!(self.is_line_left(line), "a line is taken once");
            self.outcome.lines[line] = LineState::PaysPart { deposit };
        }
        self.outcome.deposits[deposit] = DepositState::PaidInParts;
    }

    /// Sets lines and deposits aside, whatever they were taken for.
    fn mark_ambiguous(
        &mut self,
        lines: BTreeSet<usize>,
        deposits: BTreeSet<usize>,
        is_bounded: bool,
    ) {
        let set = self.outcome.ambiguities.len();
        for &line in &lines {
            self.outcome.lines[line] = LineState::Ambiguous { set };
        }
        for &deposit in &deposits {
            self.outcome.deposits[deposit] = DepositState::Ambiguous { set };
        }
        self.outcome.ambiguities.push(Ambiguity { deposits, lines, is_bounded });
    }

    /// Takes back each pair that could be made just as well with deposits that are left over,
    /// all of them as near as the farthest that it took.
    fn withdraw_doubtful(&mut self) {
        let left = self.deposits_left();
        for line in self.line_order.clone() {
            let LineState::Pays(taken) = self.outcome.lines[line].clone() else { continue };
            let reach = taken.iter().map(|&at| self.distance(line, at)).max().unwrap_or(0);
            let mut candidates: Vec<usize> = self.in_reach(&left, line).to_vec();
            candidates.retain(|&at| {
                self.is_deposit_left(at)
                    && self.is_on_time(line, at)
                    && self.distance(line, at) <= reach
            });
            if candidates.is_empty() {
                continue;
            }
            candidates.extend(&taken);
            if let Some((deposits, is_bounded)) = sums::choose(self, line, &candidates).uncertain()
            {
                let all = deposits.into_iter().chain(taken).collect();
                self.mark_ambiguous(BTreeSet::from([line]), all, is_bounded);
            }
        }
    }

    /// A line and a deposit on time that have nobody else belong together all the same.
    fn pair_what_differs(&mut self) {
        let lines = self.lines_left();
        let fits = |pairing: &Self, line: usize, deposit: usize| {
            pairing.is_on_time(line, deposit)
                // What comes before its day with another amount is more likely somebody else's.
                && pairing.lines[line].date >= pairing.deposits[deposit].payment_date
                && (pairing.lines[line].amount > 0) == (pairing.deposits[deposit].amount > 0)
        };
        let left = self.deposits_left();
        let mut of_line: Vec<(usize, usize)> = Vec::new();
        let mut lines_of: BTreeMap<usize, u32> = BTreeMap::new();
        for &line in &lines {
            let in_reach = self.in_reach(&left, line).iter().copied();
            let fitting: Vec<usize> = in_reach.filter(|&at| fits(self, line, at)).collect();
            for &deposit in &fitting {
                *lines_of.entry(deposit).or_default() += 1;
            }
            if let [only] = fitting[..] {
                of_line.push((line, only));
            }
        }
        for (line, deposit) in of_line.into_iter().filter(|(_, one)| lines_of[one] == 1) {
            self.outcome.lines[line] = LineState::Differs { deposit };
            self.outcome.deposits[deposit] = DepositState::Differs { line };
        }
    }
}
