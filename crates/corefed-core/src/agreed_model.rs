//! The model that the terms of a federation agree on: one whose losses follow from rows, or one of the
//! agents' own, whose losses only they can compute.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Encoding, Family, Predictor};

/// What agents answer about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum AgreedModel {
    /// Its losses follow from rows, by a family and an encoding.
    Known(Predictor),
    /// Agents compute its losses by programs of their own.
    Own(OwnModel),
}

/// A model of the agents' own: a convex loss of each, about which nothing is known but what they answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnModel {
    /// What the agents call it.
    pub own: String,
    /// Weight of `(l2 / 2) |theta|^2` in every agent's loss, >= 0: the rest is convex.
    pub l2: f64,
    /// Radius of the ball about zero that parameters, and rivals, must lie in.
    pub radius: f64,
    /// Parameters.
    pub parameters: Vec<f64>,
}

impl AgreedModel {
    /// The predictor, where losses follow from rows.
    #[must_use]
    pub fn known(&self) -> Option<&Predictor> {
        match self {
            Self::Known(predictor) => Some(predictor),
            Self::Own(_) => None,
        }
    }

    /// Weight of `(l2 / 2) |theta|^2` in every agent's loss.
    #[must_use]
    pub fn l2(&self) -> f64 {
        match self {
            Self::Known(predictor) => predictor.l2,
            Self::Own(own) => own.l2,
        }
    }

    /// Radius of the ball about zero.
    #[must_use]
    pub fn radius(&self) -> f64 {
        match self {
            Self::Known(predictor) => predictor.radius,
            Self::Own(own) => own.radius,
        }
    }

    /// The parameters under audit.
    #[must_use]
    pub fn parameters(&self) -> &[f64] {
        match self {
            Self::Known(predictor) => &predictor.parameters,
            Self::Own(own) => &own.parameters,
        }
    }

    /// The same model with other parameters.
    #[must_use]
    pub fn with_parameters(&self, parameters: Vec<f64>) -> Self {
        match self.clone() {
            Self::Known(predictor) => Self::Known(Predictor { parameters, ..predictor }),
            Self::Own(own) => Self::Own(OwnModel { parameters, ..own }),
        }
    }

    /// Whether losses are known to be quadratic.
    #[must_use]
    pub fn is_quadratic(&self) -> bool {
        self.known().is_some_and(|predictor| predictor.family.is_quadratic())
    }

    /// Whether no loss is known to be below zero, so that no utility exceeds its ceiling.
    #[must_use]
    pub fn is_nonnegative(&self) -> bool {
        self.known().is_some_and(|predictor| predictor.family.nonnegative_loss().is_some())
    }
}

impl From<Predictor> for AgreedModel {
    fn from(predictor: Predictor) -> Self {
        Self::Known(predictor)
    }
}

/// Both forms at once, so that a mistake is told by the name of a field.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    own: Option<String>,
    family: Option<Family>,
    l2: f64,
    radius: f64,
    encoding: Option<Encoding>,
    parameters: Vec<f64>,
}

impl<'de> Deserialize<'de> for AgreedModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { own, family, l2, radius, encoding, parameters } =
            Written::deserialize(deserializer)?;
        match (own, family, encoding) {
            (Some(own), None, None) => Ok(Self::Own(OwnModel { own, l2, radius, parameters })),
            (Some(_), _, _) => {
                Err(D::Error::custom("a model with `own` has neither `family` nor `encoding`"))
            }
            (None, Some(family), Some(encoding)) => {
                Ok(Self::Known(Predictor { family, l2, radius, encoding, parameters }))
            }
            (None, None, _) => Err(D::Error::missing_field("family")),
            (None, _, None) => Err(D::Error::missing_field("encoding")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_or_the_agents_own_and_never_both() {
        let own = r#"{"own":"huber","l2":0.5,"radius":3.0,"parameters":[1.0,2.0]}"#;
        let read: AgreedModel = serde_json::from_str(own).unwrap();
        let AgreedModel::Own(model) = &read else { panic!("{read:?}") };
        assert_eq!((model.own.as_str(), read.l2(), read.radius()), ("huber", 0.5, 3.0));
        assert_eq!(serde_json::to_string(&read).unwrap(), own);
        assert_eq!(read.with_parameters(vec![0.0]).parameters(), [0.0]);
        assert!(!read.is_quadratic() && !read.is_nonnegative() && read.known().is_none());
        for (text, told) in [
            (r#"{"l2":0.0,"radius":3.0,"parameters":[]}"#, "missing field `family`"),
            (
                r#"{"family":"linear","l2":0.0,"radius":3.0,"parameters":[]}"#,
                "missing field `encoding`",
            ),
            (
                r#"{"own":"a","family":"linear","l2":0.0,"radius":3.0,"parameters":[]}"#,
                "neither `family` nor `encoding`",
            ),
            (r#"{"own":"a","rows":1,"l2":0.0,"radius":3.0,"parameters":[]}"#, "field `rows`"),
        ] {
            let refused = serde_json::from_str::<AgreedModel>(text).unwrap_err().to_string();
            assert!(refused.contains(told), "{refused}");
        }
    }
}
