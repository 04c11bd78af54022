//! Deadlines for whole conversations, where sockets only know how long one call may take.

use std::time::{Duration, Instant};

/// What is left until a deadline, if anything.
pub(super) fn left(deadline: Instant) -> Option<Duration> {
    deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
}
