//! The merchants' bank: reads statements (BAI2, camt.053, MT940, OFX, CSV) and pairs what the
//! processor moved with its deposits. Knows neither the store nor the clock.
//!
//! A statement is read whole or not at all: its own control totals and balances must agree with
//! its lines. Of a line the amount, the date and whether the processor caused it are kept, and
//! the last four characters of the account; its text and every number in it are dropped.

mod bai2;
mod camt;
mod error;
mod mt940;
mod number;
mod ofx;
mod originator;
mod read;
mod statement;
mod table;

#[cfg(test)]
mod tests;

pub use error::BankError;
pub use read::{BankFault, BankFile, digest_of, read_file};
pub use statement::Span;
