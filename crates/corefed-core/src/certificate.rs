//! The certificate: a claim with its evidence, its assumptions and what it speaks of.
//!
//! A certificate is one JSON document that can be checked by somebody who trusts neither the
//! solver nor its author. These are its types; checking lives in `corefed-verify`.

use serde::{Deserialize, Serialize};

use crate::{Assumption, Conflict, KappaInterval, Number, Predictor, Verdict};

/// Value of [`Certificate::format`].
pub const CERTIFICATE_FORMAT: &str = "corefed-certificate";
/// Value of [`Certificate::version`]; documents of other versions are refused.
pub const CERTIFICATE_VERSION: u32 = 2;

/// A checkable statement about one predictor and one federation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Why `kappa` is at least `claim.kappa.lo`: a coalition that leaves somebody behind.
    pub witness: Option<Witness>,
    /// Why everybody can gain by at least `claim.everybody.lo`; absent when that is no more than
    /// staying gives.
    pub improvement: Option<Witness>,
    /// Why `kappa` and `everybody` are at most their upper ends.
    pub evidence: Evidence,
    /// What the claim rests on.
    pub assumptions: Vec<Assumption>,
    /// What the claim speaks of.
    pub digests: Digests,
}

/// What a certificate says.
///
/// The verdict follows from the intervals and the tolerance (see `Factors::verdict`). About a table
/// with tolerance zero the strict rule of Definition 1 decides, so that `kappa = 1` may be stable or
/// blocked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Stable, blocked, improvable or undecided.
    pub verdict: Verdict,
    /// Where `kappa` lies, over the coalitions that leave somebody behind.
    pub kappa: KappaInterval,
    /// Where the factor lies by which everybody can gain at once.
    pub everybody: KappaInterval,
    /// Gains up to this do not count in the verdict: stable means at most `1 + tolerance`.
    pub tolerance: f64,
}

/// One agent, as the certificate sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The utility is known this well: the exact one differs by no more.
    pub margin: f64,
}

/// What is under audit, and against which rivals.
#[expect(clippy::large_enum_variant, reason = "a certificate has one of them")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// A coalition and what a rival gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// Members by index, ascending.
    pub coalition: Vec<usize>,
    /// What each of them gains at least, in the same order.
    pub gains: Vec<Number>,
    /// The model they would leave for.
    pub rival: Rival,
}

/// The model a coalition would leave for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Rival {
    /// Parameters in the ball.
    Parameters(Vec<f64>),
    /// A row of the table.
    Row(String),
}

/// Why no coalition does better than the upper ends of the claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Evidence {
    /// The Frank-Wolfe gap (ledger E6); needs non-negative utilities on the ball.
    FrankWolfe {
        /// At least `R |G| - <G, theta>`, with `G` the gradient of log-welfare at the incumbent.
        gap: f64,
        /// A proven largest loss of every agent over the ball.
        worst_losses: Vec<WorstLoss>,
    },
    /// Dual proofs that between them bound every coalition (ledger E10, E11).
    Conflicts {
        /// The proofs.
        conflicts: Vec<Conflict>,
        /// Agents that have nothing, and why no model gives them anything.
        hopeless: Vec<Hopeless>,
    },
    /// Nobody can get more than its ceiling (ledger E8).
    Headroom,
    /// Every listed rival was scanned in exact arithmetic (ledger E4).
    Listed,
    /// No upper bound is claimed.
    Unbounded,
}

/// A proof that no model of the ball gives an agent a positive utility: it joins no coalition
/// (ledger E10).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hopeless {
    /// The agent, by index; its utility is not positive.
    pub agent: usize,
    /// Where the bound on its utility is taken, in the ball.
    pub point: Vec<f64>,
    /// As in [`Conflict::correction`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Vec<f64>>,
    /// As in [`Conflict::sphere`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sphere: Option<f64>,
}

/// An upper bound of one agent's loss over the ball (ledger E15).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorstLoss {
    /// At least the largest loss over the ball, nats or squared units.
    pub bound: f64,
    /// For least squares, the multiplier that proves it; absent where a formula does.
    pub multiplier: Option<f64>,
}

/// SHA-256 digests of what the certificate speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Digests {
    /// The data file, byte for byte.
    pub data: String,
    /// The incumbent's parameters, or its row of utilities, as IEEE bits.
    pub parameters: String,
}
