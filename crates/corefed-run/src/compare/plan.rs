//! The settings that are tried for a rule.

use corefed_core::{Seed, choose};
use corefed_spec::{Alone, Contender, Spec, Tune, TunedKey};
use serde_json::{Map, Value};

use crate::RunError;

/// A rule with its settings, in the order of its grid.
pub(super) struct Plan<'a> {
    pub(super) contender: &'a Contender,
    /// Keys of the grid that mean something to it.
    pub(super) keys: Vec<String>,
    /// How many settings there would be.
    pub(super) grid: usize,
    /// Those that are tried, at least one.
    pub(super) settings: Vec<Setting>,
}

/// One setting of a rule.
pub(super) struct Setting {
    /// By key; empty where nothing is tuned.
    pub(super) values: Map<String, Value>,
    /// Of its training, but for the seed.
    pub(super) spec: Spec,
}

impl<'a> Plan<'a> {
    /// All of the grid if the budget allows it, else a part that is drawn without looking: rules with the same grid
    /// try the same part.
    pub(super) fn of(
        spec: &Spec,
        tune: Option<&Tune>,
        (contender, first): (&'a Contender, bool),
    ) -> Result<Self, RunError> {
        let own = alone(spec, contender, first && tune.is_none());
        let keys = tune.map_or_else(Vec::new, |tune| tune.keys(contender.rule));
        let grid = keys.iter().map(|key| key.values.len()).product();
        let budget = tune.map_or(1, |tune| tune.budget.get());
        let numbers = drawn(grid, budget, Seed(spec.seed)).into_iter();
        let setting = |number| Setting::numbered(&own, &keys, number, &contender.label);
        let settings = numbers.map(setting).collect::<Result<Vec<Setting>, RunError>>()?;
        let keys = keys.iter().map(|key| key.key.to_owned()).collect();
        Ok(Self { contender, keys, grid, settings })
    }
}

impl Setting {
    /// The setting of a number in the grid; the last key changes fastest.
    fn numbered(
        own: &Spec,
        keys: &[TunedKey<'_>],
        mut number: usize,
        label: &str,
    ) -> Result<Self, RunError> {
        let mut pairs: Vec<(&TunedKey<'_>, &str)> = Vec::new();
        for key in keys.iter().rev() {
            pairs.push((key, &key.values[number % key.values.len()]));
            number /= key.values.len();
        }
        pairs.reverse();
        let paths: Vec<(&str, &str)> =
            pairs.iter().map(|(key, value)| (key.path.as_str(), *value)).collect();
        let values = pairs.iter().map(|(key, value)| (key.key.to_owned(), json(value))).collect();
        let spec = if paths.is_empty() { Ok(own.clone()) } else { own.with_all(&paths) };
        match spec {
            Ok(spec) => Ok(Self { values, spec }),
            Err(mistakes) => {
                let what = format!("{label}, {}", in_words(&values));
                Err(RunError::from(mistakes).at(&what))
            }
        }
    }
}

/// A setting as people write it.
pub(super) fn in_words(setting: &Map<String, Value>) -> String {
    let pairs: Vec<String> =
        setting.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    pairs.join(", ")
}

/// A value of TOML as one of JSON.
fn json(toml: &str) -> Value {
    serde_json::from_str(toml).unwrap_or_else(|_| Value::from(toml))
}

/// Numbers of the settings to try, ascending.
fn drawn(grid: usize, budget: usize, seed: Seed) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..grid).collect();
    if grid > budget {
        choose(&mut numbers, budget, &mut seed.derive("tune").rng());
        numbers.truncate(budget);
        numbers.sort_unstable();
    }
    numbers
}

/// The training of one rule. Own models are about the same for all rules, so the first trains them.
fn alone(spec: &Spec, contender: &Contender, first: bool) -> Spec {
    let mut own = spec.clone();
    own.compare = None;
    own.name = format!("{}-{}", spec.name, contender.label);
    if let Some(train) = &mut own.train {
        contender.enter(train);
        if train.alone == Alone::Auto && !first {
            train.alone = Alone::Off;
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plans(grid: &[(&str, &str)]) -> Vec<(String, usize, Vec<String>)> {
        let mut settings = vec![
            ("validation", "0.2"),
            ("held_out", "0.2"),
            ("compare.rules", "[\"fedavg\", {rule = \"qffl\", schedule = \"cosine\"}]"),
        ];
        settings.extend(grid);
        let spec = Spec::preset("hospitals-rounds").unwrap().with_all(&settings).unwrap();
        let compared = spec.compare.clone().unwrap();
        let plan = |contender: &Contender| {
            let plan = Plan::of(&spec, compared.tune.as_ref(), (contender, false)).unwrap();
            let words = plan.settings.iter().map(|setting| in_words(&setting.values)).collect();
            (plan.keys.join(" "), plan.grid, words)
        };
        compared.rules.iter().map(plan).collect()
    }

    #[test]
    fn knobs_are_for_rules_that_have_them_and_the_last_key_changes_fastest() {
        let found = plans(&[
            ("compare.tune.grid.q", "[0.5, 2]"),
            ("compare.tune.grid.\"train.rounds\"", "[3, 5]"),
        ]);
        let rounds = ["train.rounds = 3", "train.rounds = 5"].map(str::to_owned);
        assert_eq!(found[0], ("train.rounds".to_owned(), 2, rounds.to_vec()));
        let both = [
            "0.5, train.rounds = 3",
            "0.5, train.rounds = 5",
            "2, train.rounds = 3",
            "2, train.rounds = 5",
        ];
        let both = both.map(|rest| format!("q = {rest}"));
        assert_eq!(found[1], ("q train.rounds".to_owned(), 4, both.to_vec()));
    }

    #[test]
    fn a_setting_is_stronger_than_what_the_rule_says_for_itself() {
        let spec = Spec::preset("hospitals-rounds").unwrap();
        let settings = [
            ("validation", "0.2"),
            ("held_out", "0.2"),
            ("compare.rules", "[{rule = \"qffl\", schedule = \"cosine\"}]"),
            ("compare.tune.grid.\"train.local.schedule\"", "[\"constant\"]"),
        ];
        let spec = spec.with_all(&settings).unwrap();
        let compared = spec.compare.clone().unwrap();
        let plan = Plan::of(&spec, compared.tune.as_ref(), (&compared.rules[0], true)).unwrap();
        let train = plan.settings[0].spec.train.as_ref().unwrap();
        assert_eq!(train.local.schedule, corefed_spec::Schedule::Constant);
    }

    #[test]
    fn a_budget_draws_without_repetition_and_always_the_same() {
        assert_eq!(drawn(4, 4, Seed(1)), [0, 1, 2, 3]);
        let five = drawn(1000, 5, Seed(1));
        assert!(five.windows(2).all(|pair| pair[0] < pair[1]) && five[4] < 1000, "{five:?}");
        assert_eq!(five.len(), 5);
        assert_eq!(five, drawn(1000, 5, Seed(1)));
        assert_ne!(five, drawn(1000, 5, Seed(2)));
    }
}
