//! The terminals of a processing account, page after page: an operation that not every key has.

use std::collections::HashSet;

use super::Api;
use super::cursor::Cursor;
use super::error::{ApiError, Failure};
use super::limiter::Turn;
use super::wire::{Follow, read_terminals};
use tieout_model::ProcessingTerminal;

impl Api {
    /// Every terminal of the processing account `account`.
    ///
    /// # Errors
    /// When the list cannot be read to its end; [`ApiError::is_without_operation`] tells whether
    /// the key lacks the operation.
    pub async fn terminals(&self, account: i64) -> Result<Vec<ProcessingTerminal>, ApiError> {
        let limit = self.inner.exchange.limits.page_limit;
        let (mut terminals, mut seen) = (Vec::new(), HashSet::new());
        let mut cursor: Option<Cursor> = None;
        for number in 1..=limit {
            let subject = format!("terminals of processing account {account}, page {number}");
            let size = self.inner.page_size;
            let url = self.inner.base.terminals(account, size, cursor.as_ref());
            let answer = self.get(url, Turn::Next, &subject, false, read_terminals).await?;
            let (page, follow) = answer.unwrap_or((Vec::new(), Follow::End));
            terminals.extend(page);
            let failure = match follow {
                Follow::End => return Ok(terminals),
                Follow::Missing => Failure::NextMissing,
                Follow::Next(next) if seen.insert(next.to_stored()) => {
                    cursor = Some(next);
                    continue;
                }
                Follow::Next(next) => Failure::CursorRepeated { cursor: next.to_stored() },
            };
            return Err(ApiError::Request { subject, attempts: 1, failure });
        }
        let subject = format!("terminals of processing account {account}");
        let failure = Failure::TooManyPages { limit };
        Err(ApiError::Request { subject, attempts: 1, failure })
    }
}
