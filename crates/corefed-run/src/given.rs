//! A predictor from disk, with the data it is audited on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use corefed_core::{
    CeilingPolicy, Encoding, Family, Feature, Intake, Predictor, WeightPolicy, Weights, Writing,
    linalg::norm_l2,
};
use corefed_data::{
    Agent, AppliedFile, EncodeOptions, Encoded, FitFile, apply_file, check_writing, fit_file,
};
use corefed_solve::ball_for;
use corefed_spec::{Ceiling, WeightsBy};
use serde_json::Value;

use crate::given_predictor::{GivenPredictor, StatedAgent, blame};
use crate::policy::{DEFAULT_RADIUS, ceiling_policy, resolve_weights};
use crate::units::{Units, standardise};
use crate::{Case, CaseTerms, ForeignError, GivenError, PredictorFault, RunError, TermsError};

/// Parameters in the order of the encoding; every feature exactly once.
fn flatten(
    path: &Path,
    parameters: &Value,
    encoding: &Encoding,
    family: Family,
) -> Result<Vec<f64>, RunError> {
    let block = |values: &Value, class: Option<&String>| {
        let class = || class.cloned();
        let blame = |fault| RunError::from(blame(path, fault));
        let none = || blame(PredictorFault::NoParameters { class: class() });
        let fields = values.as_object().ok_or_else(none)?;
        let known: Vec<String> = encoding.features.iter().map(Feature::name).collect();
        let names: BTreeSet<&String> = known.iter().collect();
        if let Some(extra) = fields.keys().find(|name| !names.contains(name)) {
            let (name, class) = (extra.clone(), class());
            return Err(blame(PredictorFault::NoFeature { name, class, known }));
        }
        known
            .iter()
            .map(|name| match fields.get(name).and_then(Value::as_f64) {
                Some(value) => Ok(value),
                None => Err(blame(PredictorFault::NoNumber { name: name.clone(), class: class() })),
            })
            .collect::<Result<Vec<f64>, RunError>>()
    };
    if !family.facts().block_per_class {
        return block(parameters, None);
    }
    let mut flat = Vec::new();
    for class in &encoding.classes {
        let values = parameters.get(class).unwrap_or(&Value::Null);
        flat.extend(block(values, Some(class))?);
    }
    Ok(flat)
}

/// What a predictor was fitted for.
struct FittedTerms {
    ceilings: Vec<f64>,
    weights: Weights,
}

/// Ceilings and weights as they were when the predictor was fitted, if the file states them for
/// exactly these agents.
///
/// What it states is checked as a file of weights would be: solvers cannot work with every number.
fn agent_terms(stated: &[StatedAgent], agents: &[Agent]) -> Result<Option<FittedTerms>, RunError> {
    if stated.len() != agents.len() {
        return Ok(None);
    }
    let by_name: BTreeMap<&str, &StatedAgent> =
        stated.iter().map(|agent| (agent.name.as_str(), agent)).collect();
    let column = |field: fn(&StatedAgent) -> Option<f64>| {
        let of = |agent: &Agent| field(by_name.get(agent.name.as_str())?);
        agents.iter().map(of).collect::<Option<Vec<f64>>>()
    };
    let (Some(ceilings), Some(weights)) =
        (column(|agent| agent.ceiling), column(|agent| agent.weight))
    else {
        return Ok(None);
    };
    let rows: Vec<(&str, usize)> =
        agents.iter().map(|agent| (agent.name.as_str(), agent.samples())).collect();
    let weights = WeightPolicy::PerAgent(weights).resolve(&rows)?;
    Ok(Some(FittedTerms { ceilings, weights }))
}

/// A predictor from disk and the data it is audited on.
pub struct Given<'a> {
    /// Where the predictor was read.
    pub path: &'a Path,
    /// The predictor.
    pub file: &'a GivenPredictor,
    /// The data.
    pub data: &'a Path,
    /// How the data are written, where that is told.
    pub written: Writing,
    /// Column of owners, instead of the predictor's.
    pub agent: Option<&'a str>,
    /// Column of targets, instead of the predictor's.
    pub target: Option<&'a str>,
    /// What bare parameters mean.
    pub options: Option<&'a EncodeOptions>,
    /// What bare parameters multiply.
    pub units: Units,
    /// The class that bare parameters speak for; the second of two unless told.
    pub positive: Option<&'a str>,
    /// Radius of the ball, instead of the predictor's.
    pub radius: Option<f64>,
    /// Ceilings, instead of those it was fitted for.
    pub ceiling: Option<&'a Ceiling>,
    /// Weights, instead of those it was fitted for.
    pub weights: Option<&'a WeightsBy>,
}

