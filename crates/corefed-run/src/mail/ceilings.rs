//! Ceilings of a session: those that summaries decide are settled, the others are asked for.

use corefed_core::{
    Encoding, Predictor, Reference, ReferenceLosses, TargetSummary, Targets, Weights,
};
use corefed_remote::Ceiling;

use super::summary::Summary;
use crate::{MailError, RunError};

/// What summaries say of losses without a model.
struct Summarised {
    names: Vec<String>,
    /// Under the best common constant; `None` where an earlier version summarised counts.
    pooled_constant: Option<Vec<f64>>,
}

impl ReferenceLosses for Summarised {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn pooled_constant(&self) -> Option<Vec<f64>> {
        self.pooled_constant.clone()
    }
}

/// One per agent: a number, a factor on the loss at zero, or what the agent itself declares.
pub(super) fn ceilings(
    asked: &corefed_spec::Ceiling,
    told: &[&Summary],
    predictor: &Predictor,
    weights: &Weights,
) -> Result<Vec<Ceiling>, RunError> {
    let policy = asked.policy(told.iter().map(|summary| summary.agent.as_str()))?;
    // Agents answer about all of their rows, on which no model beats their own (ledger E63).
    policy.check_measured(false).map_err(|_| MailError::Alone { factor: policy.factor() })?;
    let everybody = |ceiling: Ceiling| vec![ceiling; told.len()];
    let settle = |pooled_constant: Option<Vec<f64>>| {
        let names = told.iter().map(|summary| summary.agent.clone()).collect();
        policy.resolve(&Summarised { names, pooled_constant })
    };
    Ok(match policy.reference() {
        None => settle(None)?.into_iter().map(Ceiling::Absolute).collect(),
        Some(Reference::PooledConstant) => {
            let own = told.iter().map(|summary| targets(summary, &predictor.encoding));
            let all: Option<Vec<TargetSummary>> = own.collect();
            let found = all.and_then(|all| TargetSummary::common_constant_losses(&all, weights));
            let found = found.ok_or_else(|| MailError::Ceiling { policy: asked.to_string() })?;
            let settled = |value| Ceiling::Settled { value, policy: asked.to_string() };
            settle(Some(found))?.into_iter().map(settled).collect()
        }
        Some(Reference::Initial) => everybody(Ceiling::Initial(policy.factor())),
        Some(Reference::Constant | Reference::Alone | Reference::Worst) => {
            everybody(Ceiling::Declared(asked.to_string()))
        }
    })
}

/// What summaries say of an agent's targets, in the unit of the encoding; `None` of counts that an earlier version
/// summarised.
fn targets(summary: &Summary, encoding: &Encoding) -> Option<TargetSummary> {
    let table = &summary.table;
    match summary.family.targets() {
        Targets::Class { .. } => {
            let own = |class: &String| table.classes.iter().position(|known| known == class);
            let count = |class| own(class).map_or(0, |at| table.class_rows[at]);
            let share = |class| count(class) as f64 / table.rows as f64;
            Some(TargetSummary::Classes(encoding.classes.iter().map(share).collect()))
        }
        Targets::Count => summary.counts.map(TargetSummary::Counts),
        Targets::Number => {
            let scale = encoding.target_scale.map_or(1.0, |target| target.scale);
            let target = table.target.as_ref()?;
            let variance = target.squares / target.present as f64 / (scale * scale);
            Some(TargetSummary::Quantity { mean: target.mean / scale, variance })
        }
    }
}
