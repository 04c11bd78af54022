//! The event stream of `--json`: one object per line.

use std::io::Write;
use std::time::Instant;

use corefed_log::RoundRecord;
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Writes events as they happen.
pub(crate) struct Events<'a> {
    out: &'a mut dyn Write,
    begin: Instant,
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
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, begin: Instant::now() }
    }

    /// A round is written down.
    pub(crate) fn round(&mut self, record: &RoundRecord) -> Result<(), Failure> {
        let seconds = self.begin.elapsed().as_secs_f64();
        self.line(&RoundEvent { event: "round", seconds, record })
    }

    /// Anything else: an object with its kind as `event`.
    pub(crate) fn tell(&mut self, event: &str, fields: Value) -> Result<(), Failure> {
        let mut object = json!({ "event": event });
        if let (Value::Object(object), Value::Object(fields)) = (&mut object, fields) {
            object.extend(fields);
        }
        self.line(&object)
    }

    fn line(&mut self, event: &impl Serialize) -> Result<(), Failure> {
        let mut text = serde_json::to_vec(event)
            .map_err(|error| Failure::new(format!("cannot write an event: {error}")))?;
        text.push(b'\n');
        self.out.write_all(&text)?;
        // Whoever reads along wants lines when they happen.
        Ok(self.out.flush()?)
    }
}
