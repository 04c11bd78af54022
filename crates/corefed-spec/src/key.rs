//! A key of a spec: its name, what it takes, and what it means.
//!
//! Keys are described once. The reader checks values by these descriptions, the writer takes names
//! from them, and the reference prints them, so that none of the three can say something else.

use corefed_core::Range;

use crate::words::listed;

/// One key of a table.
pub(crate) struct Key<T: 'static> {
    /// As written.
    pub(crate) name: &'static str,
    /// What values it takes.
    pub(crate) takes: T,
    /// The choices of the table's selector to which it belongs; empty: all.
    pub(crate) only: &'static [&'static str],
    /// For the reference.
    pub(crate) meaning: &'static str,
}

impl<T> Key<T> {
    pub(crate) const fn new(name: &'static str, takes: T, meaning: &'static str) -> Self {
        Self { name, takes, only: &[], meaning }
    }

    /// Restricts it to some choices of the table's selector.
    pub(crate) const fn only(mut self, choices: &'static [&'static str]) -> Self {
        self.only = choices;
        self
    }
}

/// What happens when a key is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// The spec is refused.
    Required,
    /// This value, as TOML.
    Is(String),
    /// Something that depends on the rest, in words.
    Told(&'static str),
}

/// What values look like, for editors.
pub(crate) enum Shape {
    /// A number in a range.
    Number(Range),
    /// A whole number between two, both included.
    Whole(u64, u64),
    /// `true` or `false`.
    Flag,
    /// One of these names.
    Choice(Vec<&'static str>),
    /// Several forms; only the reader knows them.
    Free,
}

/// What a kind of value says about itself.
pub(crate) trait Takes {
    /// What values look like.
    fn shape(&self) -> Shape;
    /// What would be right, to follow "must be".
    fn wanted(&self) -> String;
    /// What happens without it.
    fn fallback(&self) -> Fallback;
}

/// A key of any kind.
pub(crate) trait Describe: Sync {
    fn name(&self) -> &'static str;
    fn shape(&self) -> Shape;
    fn only(&self) -> &'static [&'static str];
    fn meaning(&self) -> &'static str;
    fn wanted(&self) -> String;
    fn fallback(&self) -> Fallback;
}

impl<T: Takes + Sync> Describe for Key<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn shape(&self) -> Shape {
        self.takes.shape()
    }

    fn only(&self) -> &'static [&'static str] {
        self.only
    }

    fn meaning(&self) -> &'static str {
        self.meaning
    }

    fn wanted(&self) -> String {
        self.takes.wanted()
    }

    fn fallback(&self) -> Fallback {
        self.takes.fallback()
    }
}

/// A table of a spec.
pub(crate) struct Section {
    /// Dotted; empty for the top.
    pub(crate) path: &'static str,
    /// For the reference and as a comment.
    pub(crate) meaning: &'static str,
    /// Its keys, in the order they are written. Where names are the user's, one entry stands for
    /// all of them.
    pub(crate) keys: &'static [&'static dyn Describe],
    /// The key whose choice decides which others make sense.
    pub(crate) selector: Option<&'static str>,
    /// Pairs that say the same thing in two ways.
    pub(crate) rivals: &'static [(&'static str, &'static str)],
}

impl Section {
    /// The key of this name.
    pub(crate) fn key(&self, name: &str) -> Option<&'static dyn Describe> {
        self.keys.iter().copied().find(|key| key.name() == name)
    }

    /// What this key excludes.
    pub(crate) fn rivals_of(&self, name: &str) -> impl Iterator<Item = &'static str> {
        self.rivals.iter().filter_map(move |&(a, b)| match name {
            _ if name == a => Some(b),
            _ if name == b => Some(a),
            _ => None,
        })
    }
}

/// The choices of a key, in backticks.
pub(crate) fn one_of(names: &[&str]) -> String {
    match names {
        [only] => format!("`{only}`"),
        _ => format!("one of {}", listed(names)),
    }
}
