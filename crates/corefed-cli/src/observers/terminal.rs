//! A run as somebody at a terminal watches it.

use std::ops::ControlFlow;
use std::time::Duration;

use corefed_audit::Progress;
use corefed_core::one_line;
use corefed_log::Damaged;
use corefed_run::{Observer, Observers, Start};
use corefed_sim::Outcome;
use indicatif::{ProgressBar, ProgressStyle};

use super::progress::RoundsProgress;
use crate::context::Context;

/// How often a log file hears of a search.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Lines that change on a terminal, lines now and then in a log file.
pub(crate) struct Terminal<'a> {
    context: &'a Context,
    what: String,
    rounds: Option<RoundsProgress<'a>>,
    search: Option<Searching>,
    groups: Option<ProgressBar>,
}

/// The line of a search over coalitions.
struct Searching {
    spinner: ProgressBar,
    next_log: Duration,
}

impl<'a> Terminal<'a> {
    /// `what` is shown before every line.
    pub(crate) fn new(context: &'a Context, what: &str) -> Self {
        Self { context, what: what.to_owned(), rounds: None, search: None, groups: None }
    }
}

impl Observers for Context {
    fn watch(&self, what: &str) -> Box<dyn Observer + '_> {
        Box::new(Terminal::new(self, what))
    }
}

impl Observer for Terminal<'_> {
    fn started(&mut self, start: &Start<'_>) {
        self.context.listen();
        let done = start.resumed_after.unwrap_or(0);
        let rounds = start.header.rounds;
        self.rounds = Some(RoundsProgress::new(self.context, &self.what, rounds, done));
    }

    fn round(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        if let Some(rounds) = &mut self.rounds {
            rounds.round(outcome);
        }
        ControlFlow::Continue(())
    }

    fn searching(&mut self, what: &str, progress: &Progress, elapsed: Duration) {
        // Rounds are over when their model is audited.
        self.rounds = None;
        let search = self.search.get_or_insert_with(|| Searching {
            spinner: self
                .context
                .line(|| ProgressBar::new_spinner().with_style(ProgressStyle::default_spinner())),
            next_log: LOG_EVERY,
        });
        let line = format!("{what}: {progress}, {:.0} s", elapsed.as_secs_f64());
        if search.spinner.is_hidden() && elapsed >= search.next_log {
            search.next_log = elapsed + LOG_EVERY;
            self.context.say(&line);
        }
        search.spinner.set_message(one_line(&line).into_owned());
        search.spinner.tick();
    }

    fn groups(&mut self, done: usize, all: usize) {
        let bar = self.groups.get_or_insert_with(|| {
            self.context.line(|| {
                let style = ProgressStyle::with_template("{prefix} [{bar:24}] {pos}/{len} trained")
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> ");
                ProgressBar::new(all as u64)
                    .with_style(style)
                    .with_prefix(one_line(&self.what).into_owned())
            })
        });
        bar.set_position(done as u64);
    }

    fn damaged(&mut self, damaged: &Damaged, round: Option<usize>) {
        let instead = match round {
            Some(round) => format!("continuing after round {round}"),
            None => "starting over".to_owned(),
        };
        self.context.say(&format!(
            "warning: checkpoint `{}` cannot be used ({}); {instead}",
            damaged.path.display(),
            damaged.reason
        ));
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        if let Some(search) = &self.search {
            search.spinner.finish_and_clear();
        }
        if let Some(bar) = &self.groups {
            bar.finish_and_clear();
        }
    }
}
