//! Which ceiling? One common scale of a policy, from where nobody can be served to where the question is empty.

mod recommend;
mod tried;

use std::ops::Range;
use std::path::Path;

use corefed_core::{CeilingPolicy, KnownLosses, Verdict, WorstLoss, empty_from};
use corefed_documents::{
    CeilingPoint, CeilingSearch, Recommended, ReferenceLine, Served, Threshold,
};
use corefed_model::FederationLosses;
use corefed_solve::{Ball, Rule, TableReferences, own_models, served_from};
use corefed_spec::{Ceiling, CeilingForm, Spec};

use self::recommend::recommend;
use self::tried::Tried;
use crate::exact::exact_table;
use crate::owner::owner;
use crate::policy::ceiling_policy;
use crate::prepared::TableRun;
use crate::{Case, Limits, Observers, RunError, Stop, TermsError};

/// Precisions that make sense: finer ones cost audits and tell nobody anything.
pub const PRECISIONS: Range<f64> = 1e-6..1.0;

/// The first scale that is tried lies this share above the one that serves everybody.
const FIRST: f64 = 1.0 / 128.0;
/// Doublings of that share; enough for a thousand agents and more.
const DOUBLINGS: i32 = 24;
/// Just below the scale that serves nobody, where phase one can prove it.
const BELOW: f64 = 1e-6;

