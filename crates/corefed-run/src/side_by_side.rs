//! Trainings in one queue, several at a time.
//!
//! What they come to is in the order of batches and places, regardless of which finished first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use corefed_spec::{Device, Spec};

use crate::{RunError, Stop};

/// Trainings that a GPU gets at a time unless told otherwise: three small agents use a fraction of it, and
/// it has this many queues.
const ON_DEVICE: usize = 8;

/// As much as the main thread has.
const STACK: usize = 8 << 20;

/// Trainings in batches that share data, such as those of one seed.
pub trait Batches: Sync {
    /// What the trainings of a batch share.
    type Shared: Send + Sync;
    /// What remains of it when its data are gone.
    type About: Send;
    /// What one training came to.
    type Came: Send;
    /// Why one failed.
    type Error: From<RunError> + Send;

    /// How many batches.
    fn count(&self) -> usize;
    /// Makes the data of a batch ready.
    fn begin(&self, batch: usize) -> Result<Self::Shared, Self::Error>;
    /// What to remember of a batch.
    fn about(&self, shared: &Self::Shared) -> Self::About;
    /// Places of its trainings, in the order in which they are best begun.
    fn order(&self, shared: &Self::Shared) -> Vec<usize>;
    /// Trains, resumes, or reads what was trained before; `None` when interrupted.
    fn train(
        &self,
        shared: &Self::Shared,
        place: usize,
        stop: &Stop,
    ) -> Result<Option<Self::Came>, Self::Error>;
}

/// What a batch is, and what its trainings came to, in the order of places.
pub type OfBatch<B> = (<B as Batches>::About, Vec<<B as Batches>::Came>);

/// How many trainings of a spec to run at a time, where `asked` does not say.
#[must_use]
pub fn jobs(asked: Option<usize>, spec: &Spec) -> usize {
    asked.unwrap_or_else(|| if on_device(spec) { ON_DEVICE } else { rayon::current_num_threads() })
}

/// Whether a GPU trains it.
pub(crate) fn on_device(spec: &Spec) -> bool {
    spec.model.network().is_some_and(|network| network.device == Device::Cuda)
}

/// Trains everything, `jobs` trainings of this spec at a time; `None` when interrupted.
pub fn side_by_side<B: Batches>(
    batches: &B,
    spec: &Spec,
    jobs: usize,
    stop: &Stop,
) -> Result<Option<Vec<OfBatch<B>>>, B::Error> {
    let crew = Crew {
        batches,
        queue: Mutex::new(Queue { batches, begun: Vec::new(), ready: None }),
        done: Mutex::default(),
        failed: Mutex::default(),
        halt: stop.inner(),
    };
    let pool = || if on_device(spec) { own_pool(jobs).map(Some) } else { Ok(None) };
    let pools = (0..jobs).map(|_| pool()).collect::<Result<Vec<_>, RunError>>()?;
    thread::scope(|scope| {
        for pool in &pools {
            let work = || crew.work(pool.as_ref());
            // A panic in one of them is passed on at the end of the scope.
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                crew.fail((0, 0), cannot_start(&error).into());
            }
        }
    });
    crew.conclude()
}

/// Threads of one training that mostly waits for its device. With a pool of all trainings a thread that
/// waits for a helper could take up another training's round, and wait for the device on its behalf.
fn own_pool(jobs: usize) -> Result<rayon::ThreadPool, RunError> {
    let threads = (rayon::current_num_threads() / jobs).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| cannot_start(&error))
}

fn cannot_start(error: &dyn std::error::Error) -> RunError {
    RunError::Threads { reason: error.to_string() }
}

/// Trainings by batch: data of few batches are in memory at a time.
struct Queue<'a, B: Batches> {
    batches: &'a B,
    /// Every batch so far, with the number of its trainings.
    begun: Vec<(B::About, usize)>,
    /// The batch at hand, and its trainings that nobody has taken yet, the next one last.
    ready: Option<(Arc<B::Shared>, Vec<usize>)>,
}

/// A training to be made: the place of its batch, the batch, its place there.
type Taken<B> = (usize, Arc<<B as Batches>::Shared>, usize);

impl<B: Batches> Queue<'_, B> {
    /// Takes the next training, and makes a batch's data ready when it is the first.
    fn next(&mut self) -> Result<Option<Taken<B>>, B::Error> {
        loop {
            if let Some((shared, left)) = &mut self.ready
                && let Some(place) = left.pop()
            {
                return Ok(Some((self.begun.len() - 1, shared.clone(), place)));
            }
            // A thread that still trains on these data keeps them.
            self.ready = None;
            if self.begun.len() == self.batches.count() {
                return Ok(None);
            }
            let shared = self.batches.begin(self.begun.len())?;
            let mut left = self.batches.order(&shared);
            left.reverse();
            self.begun.push((self.batches.about(&shared), left.len()));
            self.ready = Some((Arc::new(shared), left));
        }
    }
}

/// Places of a batch and of its training.
type At = (usize, usize);

/// Threads that train, and what they share.
struct Crew<'a, B: Batches> {
    batches: &'a B,
    queue: Mutex<Queue<'a, B>>,
    done: Mutex<Vec<(At, B::Came)>>,
    failed: Mutex<Vec<(At, B::Error)>>,
    /// Set when something failed: nobody begins another training, and those under way end after a round,
    /// with a checkpoint.
    halt: Stop,
}

impl<B: Batches> Crew<'_, B> {
    /// Trains until nothing is left, or something failed, or the user asked to stop.
    fn work(&self, pool: Option<&rayon::ThreadPool>) {
        let _guard = HaltOnPanic(&self.halt);
        while !self.halt.is_asked() {
            // A thread that waits here has nothing else to do: the queue is empty, or data are made ready.
            let (batch, shared, place) = {
                let mut queue = lock(&self.queue);
                match queue.next() {
                    Ok(Some(taken)) => taken,
                    Ok(None) => return,
                    Err(failure) => return self.fail((queue.begun.len(), 0), failure),
                }
            };
            let train = || self.batches.train(&shared, place, &self.halt);
            let came = match pool {
                Some(pool) => pool.install(train),
                None => train(),
            };
            match came {
                Ok(Some(came)) => lock(&self.done).push(((batch, place), came)),
                Ok(None) => return,
                Err(failure) => return self.fail((batch, place), failure),
            }
        }
    }

    fn fail(&self, at: At, failure: B::Error) {
        self.halt.ask();
        lock(&self.failed).push((at, failure));
    }

    /// Everything in order; the failure that comes first in that order; `None` where some are missing.
    fn conclude(self) -> Result<Option<Vec<OfBatch<B>>>, B::Error> {
        let failed = into_inner(self.failed);
        if let Some((_, failure)) = failed.into_iter().min_by_key(|(at, _)| *at) {
            return Err(failure);
        }
        let begun = into_inner(self.queue).begun;
        let mut done = into_inner(self.done);
        done.sort_by_key(|(at, _)| *at);
        let wanted: usize = begun.iter().map(|(_, count)| count).sum();
        if begun.len() < self.batches.count() || done.len() < wanted {
            return Ok(None);
        }
        let mut done = done.into_iter().map(|(_, came)| came);
        let of_batch = |(about, count)| (about, done.by_ref().take(count).collect());
        Ok(Some(begun.into_iter().map(of_batch).collect()))
    }
}

/// A thread that panics ends the others after their round, like one that fails.
struct HaltOnPanic<'a>(&'a Stop);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.ask();
        }
    }
}

/// A poisoned lock only means that another thread panicked, which ends the command when it is joined.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
