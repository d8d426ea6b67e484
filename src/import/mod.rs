//! The files of others, the merchants' own ledgers and bank statements, into records. Never matches.

pub mod bank;
pub(crate) mod books;
mod error;
pub mod files;
pub mod ledger;
pub(crate) mod statements;
mod table;

pub use error::ImportError;
