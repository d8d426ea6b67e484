//! Every night, tieout reconciles the settlements that a payments processor reports with the
//! deposits that it paid: from the card transaction and the bank transfer over the batch to the
//! deposit.
//!
//! # Bird's eye
//!
//! ```text
//! cli → night → read → store → judge → report
//!               matching, import, config, model serve the stages
//!               sandbox is a crate of its own, outside the flow
//! ```
//!
//! A run of a business date *reads* the listings that the date needs (page by page, into `SQLite`),
//! *judges* (temporary tables show the store as of the date, finders return findings, and each
//! finding is joined with the discrepancies that were open before) and *reports* (whole files, from
//! stored rows).
//!
//! Reading is a pipeline with bounded queues: the first thread requests pages, converts them and
//! removes the private fields from their evidence; the second compresses; the third writes many
//! pages in one transaction and copies the log while its queue is empty. Judging goes once through
//! the authorizations of the date, in parallel with the checks that do not need them. The reports
//! of a date are written while the next date is judged. In a range of dates, eight are fetched in
//! parallel and judged before the next eight; a finished date leaves one line in memory, and the
//! store holds the rest.
//!
//! # Code map
//!
//! - [`cli`]: arguments as typed, one file per command.
//! - [`night`]: one run. `stages` shows it on one screen, `date` one date; beside them the lock,
//!   the schedule, the decisions of people, doctor, merge, periods, verification and notices.
//! - `read`: which listings a date needs (`needs`, `dependencies`), the API client (`api`), reading
//!   each listing once (`fetcher`) from one place or several (`channel`, `stretches`, `parts`),
//!   listings to read again (`look_back`) and records to watch (`watched`).
//! - `import`: foreign files, ledgers and bank statements, into records.
//! - `store`: the only user of `SQLite`. `store::judging` holds the part for judging: the temporary
//!   tables of a date and the statements of the checks. All statements are files in `sql/`.
//! - `judge`: the registry of checks, the finders, reading records again before they are reported,
//!   the life of a discrepancy, verdicts and the run record.
//! - `matching`: the passes that pair items with ledger records and deposits with bank lines.
//! - `export`: the dataset, a Parquet file for each table, date and shard, whole or absent.
//! - `report`: CSV, page, workbook, manifest and terminal, from the same rows. Atomic.
//! - `sandbox/`, outside the flow: the service of the API contract in memory, over generated
//!   worlds. The feature `sandbox` adds it to the program.
//! - [`limit`]: limits of the machine, among the causes of any error.
//! - `model`, `money`, `calendar`, `clock`, `dates`, `config`, [`exit`]: the nouns that all wings
//!   share.
//!
//! A stage is a set of functions over their inputs, with an error type of its own;
//! [`night::NightError`] holds all of them and maps each to one exit code. A wing is a crate of
//! `crates/`, so that the compiler enforces the order of the wings; `tests/house.rs` checks that
//! only the store uses `SQLite`, that no files use each other in a circle, and that files and
//! functions stay short.
//!
//! # Invariants
//!
//! Architecture invariant: money is an integer in the currency's minor unit; unknown is `None`
//! and null, never zero.
//!
//! Architecture invariant: a page's cursor and its rows are committed together; a listing is
//! complete only when its last page is.
//!
//! Architecture invariant: a listing read from several places at once is still one listing: each
//! stretch reads on until it meets the next, so that no record is missed between them.
//!
//! Architecture invariant: shards share nothing. Merchants that share a bank account are in one
//! shard, derived from their ids; when several shards read one ledger, only one reports the rows
//! that were left out; and a listing that lacks a merchant's part is completed before a check
//! uses it.
//!
//! Architecture invariant: a discrepancy that depends on an incomplete listing is neither reported
//! nor cleared.
//!
//! Architecture invariant: from a link only the cursor is taken; a token never goes to a host
//! that the configuration does not name, the key only to `auth_url`.
//!
//! Architecture invariant: customers' names, contact details and account numbers are dropped
//! before anything is written; only the last four digits of a number are kept.
//!
//! Architecture invariant: the decisions of people are rows of the audit trail, which are chained
//! and never changed; a reconciliation reads them only from there.
//!
//! Architecture invariant: the sandbox and the job share only the contract, neither calendar
//! nor money: a misreading that both shared would cancel out.
//!
//! Architecture invariant: only `clock` reads the clock, only `main` exits.
//!
//! `CONTRIBUTING.md` says how to add a check, a column, a setting, a report or a format.

pub mod cli;
pub mod exit;
#[cfg(not(feature = "parquet"))]
pub mod export;
pub mod limit;
pub mod night;
pub mod telemetry;

#[cfg(feature = "parquet")]
pub use tieout_export as export;
