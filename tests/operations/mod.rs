//! Operating the job: schedules, signals, locks, notices, and faults of a machine during a night.
//! Real processes, real signals, real HTTP.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

mod discovery;
mod doctor;
mod keeping;
mod machine;
mod missed;
mod mistakes;
mod notices;
mod published;
mod quiet;
mod release;
mod runbook;
mod scheduled;
mod signals;