/// Looks for the scales of `policy`, whatever its factor, at which answers change, each to within a share `precision` of itself; `None`
/// when stopped. Whether everybody can be served is proven for every scale. Stability and emptiness are found at
/// the scales tried, and proven from some scale on (ledger E64). `data_dir` is that of [`prepare`](crate::prepare).
pub fn search_ceiling(
    spec: &Spec,
    policy: &Ceiling,
    precision: f64,
    data_dir: Option<&Path>,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Option<CeilingSearch>, RunError> {
    let policy = &policy.with_factor(1.0).unwrap_or_else(|| policy.clone());
    // Any ceilings will do: they are replaced at every scale.
    let table = exact_table(&Spec { ceiling: Ceiling::Fixed(1.0), ..spec.clone() }, data_dir)?;
    let resolved = ceiling_policy(policy, table.case.federation.agents())?;
    let references = references(&table, &resolved)?;
    let case = &table.case;
    let losses = case.losses();
    let found = served_from(&*losses, &references, &Ball::about_zero(losses.dim(), case.radius));
    let served = Served {
        not_up_to: found.lo,
        above: found.hi,
        together: unserved(case, &references, found.lo * (1.0 - BELOW)),
    };
    let limits = Limits { tolerance: spec.tolerance, time_limit: spec.time_limit };
    let mut tried = Tried::new(case, &references, limits, stop, observers);
    let Some(()) = ladder(&mut tried, found.hi, natural(policy))? else { return Ok(None) };
    let Some(answer) = settle(&mut tried, policy, precision)? else { return Ok(None) };
    let empty_proof = proven_empty(case, &references, &tried, found.hi);
    let stable_proof =
        [premise_from(&case.worst, &references), empty_proof.unwrap_or(f64::INFINITY)]
            .into_iter()
            .fold(f64::INFINITY, f64::min);
    let names = case.names.iter().cloned().zip(&references);
    Ok(Some(CeilingSearch {
        file: case.file.clone(),
        owner: owner(spec),
        policy: name(policy),
        agents: names.map(|(name, &reference)| ReferenceLine { name, reference }).collect(),
        tolerance: spec.tolerance,
        served,
        stable: Threshold {
            proven_from: Some(stable_proof).filter(|scale| scale.is_finite()),
            ..answer.stable
        },
        empty: Threshold { proven_from: empty_proof, ..answer.empty },
        recommended: answer.recommended,
        notes: notes(&table, &resolved),
        points: tried.into_points(),
    }))
}

/// What the scale multiplies, by agent.
fn references(table: &TableRun, policy: &CeilingPolicy) -> Result<Vec<f64>, RunError> {
    let case = &table.case;
    let classes = case.encoding.classes.len();
    let model = FederationLosses::new(&case.federation, case.family, classes, case.l2);
    let known = TableReferences {
        model: &model,
        weights: &case.weights,
        radius: case.radius,
        held_out: table.held_out.as_deref(),
        worst: &case.worst,
    };
    Ok(policy.references(&known)?)
}

/// Who cannot all have something at this scale.
fn unserved(case: &Case, references: &[f64], scale: f64) -> Vec<String> {
    let mut case = case.clone();
    case.ceilings = references.iter().map(|reference| scale * reference).collect();
    let losses = case.losses();
    match case.solve(&case.problem(&*losses), Rule::Core) {
        Err(RunError::Terms(TermsError::Infeasible { agents, .. })) => agents,
        _ => Vec::new(),
    }
}

/// Scales that double their distance from the first that serves everybody, until the question is empty, and the
/// one that means something by itself. `None` when stopped.
fn ladder(tried: &mut Tried<'_>, from: f64, natural: Option<f64>) -> Result<Option<()>, RunError> {
    for step in 0..=DOUBLINGS {
        let scale = from * (1.0 + FIRST * 2_f64.powi(step));
        let Some(point) = tried.at(scale)? else { return Ok(None) };
        if point.headroom.0 <= 1.0 {
            break;
        }
    }
    match natural.filter(|scale| *scale > from) {
        Some(scale) => Ok(tried.at(scale)?.map(|_| ())),
        None => Ok(Some(())),
    }
}

/// Where answers change, and what to use.
struct Answer {
    stable: Threshold,
    empty: Threshold,
    recommended: Option<Recommended>,
}

/// Brackets and a recommendation that agree: what one of them tries may move another. `None` when stopped.
fn settle(
    tried: &mut Tried<'_>,
    policy: &Ceiling,
    precision: f64,
) -> Result<Option<Answer>, RunError> {
    let is_stable = |point: &CeilingPoint| point.verdict == Verdict::Stable;
    let is_empty = |point: &CeilingPoint| point.headroom.0 <= 1.0;
    loop {
        let Some(stable) = tried.narrow(precision, is_stable)? else { return Ok(None) };
        let Some(empty) = tried.narrow(precision, is_empty)? else { return Ok(None) };
        let recommended = recommend(tried, policy, &stable, &empty)?;
        if tried.is_stopped() {
            return Ok(None);
        }
        if tried.bracket(&is_stable) == stable && tried.bracket(&is_empty) == empty {
            return Ok(Some(Answer { stable, empty, recommended }));
        }
    }
}

/// From here on every ceiling is at least the worst loss, which is the premise of the paper's theorem.
fn premise_from(worst: &[WorstLoss], references: &[f64]) -> f64 {
    worst.iter().zip(references).map(|(worst, r)| worst.bound / r).fold(0.0, f64::max)
}

/// From here on no proper coalition can gain from a core predictor: the best that any predictor met proves.
fn proven_empty(case: &Case, references: &[f64], tried: &Tried<'_>, served: f64) -> Option<f64> {
    case.family.nonnegative_loss()?;
    let losses = case.losses();
    let own = own_models(&*losses, &Ball::about_zero(losses.dim(), case.radius));
    let least: Vec<f64> = own.iter().map(|own| (own.value - own.gap).max(0.0)).collect();
    let proof = |at| empty_from(KnownLosses { at, least: &least }, references, &case.weights);
    let proofs = tried.losses().filter_map(proof);
    // A scale that serves nobody has no core predictor.
    proofs.reduce(f64::min).map(|scale| scale.max(served))
}

/// The scale at which utility is a gain over the references themselves.
fn natural(policy: &Ceiling) -> Option<f64> {
    (!matches!(policy, Ceiling::Fixed(_))).then_some(1.0)
}

/// The policy without its factor.
fn name(policy: &Ceiling) -> String {
    match policy.form() {
        CeilingForm::Number(_) => "number".to_owned(),
        CeilingForm::Word(known, _) => known.word.to_owned(),
        CeilingForm::File(path) => path.display().to_string(),
    }
}

fn notes(table: &TableRun, policy: &CeilingPolicy) -> Vec<String> {
    let own = matches!(policy, CeilingPolicy::Alone(_));
    let fitted = own && table.held_out.is_none();
    let note = "own models are measured on the rows they were fitted to, because no rows are held out: \
                what they lose on others is larger, and a scale of one means less than it seems";
    fitted.then(|| note.to_owned()).into_iter().collect()
}
