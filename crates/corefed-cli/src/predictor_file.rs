//! Predictors from disk: the JSON of `corefed solve`, or bare parameters by feature name.

use std::path::Path;

use corefed_core::{Encoding, Family, Predictor, Weights};
use corefed_data::Agent;
use serde_json::Value;

use crate::commands::read_json;
use crate::failure::Failure;

/// What a file says about a predictor.
pub(crate) struct PredictorFile {
    /// The whole predictor, when the file comes from `corefed solve`.
    pub(crate) predictor: Option<Predictor>,
    /// Parameters by name.
    pub(crate) parameters: Value,
    /// Agents with their ceilings and weights, if stated.
    pub(crate) agents: Value,
    /// Whether the file says that a rule of `corefed solve` was optimised.
    pub(crate) fitted: bool,
}

impl PredictorFile {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let mut document = read_json(path)?;
        let Some(fields) = document.as_object_mut() else {
            return Err(Self::shapeless(path));
        };
        let predictor = match fields.remove("predictor") {
            None => None,
            Some(value) => Some(serde_json::from_value::<Predictor>(value).map_err(|error| {
                Failure::new(format!("`{}`: field `predictor`: {error}", path.display()))
                    .hint("audit the unchanged JSON of `corefed solve --json`")
            })?),
        };
        if let Some(predictor) = &predictor {
            check(path, predictor)?;
        }
        let parameters = fields.remove("parameters").unwrap_or_default();
        if predictor.is_none() && !parameters.is_object() {
            return Err(Self::shapeless(path));
        }
        let fitted = fields.get("rule").is_some_and(Value::is_string);
        let agents = fields.remove("agents").unwrap_or_default();
        Ok(Self { predictor, parameters, agents, fitted })
    }

    fn shapeless(path: &Path) -> Failure {
        Failure::new(format!("`{}` holds no predictor", path.display())).hint(
            "expected the JSON of `corefed solve --json`, or {\"parameters\": {\"age\": 0.3, ...}}",
        )
    }
}

/// A stored predictor may have been edited: its numbers must still make sense.
fn check(path: &Path, predictor: &Predictor) -> Result<(), Failure> {
    let encoding = &predictor.encoding;
    let expected = predictor.family.blocks(encoding.classes.len()) * encoding.features.len();
    let found = predictor.parameters.len();
    let blame = |what: String| Failure::new(format!("`{}`: {what}", path.display()));
    if found != expected {
        return Err(blame(format!("{found} parameters where the encoding asks for {expected}")));
    }
    let finite = |value: &f64| value.is_finite();
    if !(predictor.parameters.iter().all(finite) && finite(&predictor.l2)) {
        return Err(blame("a parameter is not finite".to_owned()));
    }
    if !(predictor.radius > 0.0 && predictor.radius.is_finite() && predictor.l2 >= 0.0) {
        return Err(blame("the radius must be positive and l2 not negative".to_owned()));
    }
    Ok(())
}

/// Parameters in the order of the encoding; every feature exactly once.
pub(crate) fn flatten(
    path: &Path,
    parameters: &Value,
    encoding: &Encoding,
    family: Family,
) -> Result<Vec<f64>, Failure> {
    let blame = |what: String| Failure::new(format!("`{}`: {what}", path.display()));
    let block = |values: &Value, within: &str| {
        let fields = values.as_object().ok_or_else(|| blame(format!("no parameters{within}")))?;
        let known: Vec<String> =
            encoding.features.iter().map(corefed_core::Feature::name).collect();
        if let Some(extra) = fields.keys().find(|name| !known.contains(name)) {
            return Err(blame(format!("parameter `{extra}`{within} belongs to no feature"))
                .hint(format!("the features are: {}", known.join(", "))));
        }
        known
            .iter()
            .map(|name| match fields.get(name).and_then(Value::as_f64) {
                Some(value) => Ok(value),
                None => Err(blame(format!("no finite number for parameter `{name}`{within}"))),
            })
            .collect::<Result<Vec<f64>, Failure>>()
    };
    if !family.facts().block_per_class {
        return block(parameters, "");
    }
    let mut flat = Vec::new();
    for class in &encoding.classes {
        let values = parameters.get(class).unwrap_or(&Value::Null);
        flat.extend(block(values, &format!(" of class `{class}`"))?);
    }
    Ok(flat)
}

/// What a predictor was fitted for.
pub(crate) struct FittedTerms {
    pub(crate) ceilings: Vec<f64>,
    pub(crate) weights: Weights,
}

/// Ceilings and weights as they were when the predictor was fitted, if the file states them for
/// exactly these agents.
pub(crate) fn agent_terms(stated: &Value, agents: &[Agent]) -> Option<FittedTerms> {
    let stated = stated.as_array().filter(|stated| stated.len() == agents.len())?;
    let of = |name: &str, field: &str| {
        let agent = stated.iter().find(|agent| agent["name"] == name)?;
        agent[field].as_f64()
    };
    let column =
        |field: &str| agents.iter().map(|agent| of(&agent.name, field)).collect::<Option<Vec<_>>>();
    Some(FittedTerms {
        ceilings: column("ceiling")?,
        weights: Weights::new(column("weight")?).ok()?,
    })
}
