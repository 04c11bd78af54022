//! A training while it runs, round by round.

use std::fmt::Write;

use corefed_core::{one_line, shown};
use corefed_log::RoundRecord;

/// How a round stands; nothing where agents were not asked.
#[must_use]
pub fn standing(record: &RoundRecord) -> Option<String> {
    // Writing to a String cannot fail.
    let mut text = format!(", log-welfare {:.4}", record.log_welfare?);
    if let (Some(worst), Some(spread)) = (&record.worst_agent, &record.utility_spread) {
        let _ = write!(text, ", worst {} {:.4}", shown(worst), spread.min);
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
#[must_use]
pub fn refusals(record: &RoundRecord) -> Option<String> {
    let first = record.rejections.first()?;
    let others = match record.rejections.len() {
        1 => String::new(),
        n => format!(" (and {} others)", n - 1),
    };
    let (agent, reason) = (shown(&first.agent), one_line(&first.reason));
    Some(format!("the update of `{agent}` was refused: {reason}{others}"))
}

/// Whether a safeguard of the log acted in the last round.
#[derive(Debug, Default)]
pub struct Safeguard {
    acts: bool,
}

impl Safeguard {
    /// A line when it begins to act, and when it has ended.
    pub fn after(&mut self, record: &RoundRecord) -> Option<String> {
        let acts = record.warm_up || !record.floored.is_empty() || !record.raised.is_empty();
        if record.round == 0 || acts == self.acts {
            return None;
        }
        self.acts = acts;
        let named = |names: &[String]| match names {
            [] => String::new(),
            [one] => format!(" (`{}`)", shown(one)),
            [one, rest @ ..] => format!(" (`{}` and {} others)", shown(one), rest.len()),
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

/// The time that the rounds left will take, by that of the rounds since `before`.
#[must_use]
pub fn time_left(seconds: f64, round: usize, before: usize, rounds: usize) -> String {
    let done = round.saturating_sub(before);
    if done == 0 {
        return String::new();
    }
    match seconds / done as f64 * rounds.saturating_sub(round) as f64 {
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
        assert_eq!(time_left(10.0, 20, 10, 40), ", 20 s left");
        assert_eq!(time_left(10.0, 1, 0, 31), ", 5 min left");
        assert_eq!(time_left(10.0, 1, 0, 1001), ", 2.8 h left");
        assert_eq!(time_left(10.0, 0, 0, 10), "");
    }
}
