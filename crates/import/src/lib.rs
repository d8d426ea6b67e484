//! Reads input files, the merchants' ledgers and bank statements, into records. Never matches.

pub mod bank;
pub mod books;
mod error;
pub mod files;
pub mod ledger;
pub mod statements;
pub mod suggest;
mod table;

pub use error::ImportError;
pub use table::open_workbook;
