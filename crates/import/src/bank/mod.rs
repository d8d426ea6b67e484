//! The merchants' bank: reads statements (BAI2, camt.053, MT940, OFX, CSV, XLSX). Knows neither the
//! store nor the clock.
//!
//! A statement is read whole or not at all: its own control totals, counts and balances must agree
//! with its lines. Of each line the amount, the date and whether the processor caused it are kept,
//! with the last four characters of the account, and with digests of the numbers in its text, by
//! which a deposit is recognised. The text and all its numbers are dropped.

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
pub(crate) use originator::names_originator;
pub use read::{
    CheckedAccount, CheckedLine, CheckedStatement, Surroundings, check_file, digest_of, read_file,
};
