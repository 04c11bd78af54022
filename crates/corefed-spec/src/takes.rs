//! Kinds of values: which ones a key takes, and what it is without one.

use crate::key::{Fallback, Shape, Takes, one_of};
use crate::toml_text;
use corefed_core::Range;

/// A number in a range.
pub(crate) struct Number {
    pub(crate) range: Range,
    pub(crate) default: f64,
}

/// A whole number in a range.
pub(crate) struct Whole {
    pub(crate) least: u64,
    pub(crate) most: u64,
    /// Without one, the key has an alternative that has.
    pub(crate) default: Option<u64>,
}

/// `true` or `false`.
pub(crate) struct Flag {
    pub(crate) default: bool,
}

/// One of a few names, each standing for a value.
pub(crate) struct Choice<T: 'static> {
    pub(crate) options: &'static [(&'static str, T)],
    /// Without one, the key is required.
    pub(crate) default: Option<&'static str>,
}

/// Anything else; a function says how to read it.
pub(crate) struct Free {
    pub(crate) wanted: &'static str,
    pub(crate) without: Without,
}

/// What a free key is when it is absent.
#[derive(Clone, Copy)]
pub(crate) enum Without {
    Required,
    Is(&'static str),
    Told(&'static str),
}

impl Takes for Number {
    fn shape(&self) -> Shape {
        Shape::Number(self.range)
    }

    fn wanted(&self) -> String {
        self.range.wanted()
    }

    fn fallback(&self) -> Fallback {
        Fallback::Is(toml_text::number(self.default))
    }
}

impl Whole {
    pub(crate) fn contains(&self, value: i128) -> bool {
        (i128::from(self.least)..=i128::from(self.most)).contains(&value)
    }
}

/// Counts beyond this are mistakes, and sums of them stay far from overflow.
pub(crate) const MOST: u64 = 1_000_000_000;

impl Takes for Whole {
    fn shape(&self) -> Shape {
        Shape::Whole(self.least, self.most)
    }

    fn wanted(&self) -> String {
        match (self.least, self.most) {
            (least, MOST) => format!("a whole number from {least} to 1e9"),
            (least, u64::MAX) => format!("a whole number from {least} to 2^64 - 1"),
            (least, most) => format!("a whole number from {least} to {most}"),
        }
    }

    fn fallback(&self) -> Fallback {
        self.default.map_or(Fallback::Told("none"), |value| Fallback::Is(value.to_string()))
    }
}

impl Takes for Flag {
    fn shape(&self) -> Shape {
        Shape::Flag
    }

    fn wanted(&self) -> String {
        "`true` or `false`".to_owned()
    }

    fn fallback(&self) -> Fallback {
        Fallback::Is(self.default.to_string())
    }
}

impl<T> Choice<T> {
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.options.iter().map(|(name, _)| *name).collect()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&'static T> {
        self.options.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

impl<T: PartialEq> Choice<T> {
    /// The name of a value; every value has one.
    pub(crate) fn name_of(&self, value: &T) -> &'static str {
        self.options.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
    }
}

impl<T: Sync> Takes for Choice<T> {
    fn shape(&self) -> Shape {
        Shape::Choice(self.names())
    }

    fn wanted(&self) -> String {
        one_of(&self.names())
    }

    fn fallback(&self) -> Fallback {
        self.default.map_or(Fallback::Required, |name| Fallback::Is(toml_text::text(name)))
    }
}

impl Takes for Free {
    fn shape(&self) -> Shape {
        Shape::Free
    }

    fn wanted(&self) -> String {
        self.wanted.to_owned()
    }

    fn fallback(&self) -> Fallback {
        match self.without {
            Without::Required => Fallback::Required,
            Without::Is(text) => Fallback::Is(text.to_owned()),
            Without::Told(words) => Fallback::Told(words),
        }
    }
}
