//! The wish that the program ends: set by a signal, looked at before every request and between
//! dates. Requests under way come to their end; what was committed stays, and the next run goes
//! on from there.

use std::time::Duration;

use tokio::sync::watch;

/// How long a request under way may still take. Kubernetes grants thirty seconds by default.
const GRACE: Duration = Duration::from_secs(10);

/// From the last byte of an answer until its page has been handed to the store.
const HANDING_OVER: Duration = Duration::from_millis(200);

/// A wish that all clones share.
#[derive(Clone, Debug)]
pub struct Stop {
    wish: watch::Sender<bool>,
    under_way: watch::Sender<usize>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { wish: watch::Sender::new(false), under_way: watch::Sender::new(0) }
    }
}

/// A request under way, until it is dropped.
#[derive(Debug)]
pub struct Passage {
    under_way: watch::Sender<usize>,
}

impl Drop for Passage {
    fn drop(&mut self) {
        self.under_way.send_modify(|count| *count -= 1);
    }
}

impl Stop {
    /// Asks every holder of a clone to end.
    pub fn request(&self) {
        self.wish.send_replace(true);
    }

    /// Whether somebody has asked.
    pub fn is_requested(&self) -> bool {
        *self.wish.borrow()
    }

    /// Lets a request through; once somebody has asked to stop, none any more: whoever waits
    /// here is dropped when the run ends.
    pub async fn pass(&self) -> Passage {
        if self.is_requested() {
            std::future::pending::<()>().await;
        }
        self.under_way.send_modify(|count| *count += 1);
        Passage { under_way: self.under_way.clone() }
    }

    /// Waits until somebody asks.
    pub async fn requested(&self) {
        // The sender is part of self, so that the channel stays open.
        let _ = self.wish.subscribe().wait_for(|wish| *wish).await;
    }

    /// Waits until somebody has asked and what was under way has ended or had its time.
    pub async fn settled(&self) {
        self.settled_within(GRACE).await;
    }

    async fn settled_within(&self, grace: Duration) {
        self.requested().await;
        let mut under_way = self.under_way.subscribe();
        let _ = tokio::time::timeout(grace, under_way.wait_for(|count| *count == 0)).await;
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
