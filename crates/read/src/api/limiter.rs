//! One gate for all requests of the job. It bounds the requests under way and the requests started
//! per second. It lowers the bound when the API reports overload, and raises it slowly.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

/// Successful answers until one more request may be under way. Slow enough not to overload again a
/// service that has just asked for patience, quick enough to recover within a minute.
const SUCCESSES_PER_STEP: usize = 20;

/// Requests that may start at once after an idle moment. Small, so that the rate is smooth.
const BURST: u32 = 4;

/// The priority of a waiting request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Before every `Patient` request: more requests may follow from the answer.
    Next,
    /// After every `Next` request. A long listing is read from many places at once and can fill
    /// every gap, and no other request depends on its answers. The place with the most left to read
    /// goes first, so that no place is read alone in the end.
    Patient { left: u64 },
}

/// The gate. Cheap to clone; all clones share one state.
#[derive(Clone, Debug)]
pub(super) struct Limiter {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    max_in_flight: usize,
    /// Time between two starts; zero without a limit.
    interval: Duration,
}

/// A freed place is handed to a waiting request, so that no later request takes it first.
type Handed = oneshot::Sender<Permit>;

#[derive(Debug)]
struct State {
    in_flight: usize,
    limit: usize,
    /// In order of arrival.
    next: VecDeque<Handed>,
    /// By the complement of the amount left, then in order of arrival.
    patient: BTreeMap<(u64, u64), Handed>,
    /// Number of patient requests that have waited so far.
    arrivals: u64,
    successes: usize,
    /// Counts the reductions. Requests that started before a reduction do not cause another:
    /// sixteen refusals that arrive together count once.
    epoch: u64,
    next_start: Option<Instant>,
    /// No request starts before this moment, because the API has asked to wait.
    not_before: Option<Instant>,
}

/// The right to have one request under way, released when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    limiter: Limiter,
    epoch: u64,
}

impl Limiter {
    /// `requests_per_second` 0 means no limit.
    pub(super) fn new(max_in_flight: usize, requests_per_second: u32) -> Self {
        let max_in_flight = max_in_flight.max(1);
        let interval = Duration::from_secs(1).checked_div(requests_per_second).unwrap_or_default();
        let state = Mutex::new(State {
            in_flight: 0,
            limit: max_in_flight,
            next: VecDeque::new(),
            patient: BTreeMap::new(),
            arrivals: 0,
            successes: 0,
            epoch: 0,
            next_start: None,
            not_before: None,
        });
        Self { inner: Arc::new(Inner { state, max_in_flight, interval }) }
    }

    /// Waits for a place and then for the moment to start.
    pub(super) async fn acquire(&self, turn: Turn) -> Permit {
        let permit = self.place(turn).await;
        self.started(permit).await
    }

    /// As `acquire`, without waiting for a place: for the one request that all others wait for.
    pub(super) async fn acquire_first(&self) -> Permit {
        let permit = self.permit(&mut self.lock());
        self.started(permit).await
    }

    async fn started(&self, permit: Permit) -> Permit {
        // A pause may have begun or grown during the wait.
        while let Some(end) = self.pause_end() {
            tokio::time::sleep_until(end).await;
        }
        if let Some(start) = self.start() {
            tokio::time::sleep_until(start).await;
        }
        permit
    }

    /// Number of requests that may be under way now.
    #[cfg(test)]
    pub(super) fn limit(&self) -> usize {
        self.lock().limit
    }

    async fn place(&self, turn: Turn) -> Permit {
        loop {
            let handed = {
                let mut state = self.lock();
                let is_first =
                    state.next.is_empty() && (turn == Turn::Next || state.patient.is_empty());
                if is_first && state.in_flight < state.limit {
                    return self.permit(&mut state);
                }
                let (sender, handed) = oneshot::channel();
                match turn {
                    Turn::Next => state.next.push_back(sender),
                    Turn::Patient { left } => {
                        let key = (u64::MAX - left, state.arrivals);
                        state.arrivals += 1;
                        state.patient.insert(key, sender);
                    }
                }
                handed
            };
            if let Ok(permit) = handed.await {
                return permit;
            }
        }
    }

    fn permit(&self, state: &mut State) -> Permit {
        state.in_flight += 1;
        Permit { limiter: self.clone(), epoch: state.epoch }
    }

    /// Hands free places to waiting requests.
    fn hand_over(&self) {
        loop {
            let (sender, permit) = {
                let mut state = self.lock();
                if state.in_flight >= state.limit {
                    return;
                }
                let most_left = |state: &mut State| state.patient.pop_first().map(|one| one.1);
                let Some(sender) = state.next.pop_front().or_else(|| most_left(&mut state)) else {
                    return;
                };
                (sender, self.permit(&mut state))
            };
            // The permit of a request that was cancelled meanwhile is dropped and goes to the next
            // one.
            drop(sender.send(permit));
        }
    }

    fn pause_end(&self) -> Option<Instant> {
        self.lock().not_before.filter(|end| *end > Instant::now())
    }

