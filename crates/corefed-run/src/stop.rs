//! Asking a run to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A request to stop, shared by those who may ask and those who have to obey.
///
/// Trainings end after the round under way, with a checkpoint; searches end at once.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    outer: Option<Arc<Stop>>,
    deadline: Option<Instant>,
}

impl Stop {
    /// Asks for an end.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked here, or wherever this request belongs to, or the time is up.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| deadline <= Instant::now())
            || self.outer.as_ref().is_some_and(|outer| outer.is_asked())
    }

    /// A request of its own that also obeys this one: trainings side by side end together when one of
    /// them fails, though nobody asked to stop.
    #[must_use]
    pub fn inner(&self) -> Self {
        Self { outer: Some(Arc::new(self.clone())), ..Self::default() }
    }

    /// The same that is also asked when so much time has passed.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        // A time that no clock reaches is none.
        Self { deadline: Instant::now().checked_add(time), ..self.inner() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_request_obeys_the_outer_one_and_not_the_other_way() {
        let outer = Stop::default();
        let (one, two) = (outer.inner(), outer.inner());
        one.ask();
        assert!(one.is_asked() && !two.is_asked() && !outer.is_asked());
        let (late, early) = (outer.within(Duration::ZERO), outer.within(Duration::MAX));
        assert!(late.is_asked() && !early.is_asked() && !outer.is_asked());
        outer.ask();
        assert!(two.is_asked() && early.is_asked());
    }
}
