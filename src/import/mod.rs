//! The files of others, the merchants' own ledgers and bank statements, into records. Never matches.

pub mod bank;
mod books;
pub mod files;
pub mod ledger;
mod statements;
