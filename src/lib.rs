//! tieout reconciles what a payments processor says it settled with what it paid: from the
//! card transaction and the bank transfer over the batch to the deposit, every night.
//!
//! # Bird's eye
//!
//! ```text
//! cli → job → api → store → matching → checks → report
//!                                                        sandbox (beside, outside the flow)
//! ```
//!
//! A run of a business date *fetches* what the date needs (listing by listing, page by page,
//! into `SQLite`), *reconciles* (temporary tables show the store as of the date, checks select
//! the rows that fail, and what is found is joined with what was open before) and *reports*
//! (files written whole, from rows that the store keeps).
//!
//! A fetch is a pipeline with bounded queues: one thread asks the API and reads every page in one
//! walk, its types and its evidence at once; a second one compresses; a third one writes, many
//! pages in a transaction, and copies the log while nothing waits. A reconciliation walks once
//! through the authorizations of the date, beside what does not need them; no check walks through
//! them again.
//!
//! # Code map
//!
//! - [`cli`]: arguments as typed, one file per command.
//! - [`job`]: the night on one screen. `books` imports ledger files, `needs` says which listings
//!   a date reads, `fetch` reads them, `reread` says what is read once more, `judge` reconciles,
//!   `pairing` matches items with ledger records, `verdicts` sums up, `record` writes the manifest, `look_back` reads recent dates again,
//!   `merge` joins what the shards of a night came to, `decisions` keeps what people decide, `verify` proves what was reported, `lock` keeps a second run out.
//! - [`api`]: the only HTTP client: token, pages, retries, rate, wire types, private fields.
//! - [`store`]: the only user of `SQLite`. Its statements stand in `sql/`.
//! - [`checks`]: the registry (from the headers of `sql/checks`), the runner, the life of a
//!   discrepancy.
//! - [`files`] and [`bank`]: the text of files that others write; bank statements, and pairing
//!   their lines with deposits. `job::statements` imports the files, `job::banking` pairs as of a
//!   date and hands what differs to the bank checks.
//! - [`ledger`] and [`matching`]: reading the merchants' own books, and pairing them with items;
//!   neither knows the store. `job::books` imports the files, `job::pairing` matches as of a
//!   date and hands what differs to the ledger checks.
//! - [`report`]: CSV, page, workbook, manifest and terminal, from the same rows; `period` is the
//!   report of several dates. Atomic.
//! - [`sandbox`]: the service of the API contract in memory, over generated worlds.
//! - [`progress`]: bars of a fetch on a terminal; log lines go above them.
//! - [`trust`]: whose certificates are accepted beside those of the public authorities.
//! - [`model`], [`money`], [`calendar`], [`clock`], [`dates`], [`config`], [`exit`]: the words
//!   that all of them share.
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
//! Architecture invariant: shards share nothing. A merchant's shard follows from its id alone, what
//! several shards read of one file or account is told by one of them, and a listing of which a
//! merchant's part is missing is read on before anything is concluded from it.
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
//! Architecture invariant: [`sandbox`] never imports [`api`]: a shared misreading would cancel
//! out.
//!
//! Architecture invariant: only [`clock`] reads the clock, only `main` exits.
//!
//! # How to add a check
//!
//! Add a file to `sql/checks` (its README says what the header and the columns are) and a plant
//! to `sandbox::plants`; a test fails when one is missing. The registry, `tieout checks`, the
//! configuration and the reports follow.
//!
//! # How to add a report
//!
//! Add the row to `model::outcome`, its columns to `report::rows`, a table to the migrations
//! and its query to `sql/report`; name the table in `DateReport::tables`, and the CSV file and
//! the sheet of the workbook follow. Describe every column in `reports/README.md` (a test
//! compares).

pub mod api;
pub mod bank;
pub mod calendar;
pub mod checks;
pub mod cli;
pub mod clock;
pub mod config;
pub mod dates;
pub mod digest;
pub mod exit;
pub mod files;
pub mod job;
pub mod ledger;
pub mod matching;
pub mod model;
pub mod money;
pub mod notify;
pub mod progress;
pub mod report;
pub mod sandbox;
pub mod stop;
pub mod store;
pub mod telemetry;
pub mod trust;
