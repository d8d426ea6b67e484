//! The work of `SQLite` on a store: a measure of the cost of a night that depends neither on the
//! machine nor on its load.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

/// Instructions of `SQLite`'s machine between two counts: a row that is read takes about a dozen.
const INSTRUCTIONS: i32 = 1_000;

/// Thousands of instructions, over a connection and those beside it.
#[derive(Clone, Default)]
pub(super) struct Work(Arc<AtomicU64>);

impl Work {
    /// Counts the work of `connection` from now on.
    pub(super) fn count(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let done = Arc::clone(&self.0);
        let count = move || {
            done.fetch_add(1, Ordering::Relaxed);
            false
        };
        connection.progress_handler(INSTRUCTIONS, Some(count))
    }

    pub(super) fn done(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
