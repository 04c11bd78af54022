//! Data that can be used but are more likely a mistake: errors, unless waived by name.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use corefed_core::setting;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::names::{excerpt, listed};

/// Something suspect about a table, by the name under which it can be waived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// An agent with a single row: its loss is one sample's.
    OneSample,
    /// An agent whose rows are all of one class: it is served best by ignoring the features.
    OneClass,
    /// A feature column with one value in the whole file: it is left out, unless this is allowed.
    Constant,
    /// More encoded columns than rows without an `l2` penalty: the best fit is not unique.
    Wide,
    /// A published set whose files are not those that were published.
    Damaged,
}

impl Check {
    /// All checks, in the order they run.
    pub const ALL: [Self; 5] =
        [Self::OneSample, Self::OneClass, Self::Constant, Self::Wide, Self::Damaged];

    /// The name in `--allow`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OneSample => "one-sample",
            Self::OneClass => "one-class",
            Self::Constant => "constant",
            Self::Wide => "wide",
            Self::Damaged => "damaged",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no check has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no check is called `{name}`; there are {}", listed(&Check::ALL.map(Check::name)))]
pub struct UnknownCheck {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Check {
    type Err = UnknownCheck;

    fn from_str(name: &str) -> Result<Self, UnknownCheck> {
        let found = Self::ALL.into_iter().find(|check| check.name() == name);
        found.ok_or_else(|| UnknownCheck { name: name.to_owned() })
    }
}

/// The checks that are waived; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Checks(BTreeSet<Check>);

impl Checks {
    /// Whether data that fail `check` are accepted.
    #[must_use]
    pub fn allow(&self, check: Check) -> bool {
        self.0.contains(&check)
    }

    /// The waived checks in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Check> {
        self.0.iter().copied()
    }
}

impl FromIterator<Check> for Checks {
    fn from_iter<I: IntoIterator<Item = Check>>(checks: I) -> Self {
        Self(checks.into_iter().collect())
    }
}

/// A check that failed and was not waived.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckError {
    /// See [`Check::OneSample`].
    #[error("`{file}`: {} a single row", have(agents, *of))]
    OneSample {
        /// Name of the file.
        file: String,
        /// Owners of one row each.
        agents: Vec<String>,
        /// How many agents there are.
        of: usize,
    },
    /// See [`Check::OneClass`].
    #[error("`{file}`: {} rows of one class only: {}", have(agents, *of), classes(agents))]
    OneClass {
        /// Name of the file.
        file: String,
        /// Owners, and the class of all their rows.
        agents: Vec<(String, String)>,
        /// How many agents there are.
        of: usize,
    },
    /// See [`Check::Wide`].
    #[error(
        "`{file}`: {columns} encoded columns but only {rows} rows, and no `l2` penalty{}",
        widest_of(widest)
    )]
    Wide {
        /// Name of the file.
        file: String,
        /// Encoded columns, with the intercept.
        columns: usize,
        /// Rows of all agents.
        rows: usize,
        /// Text columns with the number of their levels, the most first.
        widest: Vec<(String, usize)>,
    },
}

impl CheckError {
    /// The check that failed.
    #[must_use]
    pub fn check(&self) -> Check {
        match self {
            Self::OneSample { .. } => Check::OneSample,
            Self::OneClass { .. } => Check::OneClass,
            Self::Wide { .. } => Check::Wide,
        }
    }

    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        let remedy = match self {
            Self::OneSample { .. } => {
                "is the agent column right? merge or remove such agents".to_owned()
            }
            Self::OneClass { .. } => "merge or remove such agents".to_owned(),
            Self::Wide { widest, .. } => match widest.first() {
                Some((column, levels)) if *levels > 2 => {
                    format!(
                        "leave out a column: {}; or add `@l2 1e-3`",
                        setting("column", format!("{column}=ignore"))
                    )
                }
                _ => "drop columns, add `@l2 1e-3`".to_owned(),
            },
        };
        format!("{remedy}, or pass `@allow {}`", self.check())
    }
}

/// Who, with the verb.
fn have<A: Named>(agents: &[A], of: usize) -> String {
    let names: Vec<&str> = agents.iter().map(Named::name).collect();
    match names[..] {
        [only] => format!("agent `{only}` has"),
        _ => format!("{} of {of} agents ({}) have", names.len(), listed(&names)),
    }
}

/// Something with the name of an agent.
trait Named {
    fn name(&self) -> &str;
}

impl Named for String {
    fn name(&self) -> &str {
        self
    }
}

impl Named for (String, String) {
    fn name(&self) -> &str {
        &self.0
    }
}

/// The classes, and how many agents have each.
fn classes(agents: &[(String, String)]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (_, class) in agents {
        match counts.iter_mut().find(|(known, _)| known == class) {
            Some((_, count)) => *count += 1,
            None => counts.push((class, 1)),
        }
    }
    let one = |(class, count): &(&str, usize)| match agents.len() {
        1 => format!("`{class}`"),
        _ => format!("`{class}` ({count})"),
    };
    counts.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn widest_of(widest: &[(String, usize)]) -> String {
    let shown: Vec<String> = widest
        .iter()
        .take(3)
        .filter(|(_, levels)| *levels > 2)
        .map(|(column, levels)| format!("`{}` has {levels} texts", excerpt(column)))
        .collect();
    if shown.is_empty() { String::new() } else { format!("; {}", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_through_text_and_json() {
        for check in Check::ALL {
            assert_eq!(check.to_string().parse(), Ok(check));
            assert_eq!(serde_json::to_string(&check).unwrap(), format!("\"{check}\""));
        }
        let error = "wid".parse::<Check>().unwrap_err().to_string();
        assert_eq!(
            error,
            "no check is called `wid`; there are `one-sample`, `one-class`, `constant`, `wide`, `damaged`"
        );
    }

    #[test]
    fn only_waived_checks_are_allowed() {
        let checks: Checks = [Check::Wide, Check::Constant].into_iter().collect();
        assert!(checks.allow(Check::Wide) && !checks.allow(Check::OneSample));
        assert_eq!(serde_json::to_string(&checks).unwrap(), r#"["constant","wide"]"#);
        assert!(Checks::default().iter().next().is_none());
    }

    #[test]
    fn hints_name_the_waiver() {
        let widest = Vec::new();
        let wide = CheckError::Wide { file: "t.csv".to_owned(), columns: 9, rows: 4, widest };
        assert_eq!(wide.hint(), "drop columns, add `@l2 1e-3`, or pass `@allow wide`");
        assert_eq!(
            wide.to_string(),
            "`t.csv`: 9 encoded columns but only 4 rows, and no `l2` penalty"
        );
    }
}
