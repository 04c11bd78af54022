//! A session begins: summaries become an encoding and terms.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use corefed_core::{
    CeilingPolicy, Encoding, OPTIMUM_TOLERANCE, Predictor, TRAINED_TOLERANCE, TargetSummary,
    WeightPolicy, Weights,
};
use corefed_data::{EncodeOptions, TableSummary, agree};
use corefed_documents::{AuditDocument, Document};
use corefed_remote::{Ceiling, Options, Participant, Setup, Task};
use corefed_spec::WeightsBy;

use super::files::MailSession;
use super::summary::Summary;
use crate::policy::DEFAULT_RADIUS;
use crate::{MailError, RunError};

/// What a coordinator decides before the first question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MailTerms {
    /// The answer of `corefed solve` or `corefed audit`, with a predictor to audit; without one, the core predictor
    /// is found first.
    pub predictor: Option<PathBuf>,
    /// `M_i`; without one, `baseline:1.5` for least squares and `initial:1.5` for others.
    pub ceiling: Option<corefed_spec::Ceiling>,
    /// The say of each agent; equal unless told.
    pub weights: Option<WeightsBy>,
    /// Radius of the ball, where the predictor has none; 10 unless told.
    pub radius: Option<f64>,
    /// Ridge, where the predictor has none; nothing unless told.
    pub l2: Option<f64>,
    /// Whether the model has no intercept.
    pub no_intercept: bool,
    /// Gains up to this do not count; 1e-6 for an optimum, 0.01 for a predictor that is given.
    pub tolerance: Option<f64>,
}

/// Summaries of a folder by agent, with the files they are in.
pub(super) type Summaries = BTreeMap<String, (PathBuf, Summary)>;

impl MailTerms {
    /// The session of agents that have told their summaries.
    pub(super) fn begin(&self, folder: &Path, told: &Summaries) -> Result<MailSession, RunError> {
        let told: Vec<&Summary> = told.values().map(|(_, summary)| summary).collect();
        let Some(first) = told.first() else {
            return Err(MailError::Nothing { path: folder.to_owned() }.into());
        };
        for other in &told[1..] {
            same_question(first, other)?;
        }
        let predictor = match &self.predictor {
            Some(path) => self.given(path)?,
            None => self.untrained(&told)?,
        };
        let rows: Vec<(&str, usize)> =
            told.iter().map(|summary| (summary.agent.as_str(), summary.table.rows)).collect();
        let policy = match &self.weights {
            None => WeightPolicy::Equal,
            Some(weights) => weights.policy(rows.iter().map(|(name, _)| *name))?,
        };
        let weights = policy.resolve(&rows)?;
        let ceilings = self.ceilings(&told, &predictor, &weights)?;
        let agents = told.iter().zip(ceilings).zip(weights.values());
        let setup = Setup {
            agents: agents
                .map(|((summary, ceiling), weight)| Participant {
                    name: summary.agent.clone(),
                    weight: *weight,
                    ceiling,
                    samples: summary.table.rows,
                })
                .collect(),
            predictor: predictor.into(),
            tolerance: self.tolerance.unwrap_or(match self.predictor {
                Some(_) => TRAINED_TOLERANCE,
                None => OPTIMUM_TOLERANCE,
            }),
            task: if self.predictor.is_some() { Task::Audit } else { Task::Train },
            options: Options::default(),
        };
        let keys = told.iter().map(|summary| summary.key.clone()).collect();
        let cells = told.iter().map(|summary| summary.cells()).collect();
        Ok(MailSession { setup, keys, cells })
    }

    /// A predictor from a file, which says what it is.
    fn given(&self, path: &Path) -> Result<Predictor, RunError> {
        let asked = self.radius.is_some() || self.l2.is_some() || self.no_intercept;
        let found = AuditDocument::read(path)?.predictor.filter(|_| !asked);
        Ok(found.ok_or_else(|| MailError::Predictor { path: path.to_owned(), asked })?)
    }

