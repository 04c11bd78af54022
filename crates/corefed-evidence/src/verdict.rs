//! Everything that is known of one model whose losses are not convex, in one document.

use corefed_core::{
    Deviation, Factors, KappaInterval, Number, Verdict, Weights, digest_bytes, headroom,
};
use serde::{Deserialize, Serialize};

use crate::{
    BlockClaim, FoundWitness, Label, LocalBound, LocalMap, LocalStatement, NoBlockClaim,
    SearchResult, Statement,
};

/// What was found out, to be concluded from.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings<'a> {
    /// What agents are called.
    pub names: &'a [String],
    /// Ceilings of all agents.
    pub ceilings: &'a [f64],
    /// Their weights.
    pub weights: &'a Weights,
    /// Whether the formula of the loss rules out negative values, as squares and cross-entropy do.
    pub nonnegative_losses: bool,
    /// The search for a witness.
    pub search: &'a SearchResult,
    /// Theorem 3, if it was asked.
    pub local: Option<LocalStatement>,
    /// The local map, if it was run.
    pub local_map: Option<LocalMap>,
    /// A claim about held-out rows and the coalition found, or why there is none.
    pub block: Result<BlockClaim, String>,
    /// A claim about held-out rows and one rival.
    pub no_block: Option<NoBlockClaim>,
}

/// An audit where exact answers are out of reach.
///
/// The verdict is about the empirical losses of the rows that were evaluated. `Blocked` rests on
/// the witness alone, `Improvable` on the improvement, and `Stable` on bounds for every rival, which
/// here only headroom gives; Theorem 3 speaks of rivals nearby and claims about held-out rows of distributions, so neither
/// moves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NonConvexAudit {
    /// Stable, blocked, improvable or undecided.
    pub verdict: Verdict,
    /// From the witness up to headroom, over the coalitions that leave somebody behind.
    pub kappa: KappaInterval,
    /// From the improvement up to headroom: the factor by which everybody can gain at once.
    pub everybody: KappaInterval,
    /// Gains up to this do not count in the verdict.
    pub tolerance: f64,
    /// The best deviation that was found.
    pub witness: Statement<Witnessed>,
    /// The best model for everybody that was found.
    pub improvement: Statement<Witnessed>,
    /// Upper ends of both factors for every rival (ledger E8).
    pub headroom: Statement<Headroom>,
    /// No coalition gains much with a rival nearby (ledger E42).
    pub local: Statement<LocalBound>,
    /// Whether training for the mean gain leaves the place (ledger E18, E43).
    pub local_map: Statement<LocalMap>,
    /// The deviation on held-out rows (ledger E38).
    pub held_out_block: Statement<BlockClaim>,
    /// One rival and all coalitions on held-out rows (ledger E39).
    pub held_out_no_block: Statement<NoBlockClaim>,
}

/// What losses of zero would give.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Headroom {
    /// The most that a coalition, not everybody, could make of them.
    pub kappa: Number,
    /// The factor by which everybody would gain at once.
    pub everybody: Number,
}

/// A witness without its parameters, which may be millions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Witnessed {
    /// Where the rival comes from.
    pub rival: String,
    /// SHA-256 of its parameters, little-endian single precision.
    pub parameters: String,
    /// Who gains, and how much.
    pub deviation: Deviation,
}

