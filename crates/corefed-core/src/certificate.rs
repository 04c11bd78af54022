//! The certificate: a claim with its evidence, its assumptions and what it speaks of.
//!
//! A certificate is one JSON document that can be checked by somebody who trusts neither the
//! solver nor its author. These are its types; checking lives in `corefed-verify`.

use serde::{Deserialize, Serialize};

use crate::{Conflict, KappaInterval, Number, Predictor, Verdict};

/// Value of [`Certificate::format`].
pub const CERTIFICATE_FORMAT: &str = "corefed-certificate";
/// Value of [`Certificate::version`]; documents of other versions are refused.
pub const CERTIFICATE_VERSION: u32 = 1;

/// A checkable statement about one predictor and one federation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Always [`CERTIFICATE_FORMAT`].
    pub format: String,
    /// Always [`CERTIFICATE_VERSION`].
    pub version: u32,
    /// What is claimed.
    pub claim: Claim,
    /// The agents and what the predictor gives them.
    pub agents: Vec<AgentStatement>,
    /// What is under audit.
    pub subject: Subject,
    /// Why `kappa` is at least `claim.kappa.lo`.
    pub witness: Option<Witness>,
    /// Why `kappa` is at most `claim.kappa.hi`.
    pub evidence: Evidence,
    /// What the claim rests on.
    pub assumptions: Vec<Assumption>,
    /// What the claim speaks of.
    pub digests: Digests,
}

/// What a certificate says.
///
/// About a predictor the verdict follows from `kappa` and `epsilon`; about a table `epsilon` is zero
/// and the strict rule of Definition 1 decides, so that `kappa = 1` may be stable or blocked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Stable, blocked or undecided.
    pub verdict: Verdict,
    /// Where `kappa` lies.
    pub kappa: KappaInterval,
    /// Slack of the verdict: stable means `kappa <= 1 + epsilon`.
    pub epsilon: f64,
}

/// One agent, as the certificate sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentStatement {
    /// Its name.
    pub name: String,
    /// Rows it owns; zero when only utilities are known.
    pub samples: usize,
    /// Its weight, > 0.
    pub weight: f64,
    /// The loss at which it gets nothing; absent when only utilities are known.
    pub ceiling: Option<f64>,
    /// What the incumbent gives it.
    pub utility: f64,
}

/// What is under audit, and against which rivals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Subject {
    /// A predictor, against every other in its ball.
    Predictor(Predictor),
    /// A row of a table of utilities, against the other rows only.
    Table {
        /// Name of the incumbent row.
        incumbent: String,
    },
}

/// A coalition and a rival that reach `claim.kappa.lo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// Members by index, ascending.
    pub coalition: Vec<usize>,
    /// Their gains, in the same order.
    pub gains: Vec<Number>,
    /// The model they would leave for.
    pub rival: Rival,
}

/// The model a coalition would leave for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rival {
    /// Parameters in the ball.
    Parameters(Vec<f64>),
    /// A row of the table.
    Row(String),
}

/// Why no coalition does better than `claim.kappa.hi`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Evidence {
    /// The Frank-Wolfe gap (ledger E6); needs non-negative utilities on the ball.
    FrankWolfe {
        /// Gradient of log-welfare at the incumbent.
        gradient: Vec<f64>,
        /// `R |G| - <G, theta>`.
        gap: f64,
        /// A proven largest loss of every agent over the ball.
        worst_losses: Vec<WorstLoss>,
    },
    /// Dual proofs that between them bound every coalition (ledger E10, E11).
    Conflicts {
        /// The proofs.
        conflicts: Vec<Conflict>,
    },
    /// Nobody can get more than its ceiling (ledger E8).
    Headroom,
    /// Every listed rival was scanned in exact arithmetic (ledger E4).
    Listed,
    /// No upper bound is claimed: an agent has nothing to lose, so `kappa` is infinite.
    Unbounded,
}

/// An upper bound of one agent's loss over the ball (ledger E15).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorstLoss {
    /// The bound, nats or squared units.
    pub bound: f64,
    /// For least squares, the multiplier that proves it; absent where a formula does.
    pub multiplier: Option<f64>,
}

/// Something the claim rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// What is assumed, as a sentence.
    pub statement: String,
    /// Whether it was checked.
    pub status: Status,
    /// Figures behind the status.
    pub detail: String,
}

/// How an assumption stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Proven or computed here.
    Checked,
    /// Taken on trust.
    Assumed,
    /// Known to be false; the claim does not use it.
    Violated,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Checked => "checked",
            Self::Assumed => "assumed",
            Self::Violated => "violated",
        })
    }
}

/// SHA-256 digests of what the certificate speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Digests {
    /// The data file, byte for byte.
    pub data: String,
    /// The incumbent's parameters, or its row of utilities, as IEEE bits.
    pub parameters: String,
}
