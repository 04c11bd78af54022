//! The certificate of a federation that pools nothing: every number in it is one agent's answer about its
//! own rows, and each agent signs its own.
//!
//! A leaf is an agent's loss, and where a bound needs it its gradient, at one of the shared points.
//! Bounds on coalitions follow from leaves by convexity alone (ledger E78), so anybody can check them
//! without rows, and an agent checks its own leaves on its own rows. A bound on a coalition uses leaves
//! of its members only: whatever others answered, it holds for members who told the truth. These are the
//! types; checking lives in `corefed-verify`.

use serde::{Deserialize, Serialize};

use crate::{AgreedModel, Assumption, Claim, Number};

/// Value of [`AttestedCertificate::format`].
pub const ATTESTED_FORMAT: &str = "corefed-attested-certificate";
/// Value of [`AttestedCertificate::version`] where losses follow from rows; documents of versions that are not
/// named here are refused.
pub const ATTESTED_VERSION: u32 = 1;
/// Its value where the model is the agents' own.
pub const OWN_MODEL_VERSION: u32 = 2;

/// The version of a certificate about a model.
#[must_use]
pub fn attested_version(model: &AgreedModel) -> u32 {
    match model {
        AgreedModel::Known(_) => ATTESTED_VERSION,
        AgreedModel::Own(_) => OWN_MODEL_VERSION,
    }
}

/// A checkable statement about one predictor and a federation whose rows stay where they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttestedCertificate {
    /// Always [`ATTESTED_FORMAT`].
    pub format: String,
    /// That of [`attested_version`].
    pub version: u32,
    /// What is claimed. Where agents are absent, `kappa` is about coalitions without them, and
    /// nothing is known about everybody.
    pub claim: Claim,
    /// What every agent signs.
    pub terms: Terms,
    /// Parameters that leaves refer to; the first are those of the predictor.
    pub points: Vec<Vec<f64>>,
    /// What each agent stands for, in the order of the terms.
    pub attestations: Vec<Attestation>,
    /// Why `kappa` is at least `claim.kappa.lo`.
    pub witness: Option<AttestedWitness>,
    /// Why everybody can gain by at least `claim.everybody.lo`; absent when staying gives as much.
    pub improvement: Option<AttestedWitness>,
    /// Why `kappa` and `everybody` are at most their upper ends.
    pub evidence: AttestedEvidence,
    /// What the claim rests on.
    pub assumptions: Vec<Assumption>,
}

/// The question: which predictor, against which rivals, under which ceilings and weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The predictor under audit; its radius bounds the rivals.
    pub predictor: AgreedModel,
    /// The agents, in a fixed order.
    pub agents: Vec<Party>,
    /// Gains up to this do not count.
    pub tolerance: f64,
}

/// One agent, as the terms see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Party {
    /// Its name.
    pub name: String,
    /// Its weight, > 0.
    pub weight: f64,
    /// The loss at which it gets nothing.
    pub ceiling: f64,
    /// Where the ceiling comes from, `initial:1.5` say; the agent declared it.
    pub policy: String,
    /// Its Ed25519 public key, 64 hexadecimal digits; absent for an agent that signs nothing.
    pub key: Option<String>,
}

/// What one agent stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Attestation {
    /// Rows it owns; zero for an agent that was absent.
    pub samples: usize,
    /// A salted SHA-256 of its encoded rows; absent until it attests.
    pub rows: Option<String>,
    /// Its answers, by ascending point. An absent agent has none.
    pub leaves: Vec<Leaf>,
    /// A proven largest loss over the ball, where Frank-Wolfe evidence needs it.
    pub worst_loss: Option<f64>,
    /// An Ed25519 signature over terms, name, rows and leaves; absent until it attests.
    pub signature: Option<String>,
}

/// One agent's answer at one point: the exact loss lies within `margin` of `loss`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// Which of the points.
    pub point: usize,
    /// Its mean loss there, the ridge included.
    pub loss: f64,
    /// How well the loss is known.
    pub margin: f64,
    /// Its gradient there; absent where only the loss is used.
    pub gradient: Option<LeafGradient>,
}

/// A gradient with its error: the exact one lies within `margin` in Euclidean distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LeafGradient {
    /// One number per parameter, the ridge included.
    pub values: Vec<f64>,
    /// How well it is known.
    pub margin: f64,
}

/// A coalition and the shared point it would leave for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttestedWitness {
    /// Members by index, ascending.
    pub coalition: Vec<usize>,
    /// What each of them gains at least, in the same order.
    pub gains: Vec<Number>,
    /// The rival, by its place among the points.
    pub point: usize,
}

/// Why no coalition does better than the upper ends of the claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AttestedEvidence {
    /// Tangents of members that between them bound every coalition (ledger E78, E11).
    Tangents {
        /// The proofs.
        conflicts: Vec<TangentConflict>,
        /// Agents that have nothing, and why no model gives them anything.
        hopeless: Vec<TangentHopeless>,
    },
    /// The Frank-Wolfe gap (ledger E6), from gradients at the predictor; needs every worst loss.
    FrankWolfe {
        /// At least `R |G| - <G, theta>`.
        gap: f64,
    },
    /// Nobody can get more than its ceiling (ledger E8).
    Headroom,
    /// No upper bound is claimed.
    Unbounded,
}

/// A bound on every coalition that contains its agents, from several tangents of each (ledger E78).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TangentConflict {
    /// Which tangents, with which multipliers.
    pub tangents: Vec<Tangent>,
    /// No rival in the ball has `min_i gain_i` over these agents above this.
    pub bound: f64,
}

/// One leaf with a gradient, used with a positive multiplier on the agent's utility.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tangent {
    /// Whose.
    pub agent: usize,
    /// At which of the points.
    pub point: usize,
    /// On utilities, positive, of any sum: meant exactly as written.
    pub multiplier: f64,
}

/// A proof from its own tangents that no model of the ball gives an agent a positive utility.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TangentHopeless {
    /// The agent, by index; its utility is not positive.
    pub agent: usize,
    /// Its tangents, all of this agent.
    pub tangents: Vec<Tangent>,
}
