//! How long a node waits: between two looks for messages, and before it tries again.

use std::time::Duration;

use corefed_run::Stop;

/// How often a request to stop is looked for.
const NAP: Duration = Duration::from_millis(50);

/// Pauses that grow from a first to a longest.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    first: Duration,
    longest: Duration,
    growth: f64,
    next: Duration,
}

impl Pace {
    /// Between two looks for messages: soon after a message, rarely when nothing happens. Rounds follow each other
    /// within a second or two, and a look costs the SuperLink some milliseconds.
    pub(crate) fn looking() -> Self {
        Self::new(Duration::from_millis(100), Duration::from_secs(2), 1.1)
    }

    /// Before a SuperLink that is away is tried again.
    pub(crate) fn retrying() -> Self {
        Self::new(Duration::from_millis(500), Duration::from_secs(30), 2.0)
    }

    fn new(first: Duration, longest: Duration, growth: f64) -> Self {
        Self { first, longest, growth, next: first }
    }

    /// Begins anew.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }

    /// The next pause.
    pub(crate) fn pause(&mut self) -> Duration {
        let pause = self.next;
        self.next = pause.mul_f64(self.growth).min(self.longest);
        pause
    }
}

/// Sleeps, unless somebody asks to stop.
pub(crate) fn wait(pause: Duration, stop: &Stop) {
    let mut left = pause;
    while !left.is_zero() && !stop.is_asked() {
        let nap = left.min(NAP);
        std::thread::sleep(nap);
        left -= nap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest_and_begin_anew() {
        let mut pace = Pace::retrying();
        let pauses: Vec<u128> = (0..8).map(|_| pace.pause().as_millis()).collect();
        assert_eq!(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
        pace.reset();
        assert_eq!(pace.pause().as_millis(), 500);
    }

    #[test]
    fn nobody_waits_who_was_asked_to_stop() {
        let stop = Stop::default();
        stop.ask();
        // An hour would be noticed.
        wait(Duration::from_secs(3600), &stop);
    }
}
