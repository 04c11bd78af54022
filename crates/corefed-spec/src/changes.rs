//! What differs between two specs, key by key.

use std::collections::BTreeMap;
use std::fmt;

use crate::Spec;
use crate::write::document;

/// A key with its value in one spec and in another, as TOML; absent where a spec has no such key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its dotted path.
    pub key: String,
    /// What it was.
    pub then: Option<String>,
    /// What it is.
    pub now: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
        write!(f, "`{}` was {} and is {}", self.key, told(&self.then), told(&self.now))
    }
}

impl Spec {
    /// Keys whose values differ in another spec, in the order of their names. Comments, and values that are as they
    /// would be anyway, make no difference.
    #[must_use]
    pub fn changes(&self, now: &Spec) -> Vec<Change> {
        let (then, now) = (document(self), document(now));
        let mut values: BTreeMap<String, [Option<&str>; 2]> = BTreeMap::new();
        for (side, own) in [&then, &now].into_iter().enumerate() {
            for (key, value) in own.entries() {
                values.entry(key).or_default()[side] = Some(value);
            }
        }
        let differs = |(key, [then, now]): (String, [Option<&str>; 2])| {
            let [then, now] = [then, now].map(|value| value.map(str::to_owned));
            (then != now).then_some(Change { key, then, now })
        };
        values.into_iter().filter_map(differs).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_keys_are_named_with_both_values_and_nothing_else_is() {
        let then = Spec::preset("hospitals-rounds").unwrap();
        assert_eq!(then.changes(&then), []);
        let now = then.with_all(&[("train.rounds", "7"), ("seed", "99")]).unwrap();
        let told: Vec<String> = then.changes(&now).iter().map(ToString::to_string).collect();
        let rounds = then.train.as_ref().unwrap().rounds;
        let seed = then.seed;
        let expected = [
            format!("`seed` was {seed} and is 99"),
            format!("`train.rounds` was {rounds} and is 7"),
        ];
        assert_eq!(told, expected);
        let commented = format!("# a comment\n{}", then.to_toml());
        assert_eq!(then.changes(&Spec::parse("spec.toml", &commented).unwrap()), []);
    }
}
