//! Ceilings as a user writes them: read, and written again.

use std::fmt;
use std::str::FromStr;

use crate::ceiling_words::{CeilingForm, CeilingWord};
use crate::data_source::is_file;
use crate::{Ceiling, TextError};

impl Ceiling {
    /// What may be written.
    pub(crate) const WANTED: &str = "a number > 0, `initial[:F]`, `constant[:F]`, `pooled-constant[:F]`, `baseline[:F]`, `alone[:F]`, `worst` or a .csv file";

    /// Reads a policy whose factor is to be found: its word alone, `number` for one number, or a file.
    pub fn without_factor(text: &str) -> Result<Self, TextError> {
        let wanted = || TextError::Factor { text: text.to_owned() };
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
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        if let Ok(value) = text.parse::<f64>() {
            return positive(value).map(Self::Fixed);
        }
        // A path may have a colon too, so only known words have a factor.
        let times = |word| CeilingWord::named(word).and_then(|known| known.times);
        if let Some((times, text)) =
            text.split_once(':').and_then(|(word, f)| Some((times(word)?, f)))
        {
            let not = |_| TextError::NotNumber { text: text.to_owned() };
            let factor = text.parse().map_err(not)?;
            return positive(factor).map(times);
        }
        match CeilingWord::named(text) {
            Some(known) => Ok(known.times.map_or(Self::Worst, |times| times(1.0))),
            None if is_file(text) => Ok(Self::File(text.into())),
            None => Err(TextError::Expected { wanted: Self::WANTED, text: text.to_owned() }),
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

fn positive(value: f64) -> Result<f64, TextError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(TextError::NotPositive { value }) }
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
            let text = bad.to_owned();
            assert_eq!(Ceiling::without_factor(bad), Err(TextError::Factor { text }));
        }
        assert_eq!("-1".parse::<Ceiling>(), Err(TextError::NotPositive { value: -1.0 }));
        assert_eq!(
            "alone:x".parse::<Ceiling>(),
            Err(TextError::NotNumber { text: "x".to_owned() })
        );
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
