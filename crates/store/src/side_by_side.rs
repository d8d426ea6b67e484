//! Runs work over several merchants or days on several cores.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Maximum number of threads; the machine's cores are a further limit.
const THREADS_LIMIT: usize = 8;

/// The number of threads that work is spread over.
pub(super) fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    cores.min(THREADS_LIMIT)
}

/// Runs `work` over `inputs` on several cores; the results come in the order of the inputs.
pub fn side_by_side<I: Send, O: Send>(inputs: Vec<I>, work: impl Fn(I) -> O + Sync) -> Vec<O> {
    let threads = threads().min(inputs.len());
    if threads <= 1 {
        return inputs.into_iter().map(work).collect();
    }
    let waiting = Mutex::new(inputs.into_iter().enumerate());
    let done = Mutex::new(BTreeMap::new());
    let take = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((position, input)) = take() {
                    let output = work(input);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(position, output);
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}
