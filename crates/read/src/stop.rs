//! The request to end the program, made by a signal and checked before every API request and
//! between dates. Requests under way finish; committed data stays, and the next run continues from
//! there.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Time that a request under way may still take. Kubernetes grants thirty seconds by default.
const GRACE: Duration = Duration::from_secs(10);

/// Time from the last byte of an answer until its page is passed to the store.
const HANDING_OVER: Duration = Duration::from_millis(200);

/// A request to end, shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: CancellationToken,
    under_way: TaskTracker,
}

/// A request under way, until it is dropped.
pub type Passage = TaskTrackerToken;

impl Stop {
    /// Asks every holder of a clone to end.
    pub fn request(&self) {
        self.asked.cancel();
        // Closed, so that `settled` can wait for the last request under way.
        self.under_way.close();
    }

    /// Checks whether the end was requested.
    pub fn is_requested(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Lets an API request through. After the end was requested it never returns: the caller is
    /// dropped when the run ends.
    pub async fn pass(&self) -> Passage {
        if self.is_requested() {
            std::future::pending::<()>().await;
        }
        self.under_way.token()
    }

    /// Waits until the end is requested.
    pub async fn requested(&self) {
        self.asked.cancelled().await;
    }

    /// Waits until the end was requested and all requests under way have finished or run out of
    /// time.
    pub async fn settled(&self) {
        self.settled_within(GRACE).await;
    }

    async fn settled_within(&self, grace: Duration) {
        self.requested().await;
        let _ = tokio::time::timeout(grace, self.under_way.wait()).await;
        tokio::time::sleep(HANDING_OVER).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reaches_every_clone_also_one_that_waits() {
        let stop = Stop::default();
        let waiting = tokio::spawn({
            let stop = stop.clone();
            async move { stop.requested().await }
        });
        assert!(!stop.is_requested());
        stop.clone().request();
        waiting.await.unwrap();
        assert!(stop.is_requested());
        stop.requested().await;
    }

    #[tokio::test]
    async fn lets_what_is_under_way_end_and_nothing_new_begin() {
        let stop = Stop::default();
        let passage = stop.pass().await;
        stop.request();
        let brief = Duration::from_millis(1);
        assert!(tokio::time::timeout(brief, stop.pass()).await.is_err());
        assert!(tokio::time::timeout(brief, stop.settled()).await.is_err());
        drop(passage);
        assert!(tokio::time::timeout(GRACE, stop.settled()).await.is_ok());
    }

    #[tokio::test]
    async fn does_not_wait_for_ever_for_a_request_that_hangs() {
        let stop = Stop::default();
        let _passage = stop.pass().await;
        stop.request();
        let soon = stop.settled_within(Duration::from_millis(1));
        assert!(tokio::time::timeout(GRACE, soon).await.is_ok());
    }
}
