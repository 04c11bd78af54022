//! A session begins: summaries become an encoding and terms.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use corefed_core::{OPTIMUM_TOLERANCE, Predictor, TRAINED_TOLERANCE, WeightPolicy};
use corefed_data::{EncodeOptions, TableSummary, agree};
use corefed_documents::{AuditDocument, Document};
use corefed_remote::{Options, Participant, Setup, Task};
use corefed_spec::{Ceiling, WeightsBy};

use super::ceilings::ceilings;
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
    pub ceiling: Option<Ceiling>,
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
        let usual = || Ceiling::default_of(Some(predictor.family), first.raw);
        let asked = self.ceiling.clone().unwrap_or_else(usual);
        let ceilings = ceilings(&asked, &told, &predictor, &weights)?;
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
