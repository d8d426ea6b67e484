//! The wish that a run ends: set by a signal, looked at between pages and between dates. What
//! was committed stays, and the next run goes on from there.

use std::time::Duration;

use tokio::sync::watch;

/// How long a page in flight may still take. Kubernetes grants thirty seconds by default.
const GRACE: Duration = Duration::from_secs(10);

/// A wish that all clones share.
#[derive(Clone, Debug)]
pub struct Stop {
    wish: watch::Sender<bool>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { wish: watch::Sender::new(false) }
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

    /// Waits until somebody asks.
    pub async fn requested(&self) {
        // The sender is part of self, so that the channel stays open.
        let _ = self.wish.subscribe().wait_for(|wish| *wish).await;
    }

    /// Waits until what is in flight has had its time since somebody asked.
    pub async fn overdue(&self) {
        self.requested().await;
        tokio::time::sleep(GRACE).await;
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
}
