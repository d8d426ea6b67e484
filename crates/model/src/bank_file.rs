//! A bank statement as read from its file: the lines of the processor and the days that it covers.

use chrono::NaiveDate;

use super::BankLine;

/// What reading a statement came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankFile {
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// What the processor caused, in the order of the file.
    pub lines: Vec<BankLine>,
    /// Lines that others caused: counted and not kept.
    pub other_lines: u64,
    pub quarantined_lines: u64,
    /// The first thousand of them.
    pub quarantined: Vec<LeftOut>,
    /// The days of which it holds everything; none when a line had to be left out.
    pub spans: Vec<Span>,
    /// Days of which it takes back what earlier files say.
    pub recalls: Vec<Recall>,
    /// Lines of earlier files that it replaces or deletes: account, and the hash of the bank's id.
    pub corrections: Vec<(String, String)>,
}

/// Days of an account of which a statement holds every booked line, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub account_last4: String,
    pub first: NaiveDate,
    pub last: NaiveDate,
}

/// A line that was left out because of a fault, or passed over because it is no booked line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Counted from 1.
    pub line: u64,
    pub reason: String,
}

/// What earlier reports of an account say of a day, which this file takes back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recall {
    pub account_last4: String,
    pub date: NaiveDate,
}
