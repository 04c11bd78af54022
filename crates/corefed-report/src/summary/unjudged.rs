//! A training in words that ended with a model which not everybody measured: there is no verdict on it.

use std::fmt::Write;

use corefed_log::{AgentRecord, RoundRecord, RunHeader};

use super::training::{listed, opening};
use crate::markdown::escape;
use crate::plain::plain;

/// A training that has ended without an audit.
#[derive(Clone, Copy, Debug)]
pub struct Unjudged<'a> {
    /// What it was.
    pub header: &'a RunHeader,
    /// The round that it ended with.
    pub rounds: usize,
    /// The last round in which everybody was measured, with everybody, where there is one.
    pub measured: Option<(&'a RoundRecord, &'a [AgentRecord])>,
    /// What else to say before it is used.
    pub warnings: &'a [String],
}

/// For the run folder.
#[must_use]
pub fn markdown(training: &Unjudged<'_>) -> String {
    let header = plain(training.header);
    let mut text = opening(&header, training.rounds);
    let mut said = vec!["There is no verdict:".to_owned()];
    match training.measured {
        Some((round, agents)) => {
            let agents: Vec<AgentRecord> =
                agents.iter().map(|own| plain(own).into_owned()).collect();
            text.push_str(&listed(&header, &agents, None));
            said.push(format!(
                "not everybody measured the model of round {}. The numbers above are those of round {}, the last \
                 that everybody measured.",
                training.rounds, round.round
            ));
        }
        None => said.push("no model of this run was measured by everybody.".to_owned()),
    }
    said.extend(training.warnings.iter().map(|warning| format!("WARNING: {warning}")));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "\n**{}**", escape(&said.join(" ")));
    text
}
