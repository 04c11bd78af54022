//! The event stream of `--json`: one object per line.

use std::io::Write;
use std::ops::ControlFlow;
use std::time::Instant;

use corefed_core::Number;
use corefed_log::{Damaged, RoundRecord};
use corefed_run::{End, Observer, Start};
use corefed_sim::Outcome;
use serde::Serialize;
use serde_json::{Value, json};

use super::terminal::Terminal;
use crate::context::Context;
use crate::failure::Failure;

/// Writes events as they happen.
pub(crate) struct Events<'a> {
    context: &'a Context,
    out: &'a mut dyn Write,
    begin: Instant,
    /// Why an event could not be written; the run then ends with a checkpoint.
    failed: Option<Failure>,
}

#[derive(Serialize)]
struct RoundEvent<'a> {
    event: &'static str,
    /// Since the training began; records have no clock, events do.
    seconds: f64,
    #[serde(flatten)]
    record: &'a RoundRecord,
}

impl<'a> Events<'a> {
    pub(crate) fn new(context: &'a Context, out: &'a mut dyn Write) -> Self {
        Self { context, out, begin: Instant::now(), failed: None }
    }

    /// Whether everything could be written.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.failed.map_or(Ok(()), Err)
    }

    /// An object with its kind as `event`.
    fn tell(&mut self, event: &str, fields: Value) {
        let mut object = json!({ "event": event });
        if let (Value::Object(object), Value::Object(fields)) = (&mut object, fields) {
            object.extend(fields);
        }
        self.line(&object);
    }

    fn line(&mut self, event: &impl Serialize) {
        if self.failed.is_none() {
            self.failed = self.written(event).err();
        }
    }

    fn written(&mut self, event: &impl Serialize) -> Result<(), Failure> {
        let mut text = serde_json::to_vec(event)
            .map_err(|error| Failure::new(format!("cannot write an event: {error}")))?;
        text.push(b'\n');
        self.out.write_all(&text)?;
        // Whoever reads along wants lines when they happen.
        Ok(self.out.flush()?)
    }
}

impl Observer for Events<'_> {
    fn started(&mut self, start: &Start<'_>) {
        self.context.listen();
        self.tell(
            "start",
            json!({
                "folder": start.folder.display().to_string(),
                "rule": start.header.rule,
                "agents": start.header.agents.len(),
                "parameters": start.parameters,
                "rounds": start.header.rounds,
                "resumed_after": start.resumed_after,
            }),
        );
    }

    fn round(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        let seconds = self.begin.elapsed().as_secs_f64();
        self.line(&RoundEvent { event: "round", seconds, record: &outcome.round });
        if self.failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn damaged(&mut self, damaged: &Damaged, round: Option<usize>) {
        Terminal::new(self.context, "").damaged(damaged, round);
    }

    fn interrupted(&mut self, round: usize) {
        self.tell("interrupted", json!({ "round": round }));
    }

    fn ended(&mut self, end: &End<'_>) {
        self.tell(
            "end",
            json!({
                "folder": end.folder.display().to_string(),
                "rounds": end.rounds,
                "certified": end.certified,
                "seconds_rounds": end.elapsed.as_secs_f64(),
                "verdict": end.verdict,
                "kappa": end.factors.kappa,
                "everybody": end.factors.everybody,
                "headroom": end.headroom,
                "log_welfare": end.round.log_welfare.map(Number),
                "accuracy": end.round.accuracy,
                "test_accuracy": end.round.test_accuracy,
            }),
        );
    }
}
