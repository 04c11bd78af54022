//! How far a training is: a line that changes on a terminal, lines now and then in a log file.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use corefed_log::RoundRecord;
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
    /// Whether a safeguard of the log acted in the last round.
    guarded: bool,
}

impl<'a> RoundsProgress<'a> {
    pub(crate) fn new(context: &'a Context, what: &str, rounds: usize, done_before: usize) -> Self {
        let bar = context.line(|| {
            let style = ProgressStyle::with_template("{prefix} [{bar:24}] {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> ");
            ProgressBar::new(rounds as u64).with_style(style)
        });
        bar.set_prefix(what.to_owned());
        Self {
            context,
            what: what.to_owned(),
            rounds,
            done_before,
            begin: Instant::now(),
            next_log: LOG_EVERY,
            bar,
            standing: String::new(),
            guarded: false,
        }
    }

    /// Shows a round.
    pub(crate) fn round(&mut self, outcome: &Outcome) {
        let record = &outcome.round;
        if let Some(text) = standing(outcome) {
            self.standing = text;
        }
        let elapsed = self.begin.elapsed();
        let left = time_left(elapsed, record.round, self.done_before, self.rounds);
        let line = format!("round {}/{}{}{left}", record.round, self.rounds, self.standing);
        self.bar.set_position(record.round as u64);
        self.bar.set_message(line.clone());
        if self.bar.is_hidden() && elapsed >= self.next_log {
            self.next_log = elapsed + LOG_EVERY;
            self.context.say(&format!("{}: {line}", self.what));
        }
        for event in [refusals(record), self.safeguard(record)].into_iter().flatten() {
            self.context.say(&format!("{}: round {}: {event}", self.what, record.round));
        }
    }

    /// A line when a safeguard of the log begins to act, and when it has ended.
    fn safeguard(&mut self, record: &RoundRecord) -> Option<String> {
        let acts = record.warm_up || !record.floored.is_empty() || !record.raised.is_empty();
        if record.round == 0 || acts == self.guarded {
            return None;
        }
        self.guarded = acts;
        let named = |names: &[String]| match names {
            [] => String::new(),
            [one] => format!(" (`{one}`)"),
            [one, rest @ ..] => format!(" (`{one}` and {} others)", rest.len()),
        };
        Some(if record.warm_up {
            let who = named(&record.floored);
            format!("warming up with FedAvg's weights until everybody is above the floor{who}")
        } else if !record.raised.is_empty() {
            let names: Vec<String> = record.raised.keys().cloned().collect();
            format!("ceilings were raised{}", named(&names))
        } else if acts {
            format!("utilities below the floor count as the floor{}", named(&record.floored))
        } else {
            "everybody in the cohort is above the floor again".to_owned()
        })
    }
}

impl Drop for RoundsProgress<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn standing(outcome: &Outcome) -> Option<String> {
    let record = &outcome.round;
    // Writing to a String cannot fail.
    let mut text = format!(", log-welfare {:.4}", record.log_welfare?);
    if let (Some(worst), Some(spread)) = (&record.worst_agent, &record.utility_spread) {
        let _ = write!(text, ", worst {worst} {:.4}", spread.min);
    }
    if let Some(kappa) = record.kappa {
        let _ = write!(text, ", kappa {kappa:.4}");
    }
    if let Some(accuracy) = record.test_accuracy {
        let _ = write!(text, ", test accuracy {:.2} %", 100.0 * accuracy);
    }
    Some(text)
}

/// Refused updates are always worth a line.
fn refusals(record: &RoundRecord) -> Option<String> {
    let first = record.rejections.first()?;
    let others = match record.rejections.len() {
        1 => String::new(),
        n => format!(" (and {} others)", n - 1),
    };
    Some(format!("the update of `{}` was refused: {}{others}", first.agent, first.reason))
}

fn time_left(elapsed: Duration, round: usize, before: usize, rounds: usize) -> String {
    let done = round.saturating_sub(before);
    if done == 0 {
        return String::new();
    }
    let seconds = elapsed.as_secs_f64() / done as f64 * rounds.saturating_sub(round) as f64;
    match seconds {
        s if s < 90.0 => format!(", {s:.0} s left"),
        s if s < 5400.0 => format!(", {:.0} min left", s / 60.0),
        s => format!(", {:.1} h left", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_counts_only_rounds_of_this_process() {
        let ten = Duration::from_secs(10);
        assert_eq!(time_left(ten, 20, 10, 40), ", 20 s left");
        assert_eq!(time_left(ten, 1, 0, 31), ", 5 min left");
        assert_eq!(time_left(ten, 1, 0, 1001), ", 2.8 h left");
        assert_eq!(time_left(ten, 0, 0, 10), "");
    }
}
