//! Predictors from disk: the JSON of `corefed solve`, or bare parameters by feature name.

use std::path::Path;

use corefed_core::{Predictor, read_json};
use corefed_documents::{AgentLine, AuditDocument, Document};
use serde_json::Value;

use crate::{GivenError, PredictorFault, RunError};

/// What a file says about a predictor.
pub struct GivenPredictor {
    /// The whole predictor, when the file comes from `corefed solve`.
    pub predictor: Option<Predictor>,
    /// Parameters by name.
    pub parameters: Value,
    /// Agents with their ceilings and weights, if stated.
    pub(crate) agents: Vec<StatedAgent>,
    /// Whether the file says that a rule of `corefed solve` was optimised.
    pub fitted: bool,
}

/// An agent as a file states it.
pub(crate) struct StatedAgent {
    pub(crate) name: String,
    pub(crate) ceiling: Option<f64>,
    pub(crate) weight: Option<f64>,
}

impl GivenPredictor {
    /// Reads the JSON of a solved or trained predictor, or bare parameters by name.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let text =
            read_json(path).map_err(|source| RunError::Read { path: path.to_owned(), source })?;
        let given = match AuditDocument::parse(&path.display().to_string(), &text) {
            Ok(document) => Self::of_document(document),
            // Written by hand, or an audit that somebody has cut down to what matters here.
            Err(_) => Self::by_hand(path, &text)?,
        };
        if let Some(predictor) = &given.predictor {
            check(path, predictor)?;
        } else if !given.parameters.is_object() {
            return Err(Self::shapeless(path).into());
        }
        Ok(given)
    }

    fn of_document(document: AuditDocument) -> Self {
        let AuditDocument { predictor, parameters, agents, rule, .. } = document;
        let stated = |agent: AgentLine| StatedAgent {
            name: agent.name,
            ceiling: agent.ceiling,
            weight: Some(agent.weight),
        };
        let agents = agents.into_iter().map(stated).collect();
        Self { predictor, parameters, agents, fitted: rule.is_some() }
    }

    fn by_hand(path: &Path, text: &str) -> Result<Self, RunError> {
        let mut document: Value = serde_json::from_str(text)
            .map_err(|source| GivenError::NotJson { path: path.to_owned(), source })?;
        let fields = document.as_object_mut().ok_or_else(|| Self::shapeless(path))?;
        let predictor = fields.remove("predictor").map(serde_json::from_value::<Predictor>);
        let predictor = predictor.transpose();
        let predictor = predictor.map_err(|error| blame(path, PredictorFault::Field(error)))?;
        let stated = |agent: &Value| StatedAgent {
            name: agent["name"].as_str().unwrap_or_default().to_owned(),
            ceiling: agent["ceiling"].as_f64(),
            weight: agent["weight"].as_f64(),
        };
        let agents = fields.get("agents").and_then(Value::as_array);
        Ok(Self {
            predictor,
            parameters: fields.get("parameters").cloned().unwrap_or_default(),
            agents: agents.into_iter().flatten().map(stated).collect(),
            fitted: fields.get("rule").is_some_and(Value::is_string),
        })
    }

    fn shapeless(path: &Path) -> GivenError {
        GivenError::NoPredictor { path: path.to_owned() }
    }
}

/// What is wrong with the predictor of a file.
pub(crate) fn blame(path: &Path, fault: PredictorFault) -> GivenError {
    GivenError::Predictor { path: path.to_owned(), fault }
}

/// A stored predictor may have been edited: its numbers must still make sense.
fn check(path: &Path, predictor: &Predictor) -> Result<(), RunError> {
    let encoding = &predictor.encoding;
    let expected = predictor.family.blocks(encoding.classes.len()) * encoding.features.len();
    let found = predictor.parameters.len();
    if found != expected {
        return Err(blame(path, PredictorFault::Count { found, expected }).into());
    }
    let finite = |value: &f64| value.is_finite();
    if !(predictor.parameters.iter().all(finite) && finite(&predictor.l2)) {
        return Err(blame(path, PredictorFault::NotFinite).into());
    }
    if !(predictor.radius > 0.0 && predictor.radius.is_finite() && predictor.l2 >= 0.0) {
        return Err(blame(path, PredictorFault::Terms).into());
    }
    Ok(())
}
