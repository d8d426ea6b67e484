//! A bank statement as read from its file: the lines of the processor and the days that it covers.

use chrono::NaiveDate;

use super::BankLine;

/// The result of reading a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankFile {
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// The processor's lines, in the order of the file.
    pub lines: Vec<BankLine>,
    /// Lines of other originators: counted and not kept.
    pub other_lines: u64,
    pub quarantined_lines: u64,
    /// The first thousand of them.
    pub quarantined: Vec<LeftOut>,
    /// The days that the file covers in full; empty when a line had to be left out.
    pub spans: Vec<Span>,
    /// The days whose lines from earlier files this file withdraws.
    pub recalls: Vec<Recall>,
    /// Lines of earlier files that it replaces or deletes: account, and the hash of the bank's id.
    pub corrections: Vec<(String, String)>,
}

/// The days of an account for which a statement holds every booked line, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub account_last4: String,
    pub first: NaiveDate,
    pub last: NaiveDate,
}

/// A line that was left out because of a fault, or skipped because it is not a booked line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Counted from 1.
    pub line: u64,
    pub reason: String,
}

/// A day of an account whose earlier reports this file withdraws.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recall {
    pub account_last4: String,
    pub date: NaiveDate,
}