impl Findings<'_> {
    /// Concludes, up to a tolerance (ledger E3).
    #[must_use]
    pub fn conclude(self, tolerance: f64) -> NonConvexAudit {
        let headroom = self.headroom();
        let mut factors = Factors::UNKNOWN;
        factors.raise(self.search.kappa.0, self.search.everybody.0);
        if let Some(room) = &headroom.finding {
            factors.bound(room.kappa.0, room.everybody.0);
        }
        NonConvexAudit {
            verdict: factors.verdict(tolerance),
            kappa: factors.kappa,
            everybody: factors.everybody,
            tolerance,
            witness: witness(self.search, self.search.witness.as_ref()),
            improvement: witness(self.search, self.search.improvement.as_ref()),
            headroom,
            local: self.local.map_or_else(|| Statement::not_applicable(NOT_ASKED), local),
            local_map: asked(self.local_map, |map| {
                let heuristic =
                    "found by bursts of local work; a better point of the ball may exist";
                Statement::new(Label::Searched, [heuristic], map)
            }),
            held_out_block: match self.block {
                Ok(claim) => Statement::new(Label::Estimated, HELD_OUT, claim),
                Err(reason) => Statement::not_applicable(reason),
            },
            held_out_no_block: asked(self.no_block, |claim| {
                Statement::new(Label::Estimated, HELD_OUT, claim)
            }),
        }
    }

    fn headroom(&self) -> Statement<Headroom> {
        if !self.nonnegative_losses {
            return Statement::not_applicable(
                "losses may be negative, so ceilings bound no utility",
            );
        }
        let now = &self.search.utilities;
        if let Some(agent) = now.iter().position(|utility| *utility <= 0.0) {
            return Statement::not_applicable(format!(
                "`{}` has the utility {}, so its gains have no bound",
                self.names[agent], now[agent]
            ));
        }
        let room = headroom(now, self.ceilings, self.weights);
        let bound = Headroom {
            kappa: Number(room.kappa.value()),
            everybody: Number(room.everybody.value()),
        };
        // A search that got further has seen a negative loss, whatever the formula says.
        let past = |reached: Number, bound: Number| reached.0 > bound.0 * (1.0 + 1e-9);
        let exceeded =
            past(self.search.kappa, bound.kappa) || past(self.search.everybody, bound.everybody);
        if exceeded || now.iter().zip(self.ceilings).any(|(utility, ceiling)| utility > ceiling) {
            return Statement::not_applicable("a negative loss was seen where none should be");
        }
        let rests_on = ["no loss is negative, by its formula"];
        Statement::new(Label::Certified, rests_on, bound)
    }
}

const NOT_ASKED: &str = "not asked for";

const HELD_OUT: [&str; 3] = [
    "rows drawn independently, used neither for training nor in the search",
    "true of the distribution as often as the level says, not of every sample",
    "about the one rival and the kind of utility that are named",
];

fn asked<T>(finding: Option<T>, state: impl FnOnce(T) -> Statement<T>) -> Statement<T> {
    finding.map_or_else(|| Statement::not_applicable(NOT_ASKED), state)
}

fn witness(search: &SearchResult, found: Option<&FoundWitness>) -> Statement<Witnessed> {
    let scope = format!(
        "{} models evaluated and {} bursts of local work; other rivals were not tried",
        search.evaluations, search.bursts
    );
    let finding = found.map(|witness| {
        let FoundWitness { rival, params, coalition, gains, kappa } = witness;
        let bytes: Vec<u8> = params.iter().flat_map(|x| x.to_le_bytes()).collect();
        let (coalition, gains) = (coalition.clone(), gains.clone());
        Witnessed {
            rival: rival.clone(),
            parameters: digest_bytes(&bytes),
            deviation: Deviation { coalition, gains, kappa: *kappa },
        }
    });
    Statement { label: Label::Searched, rests_on: vec![scope], finding }
}

fn local(statement: LocalStatement) -> Statement<LocalBound> {
    const SCOPE: &str = "about rivals within the radius only";
    match statement {
        LocalStatement::Certified(bound) => {
            let proven = "curvature proven on the ball, utilities not negative on it";
            Statement::new(Label::Certified, [proven, SCOPE], bound)
        }
        LocalStatement::Estimated { bound, methods } => {
            let mut rests_on = vec![SCOPE.to_owned()];
            let hopes = methods.iter();
            rests_on.extend(hopes.map(|method| {
                format!("curvature estimated ({method}) and taken to hold on the ball: not proven")
            }));
            Statement { label: Label::Estimated, rests_on, finding: Some(bound) }
        }
        LocalStatement::NotApplicable { reason } => Statement::not_applicable(reason),
    }
}
