//! What a node tells while it serves.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use corefed_core::as_flags;

use crate::error::NodeError;

/// Something that happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The rows are read.
    Ready {
        /// Whose they are.
        agent: &'a str,
        /// How many.
        samples: usize,
    },
    /// Others than its user may read the private key.
    OpenKey {
        /// The file.
        path: &'a Path,
    },
    /// The SuperLink takes messages for this node.
    Joined {
        /// Where.
        superlink: &'a str,
        /// The number by which it knows the node.
        node_id: u64,
    },
    /// A message was answered.
    Answered {
        /// Its run.
        run_id: u64,
        /// What was asked.
        asked: &'a str,
        /// How long that took, from the message to the last byte of the reply.
        seconds: f64,
    },
    /// A message was answered by an error.
    Declined {
        /// Its run.
        run_id: u64,
        /// What the server was told.
        reason: &'a str,
    },
    /// A message is not answered: its run is over, or nobody has its content any more.
    Dropped {
        /// Its run.
        run_id: u64,
        /// Why.
        reason: &'a NodeError,
    },
    /// The SuperLink is away; it is tried again.
    Away {
        /// What happened.
        reason: &'a NodeError,
        /// After how long.
        pause: Duration,
    },
    /// The node was asked to stop and has told the SuperLink.
    Left,
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready { agent, samples } => write!(f, "{samples} rows of {agent}"),
            Self::OpenKey { path } => {
                let path = path.display();
                write!(f, "warning: others may read the key `{path}` (`chmod 600 {path}`)")
            }
            Self::Joined { superlink, node_id } => {
                write!(f, "joined the SuperLink at {superlink} as node {node_id}")
            }
            Self::Answered { run_id, asked, seconds } => {
                write!(f, "run {run_id}: {asked}, answered in {seconds:.3} s")
            }
            Self::Declined { run_id, reason } => write!(f, "run {run_id}: declined: {reason}"),
            Self::Dropped { run_id, reason } => write!(f, "run {run_id}: dropped: {reason}"),
            Self::Away { reason, pause } => {
                write!(f, "{reason}; trying again in {:.1} s", pause.as_secs_f64())?;
                reason.hint().map_or(Ok(()), |hint| write!(f, " ({})", as_flags(&hint)))
            }
            Self::Left => write!(f, "left the SuperLink"),
        }
    }
}
