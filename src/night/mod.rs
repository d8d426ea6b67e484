//! A run over business dates: its stages in order, the lock, the schedule, decisions of people,
//! merging shards, verifying, periods, doctor and notices. The only place that knows a whole run.
//! Knows neither SQL nor HTTP.

mod again;
mod assign;
mod dataset;
mod date;
mod decision_error;
mod decisions;
pub mod discover;
pub mod doctor;
mod error;
mod line;
mod lock;
mod merge;
mod notices;
pub mod notify;
mod period;
mod reports;
mod run;
mod run_result;
mod said;
pub mod schedule;
mod shares;
mod sign_off;
mod stages;
mod unfinished;
mod verify;

pub use again::{Again, again};
pub use assign::{Assigning, Cleared, assign};
pub use decision_error::DecisionError;
pub use decisions::{Accepted, accept, reopen, whole_id};
pub use error::{NightError, in_one_line};
pub use line::DateLine;
pub use lock::{Lock, LockError};
pub use merge::{MergeError, Shards, merge};
pub use reports::{Timing, date_report};
pub use run::Run;
pub use run_result::{DateResult, RunResult, Stages};
pub use said::Said;
pub use sign_off::{Signed, SignedDates, close, reopen_date};
pub use stages::{behind_dates, execute, refresh_stale, whole_night, with_missed};
pub use verify::{Verified, VerifyError, verify, verify_signed};