impl Given<'_> {
    /// The federation with its terms, and the parameters. What is not asked for stays as it was when the
    /// predictor was fitted.
    pub fn case(&self) -> Result<(Case, Vec<f64>), RunError> {
        let (data, family, l2) = self.encoded()?;
        let encoded = &data.encoded;
        let stored = self.file.predictor.as_ref();
        let parameters = match stored {
            Some(predictor) => predictor.parameters.clone(),
            None => self.bare(&encoded.encoding, family)?,
        };
        let radius =
            self.radius.or(stored.map(|predictor| predictor.radius)).unwrap_or(DEFAULT_RADIUS);
        let agents = encoded.federation.agents();
        let as_fitted = agent_terms(&self.file.agents, agents)?;
        let ceiling = match (self.ceiling, &as_fitted) {
            (Some(ceiling), _) => ceiling_policy(ceiling, agents)?,
            (None, Some(terms)) => CeilingPolicy::PerAgent(terms.ceilings.clone()),
            (None, None) => {
                let raw = encoded.encoding.target_scale.is_none();
                ceiling_policy(&Ceiling::default_of(Some(family), raw), agents)?
            }
        };
        let weights = match (self.weights, as_fitted) {
            (Some(weights), _) => resolve_weights(weights, agents)?,
            (None, Some(terms)) => terms.weights,
            (None, None) => resolve_weights(&WeightsBy::Equal, agents)?,
        };
        let Some(ball) = ball_for(radius, &parameters) else {
            let what = format!("{}: the parameters", self.path.display());
            return Err(TermsError::OutsideBall { what, norm: norm_l2(&parameters), radius }.into());
        };
        let terms = CaseTerms { family, l2, radius, weights, ceiling, held_out: None };
        Ok((Case::new(data, terms)?.in_ball(ball), parameters))
    }

    /// Bare parameters, in the coordinates and for the class of the encoding.
    fn bare(&self, encoding: &Encoding, family: Family) -> Result<Vec<f64>, RunError> {
        let mut flat = flatten(self.path, &self.file.parameters, encoding, family)?;
        if self.units == Units::Raw {
            for block in flat.chunks_mut(encoding.features.len()) {
                standardise(block, encoding).map_err(|fault| blame(self.path, fault))?;
            }
        }
        let Some(positive) = self.positive else { return Ok(flat) };
        let classes = &encoding.classes;
        if family.blocks(classes.len()) != 1 || classes.len() != 2 {
            return Err(blame(self.path, PredictorFault::NotTwoClasses).into());
        }
        match classes.iter().position(|class| class == positive) {
            Some(1) => Ok(flat),
            // The margin for one class is the margin against the other.
            Some(_) => Ok(flat.into_iter().map(|value| -value).collect()),
            None => Err(ForeignError::NoSuchClass {
                target: encoding.target_column.clone(),
                positive: positive.to_owned(),
                classes: classes.clone(),
            }
            .into()),
        }
    }

    /// Encodes the data as the predictor was fitted, or afresh when only parameters are given.
    fn encoded(&self) -> Result<(FitFile, Family, f64), RunError> {
        if let Some(Predictor { family, l2, encoding, .. }) = &self.file.predictor {
            let named = |asked: Option<&str>, own: &String| {
                asked.map_or_else(|| own.clone(), str::to_owned)
            };
            check_writing(self.data, self.written)?;
            let intake = Intake {
                written: self.written.or(encoding.intake.written),
                ..encoding.intake.clone()
            };
            let encoding = Encoding {
                intake,
                agent_column: named(self.agent, &encoding.agent_column),
                target_column: named(self.target, &encoding.target_column),
                ..encoding.clone()
            };
            let AppliedFile { federation, digest, file } =
                apply_file(self.data, &encoding, *family)?;
            if federation.agents().len() < 2 {
                return Err(TermsError::SingleAgent { file }.into());
            }
            let encoded = Encoded { encoding, federation, notes: Vec::new() };
            return Ok((FitFile { encoded, digest, file }, *family, *l2));
        }
        let Some(options) = self.options else {
            return Err(GivenError::NoEncoding { path: self.path.to_owned() }.into());
        };
        Ok((fit_file(self.data, options)?, options.family, options.l2))
    }
}
