//! The event stream of `--json`: one object per line.

use std::io::Write;
use std::ops::ControlFlow;

use corefed_documents::to_json_line;
use corefed_log::Damaged;
use corefed_run::{End, Event, EventStream, Observer, Start};
use corefed_sim::Outcome;

use super::terminal::Terminal;
use crate::context::Context;
use crate::failure::Failure;

/// A training whose events are written as they happen: the first failure ends it, with a checkpoint.
pub(crate) fn with_events<T>(
    context: &Context,
    out: &mut dyn Write,
    work: impl FnOnce(&mut dyn Observer) -> T,
) -> Result<T, Failure> {
    let mut failed = None;
    let stream = EventStream::new(|event: &Event<'_>| match write(out, event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(failure) => {
            failed = Some(failure);
            ControlFlow::Break(())
        }
    });
    let done = work(&mut Events { context, stream });
    failed.map_or(Ok(done), Err)
}

fn write(out: &mut dyn Write, event: &Event<'_>) -> Result<(), Failure> {
    out.write_all(to_json_line(event)?.as_bytes())?;
    // A program that reads along wants lines when they happen.
    Ok(out.flush()?)
}

/// Events on standard output, warnings on standard error.
struct Events<'a, F> {
    context: &'a Context,
    stream: EventStream<F>,
}

impl<F: FnMut(&Event<'_>) -> ControlFlow<()>> Observer for Events<'_, F> {
    fn started(&mut self, start: &Start<'_>) {
        self.context.listen();
        self.stream.started(start);
    }

    fn round(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        self.stream.round(outcome)
    }

    fn damaged(&mut self, damaged: &Damaged, round: Option<usize>) {
        Terminal::new(self.context, "").damaged(damaged, round);
    }

    fn interrupted(&mut self, round: usize) {
        self.stream.interrupted(round);
    }

    fn ended(&mut self, end: &End<'_>) {
        self.stream.ended(end);
    }
}
