//! Where the time of an answer goes.

use std::fmt;
use std::time::{Duration, Instant};

/// A stopwatch with named laps.
#[derive(Debug)]
pub struct Timing {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Timing {
    /// Starts the first lap.
    #[must_use]
    pub fn start() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }

    /// Ends a lap: the time since the previous one, or since the start, is `name`'s.
    pub fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.laps.push((name, now - self.last));
        self.last = now;
    }
}

/// `timing: read 0.104000 s, solve 0.250000 s`.
impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (name, time)) in self.laps.iter().enumerate() {
            let before = if k == 0 { "timing:" } else { "," };
            write!(f, "{before} {name} {:.6} s", time.as_secs_f64())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_are_listed_in_order() {
        let laps =
            vec![("read", Duration::from_millis(104)), ("solve", Duration::from_millis(250))];
        let timing = Timing { last: Instant::now(), laps };
        assert_eq!(timing.to_string(), "timing: read 0.104000 s, solve 0.250000 s");
    }
}
