//! All mistakes of a spec.

use std::fmt;

use crate::{Mistake, Problem};

/// Mistakes listed one by one; a file with more is something else.
const LISTED: usize = 100;

/// Why a spec was refused: at least one mistake, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecErrors {
    file: Option<String>,
    mistakes: Vec<Mistake>,
    more: usize,
}

impl SpecErrors {
    /// The first mistakes of a file, or of settings made elsewhere, and how many more there were.
    pub(crate) fn new(file: Option<&str>, mut mistakes: Vec<Mistake>, more: usize) -> Self {
        let more = more + mistakes.len().saturating_sub(LISTED);
        mistakes.truncate(LISTED);
        Self { file: file.map(str::to_owned), mistakes, more }
    }

    /// The mistakes, in the order of the file; of very many, the first hundred.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// The same mistakes of settings that were not in a file.
    pub(crate) fn without_lines(mut self) -> Self {
        self.file = None;
        self.mistakes.iter_mut().for_each(|mistake| mistake.line = None);
        self
    }

    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self.mistakes.first()?.problem {
            Problem::TooLong { .. } => "is it the right file?",
            Problem::Needs { other: "[train]" } => {
                "trainings are compared: add `[train]` with `rule` and `rounds`, as in `corefed run \
                 hospitals-rounds`; without it `corefed run` solves three rules exactly"
            }
            Problem::Syntax { .. } => "text needs quotes, and tables begin with `[name]`",
            _ => "docs/spec.md has every key with its range, default and meaning",
        };
        Some(hint.to_owned())
    }
}

impl fmt::Display for SpecErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mistake) in self.mistakes.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            match (&self.file, mistake.line) {
                (Some(file), Some(_)) => write!(f, "`{file}`, {mistake}")?,
                (Some(file), None) => write!(f, "`{file}`: {mistake}")?,
                (None, _) => write!(f, "{mistake}")?,
            }
        }
        if self.more > 0 {
            write!(f, "\nand {} more mistakes", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for SpecErrors {}
