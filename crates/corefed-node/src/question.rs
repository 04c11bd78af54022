//! What a message asks for, and what is said to one that this node cannot answer.

use corefed_run::AgentError;
use thiserror::Error;

use crate::names::{ASK, DRIFT};
use crate::npy::NpyError;
use crate::record::{Array, Record, Records, Value, Values, value};

/// What this node answers, for those who ask something else.
const SERVES: &str = "this is `corefed node`, which runs no apps: it answers strategies of `corefed.flower` for \
                      linear models, by training, losses, exact audits and signatures";

/// Why a message has no answer. The server sees the text as the error of this node's app.
#[derive(Clone, Debug, Error, PartialEq)]
pub(crate) enum Declined {
    #[error("a message of type `{kind}` is not served here; {SERVES}")]
    Kind { kind: String },
    #[error("the question `{asked}` is not served here; {SERVES}")]
    Question { asked: String },
    #[error("the message has {found} records of arrays, expected one, the model; {SERVES}")]
    Arrays { found: usize },
    #[error("the model cannot be read: {0}")]
    Numbers(#[from] NpyError),
    #[error("`{key}` of the request is missing, or not {expected}")]
    Key { key: &'static str, expected: &'static str },
    #[error("{0}")]
    Failed(String),
}

impl From<AgentError> for Declined {
    fn from(error: AgentError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// What is asked, by the word that our servers use; `None` asks for training or evaluation.
pub(crate) fn asked_for(records: &Records) -> Option<(&str, &Values)> {
    configs(records).find_map(|config| Some((value(config, ASK)?.text().unwrap_or(""), config)))
}

/// The model of a request, which is its only record of arrays but the correction.
pub(crate) fn model(records: &Records) -> Result<&[(String, Array)], Declined> {
    let found: Vec<_> =
        models(records).filter(|(name, _)| *name != DRIFT).map(|(_, arrays)| arrays).collect();
    if let [arrays] = found[..] { Ok(arrays) } else { Err(Declined::Arrays { found: found.len() }) }
}

/// All records of arrays, by name.
pub(crate) fn models(records: &Records) -> impl Iterator<Item = (&str, &[(String, Array)])> {
    records.iter().filter_map(|(name, record)| match record {
        Record::Arrays(arrays) => Some((name.as_str(), arrays.as_slice())),
        _ => None,
    })
}

/// All records of settings.
pub(crate) fn configs(records: &Records) -> impl Iterator<Item = &Values> {
    records.iter().filter_map(|(_, record)| match record {
        Record::Config(values) => Some(values),
        _ => None,
    })
}

/// A number of a request; `otherwise` where it is not told.
pub(crate) fn number(
    config: &[(String, Value)],
    key: &'static str,
    otherwise: f64,
) -> Result<f64, Declined> {
    value(config, key).map_or(Ok(otherwise), |told| {
        told.number().ok_or(Declined::Key { key, expected: "a number" })
    })
}

/// A number of a request that counts something; `otherwise` where it is not told.
pub(crate) fn count(
    config: &[(String, Value)],
    key: &'static str,
    otherwise: u64,
) -> Result<u64, Declined> {
    value(config, key).map_or(Ok(otherwise), |told| {
        told.count().ok_or(Declined::Key { key, expected: "a number that counts" })
    })
}

/// A text of a request.
pub(crate) fn text<'a>(
    config: &'a [(String, Value)],
    key: &'static str,
) -> Result<&'a str, Declined> {
    value(config, key).and_then(Value::text).ok_or(Declined::Key { key, expected: "a text" })
}