    fn start(&self) -> Option<Instant> {
        if self.inner.interval.is_zero() {
            return None;
        }
        let now = Instant::now();
        let earliest = now.checked_sub(self.inner.interval * BURST).unwrap_or(now);
        let mut state = self.lock();
        let start = state.next_start.map_or(earliest, |next| next.max(earliest));
        state.next_start = Some(start + self.inner.interval);
        (start > now).then_some(start)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code between lock and unlock can leave the state half changed.
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Notes a successful answer.
    pub(super) fn succeeded(&self) {
        let has_grown = {
            let mut state = self.limiter.lock();
            state.successes += 1;
            let grows = state.successes >= SUCCESSES_PER_STEP
                && state.limit < self.limiter.inner.max_in_flight;
            if grows {
                state.limit += 1;
                state.successes = 0;
            }
            grows
        };
        if has_grown {
            self.limiter.hand_over();
        }
    }

    /// Notes an answer that reports overload.
    pub(super) fn overloaded(&self) {
        let mut state = self.limiter.lock();
        state.successes = 0;
        if state.epoch == self.epoch {
            state.limit = (state.limit / 2).max(1);
            state.epoch += 1;
        }
    }

    /// Pauses all requests for `wait`, as the API has asked.
    pub(super) fn pause(&self, wait: Duration) {
        let end = Instant::now() + wait;
        let mut state = self.limiter.lock();
        state.not_before = Some(state.not_before.map_or(end, |before| before.max(end)));
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.limiter.lock().in_flight -= 1;
        self.limiter.hand_over();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn halves_once_for_refusals_that_arrive_together_and_never_below_one() {
        let limiter = Limiter::new(16, 0);
        let first = limiter.acquire(Turn::Next).await;
        let second = limiter.acquire(Turn::Next).await;
        first.overloaded();
        second.overloaded();
        assert_eq!(limiter.limit(), 8);
        drop((first, second));
        for expected in [4, 2, 1, 1] {
            limiter.acquire(Turn::Next).await.overloaded();
            assert_eq!(limiter.limit(), expected);
        }
    }

    #[tokio::test]
    async fn grows_by_one_after_enough_successes_and_never_beyond_the_maximum() {
        let limiter = Limiter::new(2, 0);
        limiter.acquire(Turn::Next).await.overloaded();
        assert_eq!(limiter.limit(), 1);
        for _ in 0..SUCCESSES_PER_STEP - 1 {
            limiter.acquire(Turn::Next).await.succeeded();
        }
        assert_eq!(limiter.limit(), 1);
        for _ in 0..5 * SUCCESSES_PER_STEP {
            limiter.acquire(Turn::Next).await.succeeded();
        }
        assert_eq!(limiter.limit(), 2);
    }

    #[tokio::test]
    async fn lets_a_waiting_request_go_when_a_place_is_freed() {
        let limiter = Limiter::new(1, 0);
        let permit = limiter.acquire(Turn::Next).await;
        let (sender, mut receiver) = oneshot::channel();
        let waiting = tokio::spawn({
            let limiter = limiter.clone();
            async move {
                let _permit = limiter.acquire(Turn::Next).await;
                sender.send(()).unwrap();
            }
        });
        tokio::task::yield_now().await;
        assert!(receiver.try_recv().is_err());
        drop(permit);
        waiting.await.unwrap();
        assert!(receiver.await.is_ok());
    }

    #[tokio::test]
    async fn serves_the_patient_last_and_forgets_none_of_them() {
        let limiter = Limiter::new(2, 0);
        let patient = Turn::Patient { left: 0 };
        let held = (limiter.acquire(patient).await, limiter.acquire(Turn::Next).await);
        let order = Arc::new(Mutex::new(Vec::new()));
        let turns = [patient, Turn::Next].repeat(20);
        let waiting: Vec<_> = turns
            .into_iter()
            .map(|turn| {
                let (limiter, order) = (limiter.clone(), order.clone());
                tokio::spawn(async move {
                    let _permit = limiter.acquire(turn).await;
                    order.lock().unwrap().push(turn);
                    tokio::task::yield_now().await;
                })
            })
            .collect();
        tokio::task::yield_now().await;
        // A cancelled waiter does not take a place with it.
        waiting[1].abort();
        drop(held);
        for task in waiting {
            drop(tokio::time::timeout(Duration::from_secs(20), task).await.unwrap());
        }
        let order = order.lock().unwrap();
        assert_eq!(order.len(), 39);
        let first_patient = order.iter().position(|turn| *turn == patient).unwrap();
        assert!(first_patient >= 18, "{order:?}");
    }

    #[tokio::test]
    async fn goes_on_first_where_the_most_is_left() {
        let limiter = Limiter::new(1, 0);
        let held = limiter.acquire(Turn::Next).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let waiting: Vec<_> = [3, 9, 0, 9, u64::MAX, 5]
            .into_iter()
            .zip('a'..)
            .map(|(left, name)| {
                let (limiter, order) = (limiter.clone(), order.clone());
                tokio::spawn(async move {
                    let _permit = limiter.acquire(Turn::Patient { left }).await;
                    order.lock().unwrap().push(name);
                })
            })
            .collect();
        tokio::task::yield_now().await;
        drop(held);
        for task in waiting {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), ['e', 'b', 'd', 'f', 'a', 'c']);
    }

    #[tokio::test]
    async fn lets_nobody_start_before_the_end_of_a_pause() {
        let limiter = Limiter::new(4, 0);
        let began = Instant::now();
        let first = limiter.acquire(Turn::Next).await;
        first.pause(Duration::from_millis(40));
        // A shorter pause does not end a longer one.
        first.pause(Duration::from_millis(1));
        limiter.acquire(Turn::Next).await;
        assert!(began.elapsed() >= Duration::from_millis(40));
    }

    #[test]
    fn spaces_the_starts_after_a_small_burst() {
        let limiter = Limiter::new(100, 10);
        let now = Instant::now();
        let starts: Vec<_> = (0..25).map(|_| limiter.start()).collect();
        assert!(starts[..5].iter().all(Option::is_none));
        let last = starts[24].unwrap() - now;
        assert!(last > Duration::from_millis(1_900) && last < Duration::from_millis(2_100));
        assert!(Limiter::new(1, 0).start().is_none());
    }
}
