//! Who is told how far a run is.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use corefed_audit::{Observer as AuditObserver, Progress};
use corefed_core::{Factors, Number, Verdict};
use corefed_log::{Damaged, RoundRecord, RunHeader};
use corefed_sim::Outcome;

use crate::Stop;

/// Watches a run. Every method may be left out.
pub trait Observer {
    /// A training begins, or continues.
    fn started(&mut self, _start: &Start<'_>) {}
    /// A round is written down; breaking ends the training, with a checkpoint.
    fn round(&mut self, _outcome: &Outcome) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// A search over coalitions is under way, or the proof of what it found.
    fn searching(&mut self, _what: &str, _progress: &Progress, _elapsed: Duration) {}
    /// This many of the groups that are asked have trained.
    fn groups(&mut self, _done: usize, _all: usize) {}
    /// A checkpoint could not be used; the training continues after `round`, or from its start.
    fn damaged(&mut self, _damaged: &Damaged, _round: Option<usize>) {}
    /// The training was stopped after a round and can be resumed.
    fn interrupted(&mut self, _round: usize) {}
    /// The training is complete, audited and written.
    fn ended(&mut self, _end: &End<'_>) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Makes an observer for each of several runs, which may run side by side.
pub trait Observers: Sync {
    /// The observer of one run; `what` names it for people.
    fn watch(&self, what: &str) -> Box<dyn Observer + '_>;
}

impl Observers for Silent {
    fn watch(&self, _what: &str) -> Box<dyn Observer + '_> {
        Box::new(Self)
    }
}

/// A training that begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Where it is written.
    pub folder: &'a Path,
    /// What it is.
    pub header: &'a RunHeader,
    /// How many parameters its model has.
    pub parameters: usize,
    /// The round after which it continues.
    pub resumed_after: Option<usize>,
}

/// A training that is complete.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// Where it is written.
    pub folder: &'a Path,
    /// Rounds that were made.
    pub rounds: usize,
    /// Whether it ended early because the certificate that was asked for was reached.
    pub certified: bool,
    /// Time spent in rounds, records and checkpoints.
    pub elapsed: Duration,
    /// Whether anybody would leave.
    pub verdict: Verdict,
    /// What is known of kappa and of everybody's factor.
    pub factors: Factors,
    /// Upper bound of kappa from ceilings alone.
    pub headroom: Option<Number>,
    /// The last round in which everybody was measured.
    pub round: &'a RoundRecord,
}

/// The share of its time that an audit searches: what it finds has to be proven in the rest.
const SEARCH: f64 = 2.0 / 3.0;
/// How much longer than told a proof may take, in seconds, if it is not the time told once more. A search whose
/// findings are not proven was for nothing.
const GRACE: f64 = 10.0;

/// The clock of one audit: it tells the observer, and ends search or proof when their time is up or somebody asks.
pub(crate) struct Clock<'a> {
    what: String,
    begin: Instant,
    search: Duration,
    proof: Duration,
    stop: &'a Stop,
    observer: &'a mut dyn Observer,
    /// When somebody asked to stop, as far as was noticed.
    stopped: Option<Duration>,
    /// Whether search or proof was cut short.
    pub(crate) expired: bool,
}

impl<'a> Clock<'a> {
    pub(crate) fn new(
        what: impl Into<String>,
        seconds: f64,
        stop: &'a Stop,
        observer: &'a mut dyn Observer,
    ) -> Self {
        // An absurd limit means no limit.
        let limit = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Self {
            what: what.into(),
            begin: Instant::now(),
            search: limit(SEARCH * seconds),
            proof: limit(seconds + seconds.max(GRACE)),
            stop,
            observer,
            stopped: None,
            expired: false,
        }
    }

    /// Says, to those who compute, when the search has to end in the middle of a program.
    pub(crate) fn halt(&self) -> impl Fn() -> bool + Sync + use<'a> {
        let (begin, search, stop) = (self.begin, self.search, self.stop);
        move || begin.elapsed() > search || stop.is_asked()
    }
}

impl AuditObserver for Clock<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let elapsed = self.begin.elapsed();
        self.observer.searching(&self.what, progress, elapsed);
        if self.stop.is_asked() {
            self.stopped = self.stopped.or(Some(elapsed));
        }
        let over = match (progress.proven, self.stopped) {
            (None, stopped) => elapsed > self.search || stopped.is_some(),
            // What was found until then is worth a moment.
            (Some(_), Some(stopped)) => elapsed > stopped + Duration::from_secs_f64(GRACE),
            (Some(_), None) => elapsed > self.proof,
        };
        if over {
            self.expired = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
