//! From text to a spec.

mod compare;
mod network;
mod partition;
mod top;
mod train;
mod tune;

use std::collections::BTreeSet;
use std::str::FromStr;

use corefed_core::LARGEST_SPEC;
use toml::de::DeTable;

use crate::fields::{Fields, unfit};
use crate::key::Key;
use crate::keys::root;
use crate::mistakes::{Mistakes, place};
use crate::takes::Free;
use crate::value::Value;
use crate::words::excerpt;
use crate::{Mistake, Problem, Spec, SpecErrors, TextError};

impl Spec {
    /// Reads a spec, or says everything that is wrong with it.
    ///
    /// `file` is for messages, and the stem of its name is the run's default name. Files that the
    /// spec names are left as they are; see [`Spec::relative_to`].
    pub fn parse(file: &str, text: &str) -> Result<Self, SpecErrors> {
        parse(file, text)
    }
}

fn parse(file: &str, text: &str) -> Result<Spec, SpecErrors> {
    let alone = |line, problem| {
        SpecErrors::new(Some(file), vec![Mistake { line, key: String::new(), problem }], 0)
    };
    let bytes = text.len() as u64;
    if bytes > LARGEST_SPEC {
        return Err(alone(None, Problem::TooLong { bytes, most: LARGEST_SPEC }));
    }
    let table = DeTable::parse(text).map_err(|error| {
        let (line, column) = place(text, error.span().map_or(0, |span| span.start));
        let message = excerpt(error.message());
        alone(Some(line), Problem::Syntax { column, message })
    })?;
    let mistakes = Mistakes::default();
    let spec = top::read(&Fields::top(&root::SECTION, table.get_ref(), &mistakes), file);
    match spec {
        Some(spec) if mistakes.is_empty() => Ok(spec),
        _ => {
            let (mistakes, more) = mistakes.in_order(text);
            Err(SpecErrors::new(Some(file), mistakes, more))
        }
    }
}

/// Text that a type of its own reads.
fn told<T: FromStr<Err = TextError>>(key: &Key<Free>, value: Value) -> Result<T, Problem> {
    match value {
        Value::Text(text) => {
            text.parse().map_err(|error: TextError| Problem::Refused { reason: error.to_string() })
        }
        _ => Err(unfit(key.takes.wanted, value)),
    }
}

/// Text that is there at all.
fn text(key: &Key<Free>, value: Value) -> Result<String, Problem> {
    match value {
        Value::Text(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(unfit(key.takes.wanted, value)),
    }
}

/// Text that can be the name of a folder on every system we know.
fn name(key: &Key<Free>, value: Value) -> Result<String, Problem> {
    text(key, value).and_then(|text| {
        if is_name(&text) { Ok(text) } else { Err(unfit(key.takes.wanted, value)) }
    })
}

fn is_name(text: &str) -> bool {
    let odd = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    !text.is_empty() && text.len() <= 100 && !text.starts_with('.') && !text.contains(odd)
}

/// Refuses what is in a list twice.
fn unique<T: Ord>(
    seen: &mut BTreeSet<T>,
    value: T,
    shown: impl FnOnce(&T) -> String,
) -> Result<(), Problem> {
    if seen.contains(&value) {
        return Err(Problem::Twice { what: shown(&value) });
    }
    seen.insert(value);
    Ok(())
}
