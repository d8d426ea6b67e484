//! tieout reconciles what a payments processor says it settled with what it paid: from the
//! card transaction and the bank transfer over the batch to the deposit, every night.
//!
//! # Bird's eye
//!
//! ```text
//! cli → night → read → store → judge → report
//!               matching, import, config, model serve the stages
//!               sandbox is a crate of its own, outside the flow
//! ```
//!
//! A run of a business date *reads* what the date needs (listing by listing, page by page, into
//! `SQLite`), *judges* (temporary tables show the store as of the date, finders return what fails,
//! and each finding is joined with what was open before) and *reports* (whole files, from rows that
//! the store keeps).
//!
//! Reading is a pipeline with bounded queues: one thread asks the API, converts each page and takes
//! the private fields out of its evidence; a second one compresses; a third one writes many pages in
//! a transaction and copies the log while nothing waits. Judging goes once through the
//! authorizations of the date, beside what does not need them. The reports of a date are written
//! while the next one is judged. Of a range of dates eight are fetched side by side and judged before
//! the next eight; of each that is done a line stays in memory, and the rest stands in the store.
//!
//! # Code map
//!
//! - [`cli`]: arguments as typed, one file per command.
//! - [`night`]: one run. `stages` has it on one screen, `date` one date of it; beside them the lock,
//!   the schedule, the decisions of people, doctor, merge, periods, verification and notices.
//! - `read`: which listings a date needs (`needs`, `dependencies`), the API client (`api`), reading
//!   each listing once (`fetcher`) from one place or several (`channel`, `stretches`, `parts`), what
//!   is read again (`look_back`) and what stays under watch (`watched`).
//! - `import`: the files of others, ledgers and bank statements, into records.
//! - `store`: the only user of `SQLite`. What judging needs of it, the temporary tables of a date
//!   and the statements of the checks, stands in `store::judging`. Its statements stand in `sql/`.
//! - `judge`: the registry of checks, the finders, reading again before something is reported, the
//!   life of a discrepancy, verdicts and the run record.
//! - `matching`: the passes that pair items with ledger records and deposits with bank lines.
//! - `export`: the dataset, a Parquet file for each table, date and shard. Whole or not there.
//! - `report`: CSV, page, workbook, manifest and terminal, from the same rows. Atomic.
//! - `sandbox/`, outside the flow: the service of the API contract in memory, over generated
//!   worlds. The feature `sandbox` adds it to the program.
//! - [`limit`]: what a machine refuses, among the causes of any error.
//! - `model`, `money`, `calendar`, `clock`, `dates`, `config`, [`exit`]: the nouns that
//!   all of them share.
//!
//! A stage is functions over what they need, with an error of its own; [`night::NightError`] holds
//! them all and maps each to one exit code. A wing is a crate of `crates/`, so that
//! the compiler holds their order; `tests/house.rs` holds that nobody but the store uses `SQLite`, that
//! no files use each other in a circle, and that files and functions stay short.
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
//! stretch reads on until it meets the next, so that nothing falls between.
//!
//! Architecture invariant: shards share nothing. Merchants that share a bank account are in one
//! shard, which follows from their ids; of a ledger that several shards read one reports what was
//! left out; and a listing of which a merchant's part is missing is read on before anything is
//! concluded from it.
//!
//! Architecture invariant: what rests on a listing that is not complete is neither reported
//! nor cleared.
//!
//! Architecture invariant: from a link only the cursor is taken; a token never goes to a host
//! that the configuration does not name, the key to none but `auth_url`.
//!
//! Architecture invariant: customers' names, contact details and account numbers are dropped
//! before anything is written; of a number the last four digits survive.
//!
//! Architecture invariant: what a person decided stands in the audit trail, whose rows are
//! chained and never changed; a reconciliation reads it there and nowhere else.
//!
//! Architecture invariant: the sandbox shares nothing with the job but the contract, neither
//! calendar nor money: a misreading that both shared would cancel out.
//!
//! Architecture invariant: only `clock` reads the clock, only `main` exits.
//!
//! # How to add a check
//!
//! Add a file to `crates/store/sql/checks` (its README says what the header and the columns are), its cases to
//! `tests/cases` and a plant to `sandbox/src/plants`; a test fails when one is missing. The
//! registry, `tieout checks`, the configuration and the reports follow: a test of `judge` finds
//! with one check more and finds nothing once its file is gone. No other file spells its code; a
//! test sees to that.
//!
//! # How to add a report
//!
//! Add the row to `model::outcome`, its columns to `report::rows`, a table to the migrations
//! and its query to `crates/store/sql/report`; name the table in `DateReport::tables`, and the CSV file and
//! the sheet of the workbook follow. Describe every column in `reports/README.md` (a test
//! compares).

pub mod cli;
pub mod exit;
#[cfg(not(feature = "parquet"))]
pub mod export;
pub mod limit;
pub mod night;
pub mod telemetry;

#[cfg(feature = "parquet")]
pub use tieout_export as export;
