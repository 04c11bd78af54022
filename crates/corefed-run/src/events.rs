//! A training as a stream of events, for programs that read along.

use std::ops::ControlFlow;
use std::time::Instant;

use corefed_core::{KappaInterval, Number, Verdict};
use corefed_log::RoundRecord;
use corefed_sim::Outcome;
use serde::Serialize;

use crate::{End, Observer, Start};

/// Something that happened, as one JSON object with its kind as `event`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event<'a> {
    /// A training begins, or continues.
    Start {
        /// Where it is written.
        folder: String,
        /// Name of the server rule.
        rule: &'a str,
        /// How many take part.
        agents: usize,
        /// How many parameters its model has.
        parameters: usize,
        /// Rounds planned.
        rounds: usize,
        /// The round after which it continues.
        resumed_after: Option<usize>,
    },
    /// A round is written down.
    Round {
        /// Since the training began; records have no clock, events do.
        seconds: f64,
        /// The round's record.
        #[serde(flatten)]
        record: &'a RoundRecord,
    },
    /// The training was stopped after a round and can be resumed.
    Interrupted {
        /// The round.
        round: usize,
    },
    /// The training is complete, audited and written.
    End {
        /// Where it is written.
        folder: String,
        /// Rounds that were made.
        rounds: usize,
        /// Whether the certificate that was asked for ended it.
        certified: bool,
        /// Time spent in rounds, records and checkpoints.
        seconds_rounds: f64,
        /// Whether anybody would leave.
        verdict: Verdict,
        /// Where kappa lies.
        kappa: KappaInterval,
        /// Where everybody's factor lies.
        everybody: KappaInterval,
        /// Upper bound of kappa from ceilings alone.
        headroom: Option<Number>,
        /// The weighted sum of the logarithms of utilities.
        log_welfare: Option<Number>,
        /// Mean accuracy on training rows, for classes.
        accuracy: Option<f64>,
        /// Accuracy on the test part.
        test_accuracy: Option<f64>,
    },
}

/// Hands every event to a function, which may end the training.
pub struct EventStream<F> {
    begin: Instant,
    tell: F,
    broken: bool,
}

impl<F: FnMut(&Event<'_>) -> ControlFlow<()>> EventStream<F> {
    /// Events go to `tell`; breaking ends the training after the round, with a checkpoint.
    pub fn new(tell: F) -> Self {
        Self { begin: Instant::now(), tell, broken: false }
    }

    fn tell(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        // A caller that broke off hears nothing more.
        self.broken = self.broken || (self.tell)(event).is_break();
        if self.broken { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<F: FnMut(&Event<'_>) -> ControlFlow<()>> Observer for EventStream<F> {
    fn started(&mut self, start: &Start<'_>) {
        let _ = self.tell(&Event::Start {
            folder: start.folder.display().to_string(),
            rule: &start.header.rule,
            agents: start.header.agents.len(),
            parameters: start.parameters,
            rounds: start.header.rounds,
            resumed_after: start.resumed_after,
        });
    }

    fn round(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        let seconds = self.begin.elapsed().as_secs_f64();
        self.tell(&Event::Round { seconds, record: &outcome.round })
    }

    fn interrupted(&mut self, round: usize) {
        let _ = self.tell(&Event::Interrupted { round });
    }

    fn ended(&mut self, end: &End<'_>) {
        let _ = self.tell(&Event::End {
            folder: end.folder.display().to_string(),
            rounds: end.rounds,
            certified: end.certified,
            seconds_rounds: end.elapsed.as_secs_f64(),
            verdict: end.verdict,
            kappa: end.factors.kappa,
            everybody: end.factors.everybody,
            headroom: end.headroom,
            log_welfare: end.round.log_welfare.map(Number),
            accuracy: end.round.accuracy,
            test_accuracy: end.round.test_accuracy,
        });
    }
}
