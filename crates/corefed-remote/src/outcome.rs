//! What a session ends with.

use corefed_core::{AttestedCertificate, KappaInterval, Verdict, Witness};
use serde::{Deserialize, Serialize};

/// Why a session asks no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Ended {
    /// Every coalition is bounded as closely as was asked for.
    Complete,
    /// The verdict is known, and no more was asked for.
    Verdict,
    /// The rounds ran out: the ends are proven, and apart.
    Rounds,
    /// Agents that would have to answer refuse to: the ends are proven, and apart.
    Refused,
    /// More answers bring the ends no closer.
    Stalled,
    /// Nothing could be proven about what an agent might get that has nothing.
    ZeroUtility {
        /// The agent, by index.
        agent: usize,
    },
    /// Too few agents answered to have a predictor to audit.
    Nobody,
}

/// What one agent and the coordinator told each other in one round, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// By the agent.
    pub answered: usize,
    /// To the agent.
    pub sent: usize,
}

/// The answer of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Stable, blocked, improvable or undecided.
    pub verdict: Verdict,
    /// Where `kappa` lies, over the coalitions that leave somebody behind; where agents are absent, over
    /// those without them.
    pub kappa: KappaInterval,
    /// Where the factor lies by which everybody can gain at once.
    pub everybody: KappaInterval,
    /// The best deviation met, whether or not it beats staying.
    pub witness: Option<Witness>,
    /// What is better for everybody, if anything is known to be.
    pub improvement: Option<Witness>,
    /// The predictor's parameters.
    pub parameters: Vec<f64>,
    /// Where it was trained here: its Frank-Wolfe gap over the total weight.
    pub training_gap: Option<f64>,
    /// Utility of every agent; absent for one that did not answer.
    pub utilities: Vec<Option<f64>>,
    /// Why it ended.
    pub ended: Ended,
    /// Rounds asked.
    pub rounds: usize,
    /// Those that found the predictor.
    pub training_rounds: usize,
    /// The round after which the verdict could not change any more.
    pub verdict_round: Option<usize>,
    /// Points asked.
    pub points: usize,
    /// Programs solved on models.
    pub programs: usize,
    /// By agent, then by round.
    pub traffic: Vec<Vec<Traffic>>,
    /// Agents that never answered at the predictor, by index.
    pub absent: Vec<usize>,
    /// The evidence, unsigned and as computed: a checker rounds it.
    pub draft: AttestedCertificate,
}
