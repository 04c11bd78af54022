//! The clock and the progress line of a long search.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use corefed_audit::{Observer, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::display;
use crate::train::stopped;

/// How often a log file hears of a search.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Shows how far a search is and ends it when its time is up.
pub(crate) struct Watch {
    begin: Instant,
    limit: Duration,
    what: String,
    spinner: ProgressBar,
    next_log: Duration,
    pub(crate) expired: bool,
}

impl Watch {
    pub(crate) fn new(what: impl Into<String>, seconds: f64) -> Self {
        let spinner = display::line(|| {
            ProgressBar::new_spinner().with_style(ProgressStyle::default_spinner())
        });
        Self {
            begin: Instant::now(),
            // An absurd limit means no limit.
            limit: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
            what: what.into(),
            spinner,
            next_log: LOG_EVERY,
            expired: false,
        }
    }

    fn line(&self, progress: &Progress) -> String {
        format!(
            "{}: {} branches open, {} programs solved, kappa >= {:.6}, {:.0} s",
            self.what,
            progress.open,
            progress.programs,
            progress.lo,
            self.begin.elapsed().as_secs_f64()
        )
    }
}

impl Observer for Watch {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let elapsed = self.begin.elapsed();
        if self.spinner.is_hidden() && elapsed >= self.next_log {
            self.next_log = elapsed + LOG_EVERY;
            display::say(&self.line(progress));
        }
        self.spinner.set_message(self.line(progress));
        self.spinner.tick();
        if elapsed > self.limit || stopped() {
            self.expired = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.spinner.finish_and_clear();
    }
}
