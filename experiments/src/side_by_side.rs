//! Trainings of all seeds in one queue, several at a time.
//!
//! What they come to is in the order of seeds and trainings, whoever was done first.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use corefed_run::{Observers, Stop};
use corefed_spec::{Device, Spec};

use crate::ReproduceError;
use crate::outcome::Came;
use crate::seed::{About, Seed};

/// Trainings that a GPU gets at a time unless told otherwise: three small agents use a fraction of it, and
/// it has this many queues.
const ON_DEVICE: usize = 8;

/// As much as the main thread has.
const STACK: usize = 8 << 20;

/// What the trainings of one seed came to.
pub(crate) struct OfSeed {
    pub(crate) about: About,
    pub(crate) came: Vec<Came>,
}

/// How many trainings to run at a time, where `asked` does not say.
pub(crate) fn jobs(asked: Option<usize>, spec: &Spec) -> usize {
    asked.unwrap_or_else(|| if on_device(spec) { ON_DEVICE } else { rayon::current_num_threads() })
}

fn on_device(spec: &Spec) -> bool {
    spec.model.network().is_some_and(|network| network.device == Device::Cuda)
}

/// Trains everything; `None` when interrupted.
pub(crate) fn train_all(
    spec: &Spec,
    ceilings: &[f64],
    data_dir: Option<&Path>,
    folder: &Path,
    jobs: usize,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Option<Vec<OfSeed>>, ReproduceError> {
    let seeds = spec.compare.as_ref().map_or(&[][..], |compare| &compare.seeds);
    let crew = Crew {
        folder,
        queue: Mutex::new(Queue {
            spec,
            ceilings,
            data_dir,
            seeds,
            begun: Vec::new(),
            ready: None,
        }),
        done: Mutex::default(),
        failed: Mutex::default(),
        halt: stop.inner(),
        observers,
    };
    let pool = || if on_device(spec) { own_pool(jobs).map(Some) } else { Ok(None) };
    let pools = (0..jobs).map(|_| pool()).collect::<Result<Vec<_>, ReproduceError>>()?;
    thread::scope(|scope| {
        for pool in &pools {
            let work = || crew.work(pool.as_ref());
            // A panic in one of them is passed on at the end of the scope.
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                crew.fail((0, 0), cannot_start(&error));
            }
        }
    });
    crew.conclude()
}

/// Threads of one training that mostly waits for its device. With a pool of all trainings a thread that
/// waits for a helper could take up another training's round, and wait for the device on its behalf.
fn own_pool(jobs: usize) -> Result<rayon::ThreadPool, ReproduceError> {
    let threads = (rayon::current_num_threads() / jobs).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| cannot_start(&error))
}

fn cannot_start(error: &dyn std::error::Error) -> ReproduceError {
    ReproduceError::Threads { reason: error.to_string() }
}

/// Trainings by seed, those that probably take longest first within a seed: data of few seeds are in memory
/// at a time, and short trainings come last.
struct Queue<'a> {
    spec: &'a Spec,
    ceilings: &'a [f64],
    data_dir: Option<&'a Path>,
    seeds: &'a [u64],
    begun: Vec<About>,
    /// The seed at hand, and its trainings that nobody has taken yet, the next one last.
    ready: Option<(Arc<Seed>, Vec<usize>)>,
}

/// A training to be made: the place of its seed, the seed, its place there.
type Taken = (usize, Arc<Seed>, usize);

impl Queue<'_> {
    /// Takes the next training, and makes a seed's data ready when it is the first.
    fn next(&mut self) -> Result<Option<Taken>, ReproduceError> {
        loop {
            if let Some((seed, left)) = &mut self.ready
                && let Some(place) = left.pop()
            {
                return Ok(Some((self.begun.len() - 1, seed.clone(), place)));
            }
            // Whoever still trains on the data of this seed keeps them.
            self.ready = None;
            let Some(&seed) = self.seeds.get(self.begun.len()) else { return Ok(None) };
            let seed = Seed::prepare(self.spec, self.ceilings, seed, self.data_dir)?;
            self.begun.push(seed.about());
            let left = seed.longest_first().into_iter().rev().collect();
            self.ready = Some((Arc::new(seed), left));
        }
    }
}

/// Places of a seed and of its training.
type At = (usize, usize);

/// Threads that train, and what they share.
struct Crew<'a> {
    folder: &'a Path,
    queue: Mutex<Queue<'a>>,
    done: Mutex<Vec<(At, Came)>>,
    failed: Mutex<Vec<(At, ReproduceError)>>,
    /// Set when something failed: nobody begins another training, and those under way end after a round,
    /// with a checkpoint.
    halt: Stop,
    observers: &'a dyn Observers,
}

impl Crew<'_> {
    /// Trains until nothing is left, or something failed, or the user asked to stop.
    fn work(&self, pool: Option<&rayon::ThreadPool>) {
        let _guard = HaltOnPanic(&self.halt);
        while !self.halt.is_asked() {
            // Whoever waits here has nothing else to do: the queue is empty, or a seed is made ready.
            let (seed_at, seed, place) = {
                let mut queue = lock(&self.queue);
                match queue.next() {
                    Ok(Some(taken)) => taken,
                    Ok(None) => return,
                    Err(failure) => return self.fail((queue.begun.len(), 0), failure),
                }
            };
            let train = || seed.train(place, self.folder, &self.halt, self.observers);
            let came = match pool {
                Some(pool) => pool.install(train),
                None => train(),
            };
            match came {
                Ok(Some(came)) => lock(&self.done).push(((seed_at, place), came)),
                Ok(None) => return,
                Err(failure) => return self.fail((seed_at, place), failure),
            }
        }
    }

    fn fail(&self, at: At, failure: ReproduceError) {
        self.halt.ask();
        lock(&self.failed).push((at, failure));
    }

    /// Everything in order; the failure that comes first in that order; `None` where some are missing.
    fn conclude(self) -> Result<Option<Vec<OfSeed>>, ReproduceError> {
        let failed = into_inner(self.failed);
        if let Some((_, failure)) = failed.into_iter().min_by_key(|(at, _)| *at) {
            return Err(failure);
        }
        let Queue { seeds, begun, .. } = into_inner(self.queue);
        let mut done = into_inner(self.done);
        done.sort_by_key(|(at, _)| *at);
        if begun.len() < seeds.len()
            || done.len() < begun.iter().map(|about| about.count).sum::<usize>()
        {
            return Ok(None);
        }
        let mut done = done.into_iter().map(|(_, came)| came);
        let of_seed =
            |about: About| OfSeed { came: done.by_ref().take(about.count).collect(), about };
        Ok(Some(begun.into_iter().map(of_seed).collect()))
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
