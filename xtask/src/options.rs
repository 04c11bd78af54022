//! What follows a command: `--name VALUE` and names.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, anyhow, bail};

/// Options by name, and the words between them.
pub(crate) struct Options {
    named: Vec<(String, String)>,
    pub(crate) words: Vec<String>,
}

impl Options {
    /// Takes the words after a command; every option is one of `known` and has a value.
    pub(crate) fn parse(arguments: &[String], known: &[&str]) -> Result<Self> {
        let (mut named, mut words) = (Vec::new(), Vec::new());
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let Some(name) = word.strip_prefix("--") else {
                words.push(word.clone());
                continue;
            };
            if !known.contains(&name) {
                bail!("no option is called `{word}`; there are --{}", known.join(", --"));
            }
            let value = rest.next().ok_or_else(|| anyhow!("`{word}` needs a value"))?;
            named.push((name.to_owned(), value.clone()));
        }
        Ok(Self { named, words })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.named.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A number, or what it is unless told.
    pub(crate) fn number<T: FromStr>(&self, name: &str, unless: T) -> Result<T> {
        match self.text(name) {
            None => Ok(unless),
            Some(text) => text.parse().map_err(|_| anyhow!("`--{name} {text}`: no such number")),
        }
    }

    /// A path, if one was given.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from)
    }
}
