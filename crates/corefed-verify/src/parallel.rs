//! The same function of many items, on all cores, in the order of the items.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Numbers in a federation below which starting threads takes longer than the work.
const WORTH_THREADS: usize = 20_000;

/// `f` of every index below `count`, each a pass over part of `numbers` numbers. Results do not depend
/// on the number of cores.
pub(crate) fn map<T: Send>(count: usize, numbers: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(count);
    if workers < 2 || numbers < WORTH_THREADS {
        return (0..count).map(f).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let result = f(index);
                    // A worker that panics ends the scope with its panic.
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut results = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
