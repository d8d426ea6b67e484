//! A ledger file as read: how many rows became records, and which were left out.

use std::fmt;
use std::path::PathBuf;

use chrono::NaiveDate;

use super::{LedgerKind, MerchantId, ShortText};
use crate::money::{Currency, Minor};

/// The result of reading a file, without its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFile {
    pub path: PathBuf,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// Rows that became records.
    pub record_rows: u64,
    /// Rows that were left out for a fault.
    pub quarantined_rows: u64,
    /// Rows that are not records: totals, remarks, a repeated header, and values that `values`
    /// ignores.
    pub skipped_rows: u64,
    /// The newest date of a record.
    pub last_date: Option<NaiveDate>,
    /// The first 10,000 of the rows that were left out for a fault, in order of their lines.
    pub quarantined: Vec<Quarantined>,
    /// The first 10,000 of the rows that are not records.
    pub skipped: Vec<Skipped>,
    /// Notes on columns that are not mapped; they change nothing.
    pub notes: Vec<String>,
}

/// A row that was left out. `Display` gives file, line, column, expected and found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    pub file: PathBuf,
    /// Counted from 1, as an editor does.
    pub line: u64,
    /// The file's own header, when one column is to blame.
    pub column: Option<String>,
    /// The expected and the found value; never more than 40 characters of a cell.
    pub reason: String,
    /// The fields of the row that could be read.
    pub merchant_id: Option<MerchantId>,
    pub kind: Option<LedgerKind>,
    pub date: Option<NaiveDate>,
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub reference: Option<ShortText>,
}

/// A row that is not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub line: u64,
    pub reason: String,
}

impl fmt::Display for Quarantined {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: ", self.file.display(), self.line)?;
        if let Some(column) = &self.column {
            write!(formatter, "column \"{column}\": ")?;
        }
        formatter.write_str(&self.reason)
    }
}
