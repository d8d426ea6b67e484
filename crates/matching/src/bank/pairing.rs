//! The state while the passes run: the deposits and lines that are left, and the states of the
//! others.

use std::collections::BTreeSet;

use super::paired::{Ambiguity, Deposit, DepositState, Line, LineState, Outcome, Together};
use crate::search::Budget;
use tieout_model::MerchantId;

/// The state while the passes run.
pub(super) struct Pairing<'a> {
    pub(super) deposits: &'a [Deposit],
    pub(super) lines: &'a [Line],
    /// Positions, in an order that does not depend on the input's.
    pub(super) deposit_order: Vec<usize>,
    pub(super) line_order: Vec<usize>,
    /// The merchant of each deposit, numbered in order of its id.
    pub(super) party: Vec<usize>,
    /// Calendar days by which a line can follow a payment date, and precede it.
    pub(super) reach_days: i64,
    pub(super) early_days: i64,
    pub(super) outcome: Outcome,
    pub(super) budget: Budget,
}

impl<'a> Pairing<'a> {
    pub(super) fn new(deposits: &'a [Deposit], lines: &'a [Line]) -> Self {
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
        let reach_days = longest(|one| one.due.max(one.sum_until) - one.payment_date);
        let early_days = longest(|one| one.payment_date - one.earliest);
        let merchants: BTreeSet<&MerchantId> =
            deposits.iter().map(|one| &one.merchant_id).collect();
        let merchants: Vec<&MerchantId> = merchants.into_iter().collect();
        let number = |one: &Deposit| merchants.partition_point(|id| **id < one.merchant_id);
        Self {
            party: deposits.iter().map(number).collect(),
            deposits,
            lines,
            deposit_order,
            line_order,
            reach_days,
            early_days,
            outcome: Outcome {
                deposits: vec![DepositState::Missing; deposits.len()],
                lines: vec![LineState::Unknown; lines.len()],
                ambiguities: Vec::new(),
                together: Vec::new(),
                bounded: BTreeSet::new(),
            },
            budget: Budget::default(),
        }
    }

    pub(super) fn has_several_merchants(&self) -> bool {
        self.party.iter().any(|party| *party > 0)
    }

    pub(super) fn is_deposit_left(&self, deposit: usize) -> bool {
        self.outcome.deposits[deposit] == DepositState::Missing
    }

    pub(super) fn is_line_left(&self, line: usize) -> bool {
        self.outcome.lines[line] == LineState::Unknown
    }

    /// In order of payment date, without fees.
    pub(super) fn deposits_left(&self) -> Vec<usize> {
        self.left(false)
    }

    /// The fees of months, in order of these.
    pub(super) fn fees_left(&self) -> Vec<usize> {
        self.left(true)
    }

    fn left(&self, is_fees: bool) -> Vec<usize> {
        let is_meant = |at: &usize| self.deposits[*at].is_fees == is_fees;
        let order = self.deposit_order.iter().copied().filter(is_meant);
        order.filter(|&at| self.is_deposit_left(at)).collect()
    }

    /// The deposits of `left` (in order of payment date) that the line could pay at all: few,
    /// however long the history is.
    pub(super) fn in_reach<'l>(&self, left: &'l [usize], line: usize) -> &'l [usize] {
        let date = self.lines[line].date;
        let day = |at: &usize| self.deposits[*at].payment_date;
        let first = left.partition_point(|at| (date - day(at)).num_days() > self.reach_days);
        let end = left.partition_point(|at| (day(at) - date).num_days() <= self.early_days);
        &left[first.min(end)..end]
    }

    pub(super) fn lines_left(&self) -> Vec<usize> {
        self.line_order.iter().copied().filter(|&at| self.is_line_left(at)).collect()
    }

    pub(super) fn is_allowed(&self, line: usize, deposit: usize) -> bool {
        let named = self.lines[line].merchant_id.as_ref();
        named.is_none_or(|merchant| *merchant == self.deposits[deposit].merchant_id)
    }

    /// Whether nothing that the line names speaks against all of the deposits.
    pub(super) fn is_of(&self, line: usize, deposits: &[usize]) -> bool {
        let names = &self.lines[line].names;
        deposits.iter().any(|&at| {
            self.is_allowed(line, at) && (names.is_empty() || names.contains(&self.deposits[at].id))
        })
    }

    /// Whether the line would pay the deposit on time.
    pub(super) fn is_on_time(&self, line: usize, deposit: usize) -> bool {
        let (line_date, deposit_of) = (self.lines[line].date, &self.deposits[deposit]);
        (deposit_of.earliest..=deposit_of.due).contains(&line_date)
            && self.is_allowed(line, deposit)
    }

    pub(super) fn pay(&mut self, line: usize, deposits: Vec<usize>) {
        assert!(self.is_line_left(line) && !deposits.is_empty(), "a line is taken once");
        let sum: i128 = deposits.iter().map(|&at| i128::from(self.deposits[at].amount)).sum();
        assert!(sum == i128::from(self.lines[line].amount), "a line pays what it is worth");
        for &deposit in &deposits {
            assert!(self.is_deposit_left(deposit), "a deposit is paid once");
            self.outcome.deposits[deposit] = DepositState::Paid { line };
        }
        self.outcome.lines[line] = LineState::Pays(deposits);
    }

    /// Parts the line from the deposits that it pays.
    pub(super) fn part(&mut self, line: usize) {
        let state = std::mem::replace(&mut self.outcome.lines[line], LineState::Unknown);
        if let LineState::Pays(own) = state {
            for deposit in own {
                self.outcome.deposits[deposit] = DepositState::Missing;
            }
        }
    }

    /// Pays deposits with several lines.
    pub(super) fn pay_together(&mut self, mut deposits: Vec<usize>, mut lines: Vec<usize>) {
        let of_lines: i128 = lines.iter().map(|&at| i128::from(self.lines[at].amount)).sum();
        let sum: i128 = deposits.iter().map(|&at| i128::from(self.deposits[at].amount)).sum();
        assert!(sum == of_lines, "lines pay what they add up to");
        let set = self.outcome.together.len();
        for &line in &lines {
            assert!(self.is_line_left(line), "a line is taken once");
            self.outcome.lines[line] = LineState::Together { set };
        }
        for &deposit in &deposits {
            assert!(self.is_deposit_left(deposit), "a deposit is paid once");
            self.outcome.deposits[deposit] = DepositState::Together { set };
        }
        deposits.sort_unstable();
        lines.sort_unstable();
        self.outcome.together.push(Together { deposits, lines });
    }

    /// Whether the line could pay the deposit together with others.
    pub(super) fn is_in_reach(&self, line: usize, deposit: usize) -> bool {
        self.is_near(line, deposit) && self.is_allowed(line, deposit)
    }

    /// Whether the line is of a day on which it could.
    pub(super) fn is_near(&self, line: usize, deposit: usize) -> bool {
        let (date, at) = (self.lines[line].date, &self.deposits[deposit]);
        (at.earliest..=at.sum_until.max(at.due)).contains(&date)
    }

    /// Sets lines and deposits aside as ambiguous, regardless of their previous state.
    pub(super) fn mark_ambiguous(&mut self, lines: BTreeSet<usize>, deposits: BTreeSet<usize>) {
        let set = self.outcome.ambiguities.len();
        for &line in &lines {
            self.outcome.lines[line] = LineState::Ambiguous { set };
        }
        for &deposit in &deposits {
            self.outcome.deposits[deposit] = DepositState::Ambiguous { set };
        }
        self.outcome.ambiguities.push(Ambiguity { deposits, lines });
    }
}
