//! What every format of bank statement comes to.

use chrono::NaiveDate;

use crate::money::{Currency, Minor};

/// A booked line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Counted from 1.
    pub line: u64,
    pub account_last4: String,
    pub date: NaiveDate,
    /// Positive for a credit.
    pub amount: Minor,
    pub currency: Currency,
    /// Names, references and remarks, in the order of the file; never kept.
    pub text: String,
}

/// Days of an account of which a statement holds every booked line, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub account_last4: String,
    pub first: NaiveDate,
    pub last: NaiveDate,
}

/// A line that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub line: u64,
    pub reason: String,
}

/// Why nothing of the statement can be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub line: u64,
    pub reason: String,
}

impl Broken {
    pub(super) fn at(line: u64, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into() }
    }
}

/// A file as its format states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Statement {
    pub entries: Vec<Entry>,
    pub spans: Vec<Span>,
    pub faults: Vec<Fault>,
}

impl Statement {
    pub(super) fn fault(&mut self, line: u64, reason: impl Into<String>) {
        self.faults.push(Fault { line, reason: reason.into() });
    }

    /// Notes that every booked line of these days is in the file; nothing for a span that runs
    /// backwards.
    pub(super) fn covers(&mut self, account_last4: &str, first: NaiveDate, last: NaiveDate) {
        if first <= last {
            let account_last4 = account_last4.to_owned();
            self.spans.push(Span { account_last4, first, last });
        }
    }

    /// The days between two balances: the first is the closing balance of the day before, unless
    /// both are of one day.
    pub(super) fn covers_between(&mut self, account: &str, opening: NaiveDate, closing: NaiveDate) {
        let first = if opening == closing { Some(closing) } else { opening.succ_opt() };
        if let Some(first) = first {
            self.covers(account, first, closing);
        }
    }
}

/// The last four letters and digits of an account's number.
pub(super) fn last4(account: &str) -> String {
    let kept: Vec<char> = account.chars().filter(char::is_ascii_alphanumeric).collect();
    kept[kept.len().saturating_sub(4)..].iter().collect()
}
