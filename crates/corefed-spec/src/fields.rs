//! A table of a spec while it is read, key by key.
//!
//! Every function gives back a value that can be used to read on, whatever is wrong: mistakes are
//! collected, and the spec is refused when all of it has been read.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Problem;
use crate::key::{Fallback, Key, Section, Takes};
use crate::mistakes::Mistakes;
use crate::takes::{Choice, Flag, Free, Number, Whole};
use crate::value::Value;
use crate::words::{excerpt, nearest};

/// A table, present or not.
pub(crate) struct Fields<'a> {
    pub(crate) section: &'static Section,
    path: String,
    /// Where the table begins; none at the top.
    at: Option<usize>,
    pub(crate) table: Option<&'a DeTable<'a>>,
    pub(crate) mistakes: &'a Mistakes,
}

impl<'a> Fields<'a> {
    /// The whole file.
    pub(crate) fn top(
        section: &'static Section,
        table: &'a DeTable<'a>,
        mistakes: &'a Mistakes,
    ) -> Self {
        let top = Self { section, path: String::new(), at: None, table: Some(table), mistakes };
        top.check_names();
        top
    }

    /// A table inside this one; an absent one is read as an empty one.
    pub(crate) fn table(&self, name: &str, section: &'static Section) -> Self {
        let mut inner = Self {
            section,
            path: self.path_of(name),
            at: self.at,
            table: None,
            mistakes: self.mistakes,
        };
        if let Some((at, value)) = self.get(name) {
            inner.at = Some(at);
            match value {
                Value::Table(table) => inner.table = Some(table),
                _ => inner.refuse(at, "", unfit("a table", value)),
            }
        }
        inner.check_names();
        inner
    }

    /// A table in a list of this table.
    pub(crate) fn item(
        &self,
        place: String,
        section: &'static Section,
        at: usize,
        table: &'a DeTable<'a>,
    ) -> Self {
        let mistakes = self.mistakes;
        let inner = Self { section, path: place, at: Some(at), table: Some(table), mistakes };
        inner.check_names();
        inner
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Where a value is, and what.
    pub(crate) fn get(&self, name: &str) -> Option<(usize, Value<'a>)> {
        self.table?.get(name).map(|value| (value.span().start, Value::of(value.get_ref())))
    }

    /// All names and values, for tables whose names are the user's.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a str, usize, Value<'a>)> {
        self.table.into_iter().flatten().map(|(name, value)| {
            (&**name.get_ref(), value.span().start, Value::of(value.get_ref()))
        })
    }

    pub(crate) fn path_of(&self, name: &str) -> String {
        let name = excerpt(name);
        match (self.path.as_str(), name.as_str()) {
            ("", name) => name.to_owned(),
            (path, "") => path.to_owned(),
            (path, name) => format!("{path}.{name}"),
        }
    }

    /// Notes a mistake.
    pub(crate) fn refuse(&self, at: usize, name: &str, problem: Problem) {
        self.mistakes.add(Some(at), self.path_of(name), problem);
    }

    /// Notes that something is missing from this table.
    pub(crate) fn miss(&self, name: &str, wanted: String) {
        self.mistakes.add(self.at, self.path_of(name), Problem::Missing { wanted });
    }

    pub(crate) fn number(&self, key: &Key<Number>) -> f64 {
        let fits = |value: Value| value.number().filter(|&value| key.takes.range.contains(value));
        self.fitting(key, fits).unwrap_or(key.takes.default)
    }

    /// The number, if it is there; otherwise its default, if it has one.
    pub(crate) fn whole(&self, key: &Key<Whole>) -> Option<u64> {
        let fits = |value: Value| match value {
            Value::Whole(value) if key.takes.contains(value) => u64::try_from(value).ok(),
            _ => None,
        };
        self.fitting(key, fits).or(key.takes.default)
    }

    pub(crate) fn flag(&self, key: &Key<Flag>) -> bool {
        let fits = |value: Value| match value {
            Value::Flag(value) => Some(value),
            _ => None,
        };
        self.fitting(key, fits).unwrap_or(key.takes.default)
    }

    /// The value that a name stands for. If the key decides which others make sense, those that
    /// do not are refused.
    pub(crate) fn choice<T: Copy>(&self, key: &Key<Choice<T>>) -> T
    where
        Choice<T>: Takes,
    {
        let options = key.takes.options;
        let name = match self.get(key.name) {
            None => {
                if key.takes.default.is_none() {
                    self.miss(key.name, key.takes.wanted());
                }
                key.takes.default
            }
            Some((_, Value::Text(text))) if key.takes.find(text).is_some() => Some(text),
            Some((at, value)) => {
                self.refuse(at, key.name, unknown_choice(&key.takes, value));
                None
            }
        };
        if let Some(name) = name {
            self.check_knobs(key.name, name);
        }
        // A required choice that is missing or wrong is a mistake already noted.
        name.and_then(|name| key.takes.find(name)).copied().unwrap_or(options[0].1)
    }

    /// A value that `read` understands; `None` without one, whether that is a mistake or not.
    pub(crate) fn free<T>(
        &self,
        key: &Key<Free>,
        read: impl FnOnce(Value<'a>) -> Result<T, Problem>,
    ) -> Option<T> {
        let Some((at, value)) = self.get(key.name) else {
            if key.takes.fallback() == Fallback::Required {
                self.miss(key.name, key.takes.wanted());
            }
            return None;
        };
        read(value).map_err(|problem| self.refuse(at, key.name, problem)).ok()
    }

    /// A list whose items `read` understands; every item that it does not is a mistake.
    pub(crate) fn list<T>(
        &self,
        key: &Key<Free>,
        mut read: impl FnMut(usize, usize, Value<'a>) -> Result<T, Problem>,
    ) -> Option<Vec<T>> {
        let items = self.free(key, |value| match value {
            Value::List(items) => Ok(items),
            _ => Err(unfit(key.takes.wanted, value)),
        })?;
        Some(self.items(key.name, items, &mut read))
    }

    /// The items of a list that `read` understands.
    pub(crate) fn items<T>(
        &self,
        name: &str,
        items: &'a [Spanned<DeValue<'a>>],
        read: &mut dyn FnMut(usize, usize, Value<'a>) -> Result<T, Problem>,
    ) -> Vec<T> {
        let mut taken = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let at = item.span().start;
            match read(i, at, Value::of(item.get_ref())) {
                Ok(value) => taken.push(value),
                Err(problem) => self.refuse(at, name, problem),
            }
        }
        taken
    }

    fn fitting<T, V: Takes>(&self, key: &Key<V>, fits: impl Fn(Value) -> Option<T>) -> Option<T> {
        let (at, value) = self.get(key.name)?;
        let fit = fits(value);
        if fit.is_none() {
            self.refuse(at, key.name, unfit(&key.takes.wanted(), value));
        }
        fit
    }
}

/// A value of the wrong type or out of range.
pub(crate) fn unfit(wanted: &str, found: Value) -> Problem {
    Problem::Unfit { wanted: wanted.to_owned(), found: found.shown() }
}

/// A name that is none of those possible.
pub(crate) fn unknown_choice<T>(choice: &Choice<T>, found: Value) -> Problem
where
    Choice<T>: Takes,
{
    match found {
        Value::Text(text) => {
            let known = choice.names();
            let nearest = nearest(text, known.iter().copied());
            Problem::UnknownChoice { found: excerpt(text), known, nearest }
        }
        _ => unfit(&choice.wanted(), found),
    }
}
