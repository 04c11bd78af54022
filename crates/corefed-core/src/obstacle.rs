//! Why an audit could not decide, and what would help.

use serde::{Deserialize, Serialize};

/// What stood in the way of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Obstacle {
    /// The search, or the proof of what it found, was broken off.
    Time,
    /// The search was complete, and double precision cannot tell the ends of the interval apart from
    /// the threshold.
    Precision,
    /// There are more agents than coalitions can be searched for.
    Agents {
        /// How many there are.
        agents: usize,
        /// How many can be searched.
        most: usize,
    },
    /// An agent's utility is so close to zero that its sign is not known, or nothing could be proven
    /// about what it might get.
    ZeroUtility {
        /// The agent, by index.
        agent: usize,
    },
    /// Rivals were only searched for, or listed: others may exist.
    Rivals,
}

impl Obstacle {
    /// What stood in the way, as a clause; `name` says what an agent is called.
    #[must_use]
    pub fn reason(self, name: impl Fn(usize) -> String) -> String {
        match self {
            Self::Time => {
                "the time ran out before every coalition was looked at and every bound proven"
                    .to_owned()
            }
            Self::Precision => {
                "every coalition was looked at, but kappa is closer to the threshold than double \
                 precision can tell"
                    .to_owned()
            }
            Self::Agents { agents, most } => {
                format!("coalitions of {agents} agents cannot be searched; the most is {most}")
            }
            Self::ZeroUtility { agent } => {
                format!("the utility of {} is too close to zero to tell its sign", name(agent))
            }
            Self::Rivals => "not every rival was tried".to_owned(),
        }
    }

    /// What would help, as a clause in the imperative.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Time => "raise the time limit",
            Self::Precision => "set a larger tolerance, or scale and centre the columns",
            Self::Agents { .. } => {
                "group agents, or choose ceilings above the worst loss, where one gradient decides"
            }
            Self::ZeroUtility { .. } => "choose another ceiling for it",
            Self::Rivals => "list more rivals, or search longer",
        }
    }
}
