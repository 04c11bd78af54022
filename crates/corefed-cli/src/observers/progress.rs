//! How far a training is: a line that changes on a terminal, lines now and then in a log file.

use std::time::{Duration, Instant};

use corefed_core::one_line;
use corefed_report::console::{Safeguard, refusals, standing, time_left};
use corefed_sim::Outcome;
use indicatif::{ProgressBar, ProgressStyle};

use crate::context::Context;

/// How often a log file hears of a training.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// The progress display.
pub(crate) struct RoundsProgress<'a> {
    context: &'a Context,
    what: String,
    rounds: usize,
    /// Rounds that an earlier process did.
    done_before: usize,
    begin: Instant,
    next_log: Duration,
    bar: ProgressBar,
    /// What the last evaluation said; rounds without one repeat it.
    standing: String,
    safeguard: Safeguard,
}

impl<'a> RoundsProgress<'a> {
    pub(crate) fn new(context: &'a Context, what: &str, rounds: usize, done_before: usize) -> Self {
        let bar = context.line(|| {
            let style = ProgressStyle::with_template("{prefix} [{bar:24}] {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> ");
            ProgressBar::new(rounds as u64).with_style(style)
        });
        bar.set_prefix(one_line(what).into_owned());
        Self {
            context,
            what: what.to_owned(),
            rounds,
            done_before,
            begin: Instant::now(),
            next_log: LOG_EVERY,
            bar,
            standing: String::new(),
            safeguard: Safeguard::default(),
        }
    }

    /// Shows a round.
    pub(crate) fn round(&mut self, outcome: &Outcome) {
        let record = &outcome.round;
        if let Some(text) = standing(record) {
            self.standing = text;
        }
        let elapsed = self.begin.elapsed();
        let left = time_left(elapsed.as_secs_f64(), record.round, self.done_before, self.rounds);
        let line = format!("round {}/{}{}{left}", record.round, self.rounds, self.standing);
        self.bar.set_position(record.round as u64);
        self.bar.set_message(one_line(&line).into_owned());
        if self.bar.is_hidden() && elapsed >= self.next_log {
            self.next_log = elapsed + LOG_EVERY;
            self.context.say(&format!("{}: {line}", self.what));
        }
        for event in [refusals(record), self.safeguard.after(record)].into_iter().flatten() {
            self.context.say(&format!("{}: round {}: {event}", self.what, record.round));
        }
    }
}

impl Drop for RoundsProgress<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
