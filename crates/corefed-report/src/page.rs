//! What a page shows: plain data, put together by code that knows the files.

use corefed_core::{Assumption, KappaInterval, Verdict};
use corefed_documents::{Answered, CeilingSearch, HeldOutAudit, Stay};
use serde::Serialize;

use crate::curves::Run;
use crate::evidence::Evidence;
use crate::rival::Rival;
use crate::several_tables::Tables;
use crate::tables::Recommendation;

/// Everything on one page, in reading order. What is empty is not shown.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Name of the run, for people.
    pub title: String,
    /// What it is, in one sentence.
    pub subtitle: String,
    /// What was edited since it was written, a sentence each.
    pub edits: Vec<String>,
    /// What agents are called together, such as `hospitals`.
    pub noun: String,
    /// Whether the shared model is worth staying for, on rows that nobody trained on.
    pub stay: Option<Stay>,
    /// What to type to find that out, where it was not asked.
    pub ask: Option<String>,
    /// Everybody, in the order of the data.
    pub agents: Vec<Agent>,
    /// Models that were audited; the first is the one the page is about.
    pub models: Vec<Model>,
    /// What is proven, estimated and only searched for, where losses are not convex.
    pub evidence: Option<Evidence>,
    /// Other models whose utilities are known.
    pub rivals: Vec<Rival>,
    /// What a key of the spec changes.
    pub sweep: Option<Sweep>,
    /// What a comparison says besides its verdicts.
    pub compared: Option<Tables>,
    /// What it comes to.
    pub recommended: Option<Recommendation>,
    /// From which ceiling on what holds.
    pub searched: Option<CeilingSearch>,
    /// Trainings, in the order of the legend.
    pub runs: Vec<Run>,
    /// What is known of the data.
    pub data: Option<DataView>,
    /// Where all of this comes from.
    pub provenance: Provenance,
    /// Whether rounds are still being added.
    pub unfinished: bool,
}

/// A data owner.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Agent {
    /// As in the data.
    pub name: String,
    /// Rows it owns, where known.
    pub samples: Option<usize>,
    /// Its say, > 0.
    pub weight: f64,
    /// The loss at which it gets nothing, where known.
    pub ceiling: Option<f64>,
}

/// An audited model.
#[derive(Clone, Debug)]
pub struct Model {
    /// Short name: a rule, or a rule with its seed.
    pub name: String,
    /// The answer.
    pub verdict: Verdict,
    /// Where kappa lies, over the coalitions that leave somebody behind.
    pub kappa: KappaInterval,
    /// Where the factor lies by which everybody can gain at once.
    pub everybody: KappaInterval,
    /// Gains up to this do not count in the verdict, >= 0.
    pub tolerance: f64,
    /// Why nothing was decided and what would help, as a sentence, where that is known.
    pub obstacle: Option<String>,
    /// What any coalition could gain at zero loss, where known.
    pub headroom: Option<f64>,
    /// What the answer ranges over.
    pub scope: Scope,
    /// Who would leave, for a blocked model.
    pub deviation: Option<Moving>,
    /// What the answer rests on.
    pub assumptions: Vec<Assumption>,
    /// Why the model may be useless although the answer is right.
    pub warnings: Vec<String>,
    /// Utility of every agent; `None` where it was not measured.
    pub utilities: Vec<Option<f64>>,
    /// The best every agent could have from a model of its own, where known.
    pub alone: Vec<Option<f64>>,
    /// Sum of weighted log utilities, where known.
    pub log_welfare: Option<f64>,
    /// The model on rows that nobody trained on, where some are held out.
    pub held_out: Option<HeldOutAudit>,
    /// Every coalition's own program, if all were solved.
    pub coalitions: Vec<Coalition>,
}

/// A coalition that gains, and what each member gains.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    /// Members by index.
    pub members: Vec<usize>,
    /// Gain of each; empty if only the smallest is known.
    pub gains: Vec<f64>,
    /// The rival in words, such as `the model of round 3`.
    pub rival: String,
}

/// Which rivals an answer speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scope {
    /// Every model in the ball of this radius.
    Ball(f64),
    /// The listed models only.
    Listed(usize),
    /// An upper bound for every model; a lower one from models met in training.
    Met,
    /// An upper bound for every model; a lower one from a search, which may have missed better rivals.
    Searched,
}

/// `V(S)`: the factor that every member of a coalition can have at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Coalition {
    /// Members by index, ascending.
    pub members: Vec<usize>,
    /// Reached by a known rival.
    pub lower: f64,
    /// Proven for every rival.
    pub upper: f64,
    /// Gain of each member with that rival.
    pub gains: Vec<f64>,
}

/// How good the numbers of the explorer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Every coalition's own program was solved.
    Exact,
    /// The best of the rivals that are known.
    BestFound,
}

impl Model {
    /// Whether the upper end of kappa holds for every model, and says something.
    #[must_use]
    pub fn bounds_every_rival(&self) -> bool {
        !matches!(self.scope, Scope::Listed(_)) && self.kappa.hi.0.is_finite()
    }

    /// What can be said of an arbitrary coalition.
    #[must_use]
    pub fn exactness(&self) -> Exactness {
        if self.coalitions.is_empty() { Exactness::BestFound } else { Exactness::Exact }
    }
}

/// One key of a spec, several values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// The key, as the spec spells it.
    pub field: String,
    /// In the order they were asked for.
    pub points: Vec<SweepPoint>,
}

/// What one value led to.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPoint {
    /// The value as it was written.
    pub value: String,
    /// Utility of every agent of the page.
    pub utilities: Vec<Option<f64>>,
    /// Its loss, where known.
    pub losses: Vec<Option<f64>>,
    /// Who would leave, where somebody is known to.
    pub leaving: Vec<String>,
    /// Sum of weighted log utilities.
    pub log_welfare: Option<f64>,
    /// Where kappa lies.
    pub kappa: Option<KappaInterval>,
    /// Where the factor lies by which everybody can gain at once.
    pub everybody: Option<KappaInterval>,
    /// What any coalition could gain at zero loss.
    pub headroom: Option<f64>,
    /// The answer; `None` where there is no model.
    pub verdict: Option<Verdict>,
    /// Who cannot be served together, where there is no model; empty where that is not known.
    pub unserved: Vec<String>,
}

/// What is known of the data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataView {
    /// File or published set.
    pub name: String,
    /// Columns that a model is fitted to, where known.
    pub features: Option<usize>,
    /// Part of the cells that are empty, where the rows lie in the folder.
    pub missing: Option<f64>,
    /// How rows were divided and corrupted, a sentence each.
    pub notes: Vec<String>,
    /// Labels by agent, where there are classes.
    pub labels: Option<Labels>,
    /// What agents told that keep their rows, where an exact audit asked them.
    pub answered: Option<Answered>,
}

/// How many rows of each class every agent has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// Names of the classes.
    pub classes: Vec<String>,
    /// By agent of the page, then by class.
    pub counts: Vec<Vec<usize>>,
}

/// Where a page comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// Name and value: program, seed, digests, settings.
    pub facts: Vec<(String, String)>,
    /// What to type to have it again.
    pub repeat: Vec<String>,
    /// The resolved spec.
    pub spec: Option<String>,
    /// Documents small enough to travel with the page.
    pub downloads: Vec<Download>,
}

/// A document inside the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Download {
    /// File name to save under.
    pub name: String,
    /// Its text.
    pub text: String,
}
