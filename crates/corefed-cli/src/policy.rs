//! Ceilings and weights as a user writes them.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use corefed_core::Weights;
use corefed_data::{Agent, LARGEST, Sign, Table, agent_values};
use corefed_solve::CeilingPolicy;

use crate::failure::Failure;

/// `--ceiling`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CeilingArg {
    Fixed(f64),
    Initial(f64),
    Constant(f64),
    Worst,
    File(PathBuf),
}

/// `--weights`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WeightsArg {
    Equal,
    Samples,
    File(PathBuf),
}

/// The ceiling of a user who names none: half as much again as knowing nothing costs.
pub(crate) const DEFAULT_CEILING: CeilingArg = CeilingArg::Initial(1.5);
/// The ball of a user who names none.
pub(crate) const DEFAULT_RADIUS: f64 = 10.0;

impl FromStr for CeilingArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(value) = text.parse::<f64>() {
            return positive(value).map(Self::Fixed);
        }
        let (word, factor) = match text.split_once(':') {
            Some((word, factor)) => {
                let factor: f64 =
                    factor.parse().map_err(|_| format!("`{factor}` is not a number"))?;
                (word, Some(positive(factor)?))
            }
            None => (text, None),
        };
        match (word, factor) {
            ("initial", factor) => Ok(Self::Initial(factor.unwrap_or(1.0))),
            ("constant", factor) => Ok(Self::Constant(factor.unwrap_or(1.0))),
            ("worst", None) => Ok(Self::Worst),
            _ if is_file(text) => Ok(Self::File(text.into())),
            _ => Err("expected a number, `initial[:F]`, `constant[:F]`, `worst` or a .csv file"
                .to_owned()),
        }
    }
}

impl fmt::Display for CeilingArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(value) => write!(f, "{value}"),
            Self::Initial(factor) => write!(f, "initial:{factor}"),
            Self::Constant(factor) => write!(f, "constant:{factor}"),
            Self::Worst => f.write_str("worst"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl FromStr for WeightsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "equal" => Ok(Self::Equal),
            "samples" => Ok(Self::Samples),
            _ if is_file(text) => Ok(Self::File(text.into())),
            _ => Err("expected `equal`, `samples` or a .csv file".to_owned()),
        }
    }
}

impl fmt::Display for WeightsArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal => f.write_str("equal"),
            Self::Samples => f.write_str("samples"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Anything with an extension or a slash was meant as a file, existing or not: the reader of the
/// file says what is wrong with it.
fn is_file(text: &str) -> bool {
    text.contains(['.', '/', '\\'])
}

fn positive(value: f64) -> Result<f64, String> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(format!("`{value}` is not a positive number"))
    }
}

impl CeilingArg {
    /// Reads the file, if it is one.
    pub(crate) fn policy(&self, agents: &[Agent]) -> Result<CeilingPolicy, Failure> {
        Ok(match self {
            Self::Fixed(value) => CeilingPolicy::Fixed(*value),
            Self::Initial(factor) => CeilingPolicy::Initial(*factor),
            Self::Constant(factor) => CeilingPolicy::Constant(*factor),
            Self::Worst => CeilingPolicy::Worst,
            Self::File(path) => CeilingPolicy::PerAgent(agent_values(
                &Table::read(path)?,
                "ceiling",
                names(agents),
                Sign::Positive,
            )?),
        })
    }
}

impl WeightsArg {
    /// The weight of every agent.
    pub(crate) fn resolve(&self, agents: &[Agent]) -> Result<Weights, Failure> {
        let values = match self {
            Self::Equal => return Ok(Weights::equal(agents.len())),
            Self::Samples => agents.iter().map(|agent| agent.samples() as f64).collect(),
            Self::File(path) => {
                agent_values(&Table::read(path)?, "weight", names(agents), Sign::Positive)?
            }
        };
        // Powers of weights enter the solvers, so they share the limit of cells.
        if let Some(k) = values.iter().position(|w| !(1.0 / LARGEST..=LARGEST).contains(w)) {
            let (name, weight) = (&agents[k].name, values[k]);
            return Err(Failure::new(format!("the weight of agent `{name}` is `{weight}`"))
                .hint("only ratios of weights matter: scale them to be around one"));
        }
        Weights::new(values).map_err(|error| Failure::new(error.to_string()))
    }
}

fn names(agents: &[Agent]) -> impl Iterator<Item = &str> {
    agents.iter().map(|agent| agent.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ceilings_read_back_as_they_are_written() {
        for text in ["1.25", "initial:1.5", "constant:2", "worst", "terms/ceilings.csv"] {
            let ceiling: CeilingArg = text.parse().unwrap();
            assert_eq!(ceiling.to_string(), text);
        }
        assert_eq!("initial".parse(), Ok(CeilingArg::Initial(1.0)));
        for bad in ["0", "-1", "nan", "inf", "initial:x", "initial:-1", "worst:2", "wurst"] {
            assert!(bad.parse::<CeilingArg>().is_err(), "{bad}");
        }
    }
}
