//! Which agents are corrupted, and how.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{CorruptError, Corruption};
use crate::names::excerpt;

/// Corruptions by agent, applied in order; agents not listed stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Corruptions(BTreeMap<String, Vec<Corruption>>);

impl Corruptions {
    /// Appends a corruption to those of an agent.
    pub fn add(&mut self, agent: &str, corruption: Corruption) {
        self.0.entry(agent.to_owned()).or_default().push(corruption);
    }

    /// Appends what a text such as `Dresden=noise:0.5,labels:0.2` says.
    ///
    /// The last equals sign counts: names may have some, corruptions have none.
    pub fn add_text(&mut self, text: &str) -> Result<(), CorruptError> {
        let (agent, steps) = text
            .rsplit_once('=')
            .filter(|(agent, _)| !agent.is_empty())
            .ok_or_else(|| CorruptError::NoAgent { text: excerpt(text) })?;
        let steps: Vec<Corruption> = steps.split(',').map(str::parse).collect::<Result<_, _>>()?;
        self.0.entry(agent.to_owned()).or_default().extend(steps);
        Ok(())
    }

    /// What happens to an agent.
    #[must_use]
    pub fn of(&self, agent: &str) -> &[Corruption] {
        self.0.get(agent).map_or(&[], Vec::as_slice)
    }

    /// Corrupted agents and what happens to them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Corruption])> {
        self.0.iter().map(|(agent, steps)| (agent.as_str(), steps.as_slice()))
    }

    /// Whether nothing happens to anybody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.values().all(Vec::is_empty)
    }
}

/// One agent a line, as [`Corruptions::add_text`] reads it.
impl fmt::Display for Corruptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (agent, steps)) in self.iter().filter(|(_, steps)| !steps.is_empty()).enumerate() {
            let steps: Vec<_> = steps.iter().map(Corruption::to_string).collect();
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{agent}={}", steps.join(","))?;
        }
        Ok(())
    }
}
