//! At which loss an agent gets nothing, as a user writes it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use corefed_core::{CeilingPolicy, Family, Targets};
use corefed_data::{DataError, Sign, Table, agent_values};

use crate::ceiling_words::{CEILING_WORDS, CeilingForm, CeilingWord};
use crate::data_source::is_file;

/// Where ceilings come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Ceiling {
    /// The same for everybody, > 0.
    Fixed(f64),
    /// A multiple of the loss of the zero predictor, > 0.
    Initial(f64),
    /// A multiple of the loss of the agent's best constant predictor, > 0.
    Constant(f64),
    /// A multiple of the agent's loss under the constant that suits everybody best together, > 0.
    PooledConstant(f64),
    /// A multiple of the larger of that loss and its average over everybody, > 0.
    Baseline(f64),
    /// A multiple of the loss of the model that the agent would fit alone, > 0.
    Alone(f64),
    /// The provable worst loss on the ball.
    Worst,
    /// A CSV file with columns `agent,ceiling`.
    File(PathBuf),
}

impl Ceiling {
    /// What a user who names none gets: half as much again as knowing nothing costs. A quantity whose zero
    /// means nothing is standardised, and nobody's ceiling is less than what it varies by.
    #[must_use]
    pub fn default_of(family: Option<Family>, raw: bool) -> Self {
        match family {
            Some(family) if family.targets() == Targets::Number && !raw => Self::Baseline(1.5),
            _ => Self::Initial(1.5),
        }
    }

    /// What may be written.
    pub(crate) const WANTED: &str = "a number > 0, `initial[:F]`, `constant[:F]`, `pooled-constant[:F]`, `baseline[:F]`, `alone[:F]`, `worst` or a .csv file";
}

impl Ceiling {
    /// The policy for these agents; reads the file, if it is one.
    pub fn policy<'a>(
        &self,
        agents: impl Iterator<Item = &'a str>,
    ) -> Result<CeilingPolicy, DataError> {
        Ok(match self {
            Self::Fixed(value) => CeilingPolicy::Fixed(*value),
            Self::Initial(factor) => CeilingPolicy::Initial(*factor),
            Self::Constant(factor) => CeilingPolicy::Constant(*factor),
            Self::PooledConstant(factor) => CeilingPolicy::PooledConstant(*factor),
            Self::Baseline(factor) => CeilingPolicy::Baseline(*factor),
            Self::Alone(factor) => CeilingPolicy::Alone(*factor),
            Self::Worst => CeilingPolicy::Worst,
            Self::File(path) => {
                let table = Table::read(path)?;
                CeilingPolicy::PerAgent(agent_values(&table, "ceiling", agents, Sign::Positive)?)
            }
        })
    }
}

impl Ceiling {
    /// Whether it goes by what only agents know of their rows, beyond the loss of a first model.
    #[must_use]
    pub fn is_declared(&self) -> bool {
        self.word().is_some_and(|word| word.declared)
    }

    /// Whether another radius of the ball gives other ceilings.
    #[must_use]
    pub fn depends_on_ball(&self) -> bool {
        self.word().is_some_and(|word| word.depends_on_ball)
    }

    /// The same policy with another factor; `None` for those that have none.
    #[must_use]
    pub fn with_factor(&self, factor: f64) -> Option<Self> {
        match self.form() {
            CeilingForm::Number(_) => Some(Self::Fixed(factor)),
            CeilingForm::Word(known, _) => known.times.map(|times| times(factor)),
            CeilingForm::File(_) => None,
        }
    }

    /// Reads a policy whose factor is to be found: its word alone, `number` for one number, or a file.
    pub fn without_factor(text: &str) -> Result<Self, String> {
        let wanted = || {
            let words = CEILING_WORDS.iter().map(|known| format!("`{}`", known.word));
            let words = words.collect::<Vec<_>>().join(", ");
            format!("expected {words}, `number` or a .csv file; the factor is what is searched for")
        };
        if text == "number" {
            return Ok(Self::Fixed(1.0));
        }
        match text.parse::<Self>() {
            Ok(Self::Fixed(_)) | Err(_) => Err(wanted()),
            Ok(Self::File(path)) => Ok(Self::File(path)),
            Ok(_) if text.contains(':') => Err(wanted()),
            Ok(ceiling) => Ok(ceiling),
        }
    }
}

impl FromStr for Ceiling {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(value) = text.parse::<f64>() {
            return positive(value).map(Self::Fixed);
        }
        // A path may have a colon too, so only known words have a factor.
        let times = |word| CeilingWord::named(word).and_then(|known| known.times);
        if let Some((times, text)) =
            text.split_once(':').and_then(|(word, f)| Some((times(word)?, f)))
        {
            let factor = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
            return positive(factor).map(times);
        }
        match CeilingWord::named(text) {
            Some(known) => Ok(known.times.map_or(Self::Worst, |times| times(1.0))),
            None if is_file(text) => Ok(Self::File(text.into())),
            None => Err(format!("expected {}", Self::WANTED)),
        }
    }
}

impl fmt::Display for Ceiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form() {
            CeilingForm::Number(value) => write!(f, "{value}"),
            CeilingForm::Word(known, factor) if known.times.is_some() => {
                write!(f, "{}:{factor}", known.word)
            }
            CeilingForm::Word(known, _) => f.write_str(known.word),
            CeilingForm::File(path) => write!(f, "{}", path.display()),
        }
    }
}

fn positive(value: f64) -> Result<f64, String> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(format!("`{value}` is not a positive number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_policy_goes_by_follows_from_its_name() {
        let known = |text: &str| {
            let ceiling: Ceiling = text.parse().unwrap();
            (ceiling.is_declared(), ceiling.depends_on_ball())
        };
        for text in ["1.25", "initial:1.5", "terms/ceilings.csv"] {
            assert_eq!(known(text), (false, false), "{text}");
        }
        for text in ["constant", "pooled-constant:2", "baseline:1.5"] {
            assert_eq!(known(text), (true, false), "{text}");
        }
        for text in ["alone:1.25", "worst"] {
            assert_eq!(known(text), (true, true), "{text}");
        }
    }

    #[test]
    fn ceilings_read_back_as_they_are_written() {
        for text in [
            "1.25",
            "initial:1.5",
            "constant:2",
            "pooled-constant:1.5",
            "baseline:1.5",
            "alone:1.25",
            "worst",
            "terms/ceilings.csv",
            "C:\\terms.csv",
        ] {
            let ceiling: Ceiling = text.parse().unwrap();
            assert_eq!(ceiling.to_string(), text);
        }
        assert_eq!("initial".parse(), Ok(Ceiling::Initial(1.0)));
        assert_eq!(Ceiling::without_factor("alone"), Ok(Ceiling::Alone(1.0)));
        assert_eq!(Ceiling::without_factor("number"), Ok(Ceiling::Fixed(1.0)));
        assert_eq!(Ceiling::Alone(1.0).with_factor(2.0), Some(Ceiling::Alone(2.0)));
        for bad in ["alone:1", "0.7", "wurst"] {
            assert!(Ceiling::without_factor(bad).is_err(), "{bad}");
        }
        for bad in [
            "0",
            "-1",
            "nan",
            "inf",
            "initial:x",
            "initial:-1",
            "alone:0",
            "pooled:1",
            "worst:2",
            "wurst",
            "",
        ] {
            assert!(bad.parse::<Ceiling>().is_err(), "{bad}");
        }
    }
}
