//! The policies of ceilings that have a word: every fact about each, once.

use std::path::Path;

use crate::Ceiling;

/// A policy by its word.
#[derive(Debug)]
pub struct CeilingWord {
    /// As a user writes it, before `:F`.
    pub word: &'static str,
    /// What a factor multiplies, as the end of a sentence.
    pub multiplies: &'static str,
    /// With which model a factor of one compares, where it compares with one that an agent could have.
    pub compares_with: Option<&'static str>,
    /// Whether it goes by what only agents know of their rows, beyond the loss of a first model.
    pub(crate) declared: bool,
    /// Whether another radius of the ball gives other ceilings.
    pub(crate) depends_on_ball: bool,
    /// The policy with a factor; `None` for one that has none.
    pub(crate) times: Option<fn(f64) -> Ceiling>,
}

/// All of them, in the order in which documents name them.
pub const CEILING_WORDS: &[CeilingWord] =
    &[INITIAL, CONSTANT, POOLED_CONSTANT, BASELINE, ALONE, WORST];

const INITIAL: CeilingWord = CeilingWord {
    word: "initial",
    multiplies: "the loss of the zero predictor",
    compares_with: Some("a model that knows nothing"),
    declared: false,
    depends_on_ball: false,
    times: Some(Ceiling::Initial),
};

const CONSTANT: CeilingWord = CeilingWord {
    word: "constant",
    multiplies: "the loss of each agent's best constant",
    compares_with: Some("the best guess of its own"),
    declared: true,
    depends_on_ball: false,
    times: Some(Ceiling::Constant),
};

const POOLED_CONSTANT: CeilingWord = CeilingWord {
    word: "pooled-constant",
    multiplies: "the loss of the best common constant",
    compares_with: Some("the best guess in common"),
    declared: true,
    depends_on_ball: false,
    times: Some(Ceiling::PooledConstant),
};

const BASELINE: CeilingWord = CeilingWord {
    word: "baseline",
    multiplies: "the loss of the best common constant, everybody's on average at least",
    compares_with: Some("the best guess in common"),
    declared: true,
    depends_on_ball: false,
    times: Some(Ceiling::Baseline),
};

const ALONE: CeilingWord = CeilingWord {
    word: "alone",
    multiplies: "the loss of each agent's own model",
    compares_with: Some("its own model"),
    declared: true,
    depends_on_ball: true,
    times: Some(Ceiling::Alone),
};

const WORST: CeilingWord = CeilingWord {
    word: "worst",
    multiplies: "the worst loss on the ball",
    compares_with: None,
    declared: true,
    depends_on_ball: true,
    times: None,
};

/// How a ceiling is written.
#[derive(Clone, Copy, Debug)]
pub enum CeilingForm<'a> {
    /// As a number.
    Number(f64),
    /// By a word, with its factor; one where it has none.
    Word(&'static CeilingWord, f64),
    /// As the path of a file.
    File(&'a Path),
}

impl Ceiling {
    /// How it is written, with what is known of its word.
    #[must_use]
    pub fn form(&self) -> CeilingForm<'_> {
        match self {
            Self::Fixed(value) => CeilingForm::Number(*value),
            Self::Initial(factor) => CeilingForm::Word(&INITIAL, *factor),
            Self::Constant(factor) => CeilingForm::Word(&CONSTANT, *factor),
            Self::PooledConstant(factor) => CeilingForm::Word(&POOLED_CONSTANT, *factor),
            Self::Baseline(factor) => CeilingForm::Word(&BASELINE, *factor),
            Self::Alone(factor) => CeilingForm::Word(&ALONE, *factor),
            Self::Worst => CeilingForm::Word(&WORST, 1.0),
            Self::File(path) => CeilingForm::File(path),
        }
    }

    /// What is known of its word; `None` for numbers and files.
    #[must_use]
    pub fn word(&self) -> Option<&'static CeilingWord> {
        match self.form() {
            CeilingForm::Word(known, _) => Some(known),
            CeilingForm::Number(_) | CeilingForm::File(_) => None,
        }
    }

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
}

impl CeilingWord {
    /// The policy that has this word.
    #[must_use]
    pub fn named(word: &str) -> Option<&'static Self> {
        CEILING_WORDS.iter().find(|known| known.word == word)
    }

    /// How it is written: with a factor where it has one.
    fn usage(&self) -> String {
        let factor = if self.times.is_some() { "[:F]" } else { "" };
        format!("`{}{factor}`", self.word)
    }

    /// How each of them is written, as a list.
    #[must_use]
    pub fn usages() -> String {
        CEILING_WORDS.iter().map(Self::usage).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_and_written_and_told_to_users() {
        for known in CEILING_WORDS {
            let read: Ceiling = known.word.parse().unwrap();
            assert_eq!(read.word().unwrap().word, known.word);
            let text = if known.times.is_some() {
                format!("{}:1", known.word)
            } else {
                known.word.to_owned()
            };
            assert_eq!(read.to_string(), text);
        }
        assert_eq!(
            Ceiling::WANTED,
            format!("a number > 0, {} or a .csv file", CeilingWord::usages())
        );
    }
}
