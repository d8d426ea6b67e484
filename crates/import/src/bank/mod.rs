//! The merchants' bank: reads statements (BAI2, camt.053, MT940, OFX, CSV, XLSX). Knows neither
//! the store nor the clock.
//!
//! A statement is read whole or not at all: its own control totals, counts and balances must agree
//! with its lines. Of a line the amount, the date and whether the processor caused it are kept, and
//! the last four characters of the account, and digests of the numbers in its text, by which a deposit
//! is known; the text and every number in it are dropped.

mod bai2;
mod camt;
mod error;
mod format;
mod information;
mod markup;
mod moment;
mod mt940;
mod number;
mod ofx;
mod originator;
mod read;
mod records;
mod repeats;
mod statement;
mod table;

#[cfg(test)]
mod tests;

pub use error::BankError;
pub use read::{
    CheckedAccount, CheckedLine, CheckedStatement, Surroundings, check_file, digest_of, read_file,
};