    /// Zeros, in the encoding that all summaries make.
    fn untrained(&self, told: &[&Summary]) -> Result<Predictor, RunError> {
        let first = told[0];
        let options = EncodeOptions {
            exposure_column: first.exposure_column.clone(),
            intercept: !self.no_intercept,
            raw: first.raw,
            ..EncodeOptions::new(&first.agent_column, &first.target_column, first.family)
        };
        let tables: Vec<(&str, &TableSummary)> =
            told.iter().map(|summary| (summary.agent.as_str(), &summary.table)).collect();
        let encoding = agree(&tables, &options).map_err(MailError::from)?;
        let dim = encoding.features.len() * first.family.blocks(encoding.classes.len());
        Ok(Predictor {
            family: first.family,
            l2: self.l2.unwrap_or(0.0),
            radius: self.radius.unwrap_or(DEFAULT_RADIUS),
            encoding,
            parameters: vec![0.0; dim],
        })
    }

    /// One per agent: a number, a factor on the loss at zero, or what the agent itself declares.
    fn ceilings(
        &self,
        told: &[&Summary],
        predictor: &Predictor,
        weights: &Weights,
    ) -> Result<Vec<Ceiling>, RunError> {
        let default = || corefed_spec::Ceiling::default_of(Some(predictor.family), told[0].raw);
        let asked = self.ceiling.clone().unwrap_or_else(default);
        let constants = || {
            let own = told.iter().map(|summary| targets(summary, &predictor.encoding));
            let all = own.collect::<Option<Vec<TargetSummary>>>();
            let found = all.and_then(|all| TargetSummary::common_constant_losses(&all, weights));
            found.ok_or_else(|| MailError::Ceiling { policy: asked.to_string() })
        };
        let settled = |value| Ceiling::Settled { value, policy: asked.to_string() };
        let everybody = |ceiling: Ceiling| vec![ceiling; told.len()];
        Ok(match asked.policy(told.iter().map(|summary| summary.agent.as_str()))? {
            CeilingPolicy::Fixed(value) => everybody(Ceiling::Absolute(value)),
            CeilingPolicy::PerAgent(values) => values.into_iter().map(Ceiling::Absolute).collect(),
            CeilingPolicy::Initial(factor) => everybody(Ceiling::Initial(factor)),
            CeilingPolicy::PooledConstant(factor) => {
                constants()?.iter().map(|loss| settled(factor * loss)).collect()
            }
            CeilingPolicy::Baseline(factor) => {
                let losses = constants()?;
                let mean = losses.iter().sum::<f64>() / losses.len() as f64;
                losses.iter().map(|loss| settled(factor * loss.max(mean))).collect()
            }
            // Agents answer about all of their rows, on which no model beats their own (ledger E63).
            CeilingPolicy::Alone(factor) if factor <= 1.0 => {
                return Err(MailError::Alone { factor }.into());
            }
            CeilingPolicy::Constant(_) | CeilingPolicy::Alone(_) | CeilingPolicy::Worst => {
                everybody(Ceiling::Declared(asked.to_string()))
            }
        })
    }
}

/// What summaries say of an agent's targets, in the unit of the encoding; `None` of counts that an earlier version
/// summarised.
fn targets(summary: &Summary, encoding: &Encoding) -> Option<TargetSummary> {
    let table = &summary.table;
    if summary.family.targets().is_class() {
        let own = |class: &String| table.classes.iter().position(|known| known == class);
        let count = |class| own(class).map_or(0, |at| table.class_rows[at]);
        let share = |class| count(class) as f64 / table.rows as f64;
        return Some(TargetSummary::Classes(encoding.classes.iter().map(share).collect()));
    }
    if !summary.family.is_quadratic() {
        return summary.counts.map(TargetSummary::Counts);
    }
    let scale = encoding.target_scale.map_or(1.0, |target| target.scale);
    let target = table.target.as_ref()?;
    let variance = target.squares / target.present as f64 / (scale * scale);
    Some(TargetSummary::Quantity { mean: target.mean / scale, variance })
}

fn same_question(one: &Summary, other: &Summary) -> Result<(), MailError> {
    let differences = [
        ("the model", one.family != other.family),
        ("the target", one.target_column != other.target_column),
        ("the column of agents", one.agent_column != other.agent_column),
        ("the exposure", one.exposure_column != other.exposure_column),
        ("`@raw`", one.raw != other.raw),
    ];
    match differences.into_iter().find(|(_, differ)| *differ) {
        None => Ok(()),
        Some((what, _)) => {
            Err(MailError::Differ { one: one.agent.clone(), other: other.agent.clone(), what })
        }
    }
}
