//! What `corefed run` runs: a preset or a TOML file, resolved and written back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use corefed_core::Family;
use corefed_data::{Check, ColumnType, Missing};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::policy::{CeilingArg, WeightsArg};

/// A federation and the terms of its audit. Every field has a default but the data's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    /// `hospitals`, or a CSV file, relative to the spec.
    pub(crate) data: String,
    /// Seed of a generated federation; ignored for a file.
    #[serde(default = "default_seed")]
    pub(crate) seed: u64,
    /// Column that names the owner of a row.
    pub(crate) agent: String,
    /// Column to predict.
    pub(crate) target: String,
    /// `linear`, `logistic` or `softmax`.
    pub(crate) model: Family,
    /// As `corefed solve --ceiling`.
    #[serde(default = "default_ceiling", with = "as_text")]
    pub(crate) ceiling: CeilingArg,
    /// Radius of the ball of parameters, > 0.
    #[serde(default = "default_radius")]
    pub(crate) radius: f64,
    /// As `corefed solve --weights`: the say of each agent.
    #[serde(default = "default_weights", with = "as_text")]
    pub(crate) weights: WeightsArg,
    /// Weights of the utilitarian rule; FedAvg counts samples.
    #[serde(default = "default_average", with = "as_text")]
    pub(crate) average: WeightsArg,
    /// Ridge in every agent's loss, >= 0.
    #[serde(default)]
    pub(crate) l2: f64,
    /// Whether to fit an intercept.
    #[serde(default = "yes")]
    pub(crate) intercept: bool,
    /// Take numbers as they are.
    #[serde(default)]
    pub(crate) raw: bool,
    /// Checks on the data to waive.
    #[serde(default)]
    pub(crate) allow: Vec<Check>,
    /// As `corefed solve --missing`.
    #[serde(default)]
    pub(crate) missing: Missing,
    /// Slack of the verdict.
    #[serde(default = "default_epsilon")]
    pub(crate) epsilon: f64,
    /// Seconds each audit may search.
    #[serde(default = "default_time_limit")]
    pub(crate) time_limit: f64,
    /// As `corefed solve --column`: `number`, `text` or `ignore` by name. TOML wants tables last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) columns: BTreeMap<String, ColumnType>,
}

/// The name under which generated hospitals are known.
pub(crate) const HOSPITALS: &str = "hospitals";

fn default_seed() -> u64 {
    8
}

fn default_ceiling() -> CeilingArg {
    crate::policy::DEFAULT_CEILING
}

fn default_radius() -> f64 {
    crate::policy::DEFAULT_RADIUS
}

fn default_weights() -> WeightsArg {
    WeightsArg::Equal
}

fn default_average() -> WeightsArg {
    WeightsArg::Samples
}

fn default_epsilon() -> f64 {
    1e-6
}

fn default_time_limit() -> f64 {
    60.0
}

fn yes() -> bool {
    true
}

/// Policies are written in specs as on the command line; a bare number is a ceiling too.
mod as_text {
    use super::{Deserialize, FromStr, Serialize};
    use serde::{Deserializer, Serializer, de::Error};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Repr {
        Number(f64),
        Text(String),
    }

    pub(super) fn serialize<T: ToString, S: Serializer>(v: &T, s: S) -> Result<S::Ok, S::Error> {
        v.to_string().serialize(s)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err = String>,
        D: Deserializer<'de>,
    {
        let text = match Repr::deserialize(deserializer)? {
            Repr::Number(number) => number.to_string(),
            Repr::Text(text) => text,
        };
        text.parse().map_err(D::Error::custom)
    }
}

impl Spec {
    /// The embedded federation, at a ceiling where the three rules part ways.
    pub(crate) fn hospitals() -> Self {
        Self {
            data: HOSPITALS.to_owned(),
            seed: default_seed(),
            agent: "hospital".to_owned(),
            target: "disease".to_owned(),
            model: Family::Logistic,
            ceiling: CeilingArg::Fixed(1.0),
            radius: default_radius(),
            weights: default_weights(),
            average: default_average(),
            l2: 0.0,
            intercept: true,
            raw: false,
            allow: Vec::new(),
            missing: Missing::default(),
            epsilon: default_epsilon(),
            time_limit: default_time_limit(),
            columns: BTreeMap::new(),
        }
    }

    /// A preset by name, or a spec file; with the name for the run folder.
    pub(crate) fn find(what: &str) -> Result<(Self, String), Failure> {
        if what == HOSPITALS {
            return Ok((Self::hospitals(), what.to_owned()));
        }
        let path = Path::new(what);
        if path.extension().is_none_or(|extension| extension != "toml") {
            return Err(Failure::new(format!("`{what}` is neither a preset nor a .toml file"))
                .hint(format!("the preset is `{HOSPITALS}`; for a CSV file see `corefed solve`")));
        }
        let text = std::fs::read_to_string(path).map_err(|e| Failure::file("read", path, &e))?;
        let mut spec: Self = toml::from_str(&text)
            .map_err(|error| Failure::new(format!("`{what}`: {}", error.to_string().trim_end())))?;
        spec.resolve_paths(path.parent().unwrap_or(Path::new("")));
        let name = path.file_stem().map_or("run".into(), |stem| stem.to_string_lossy());
        Ok((spec, name.into_owned()))
    }

    /// Files named in a spec are relative to it.
    fn resolve_paths(&mut self, folder: &Path) {
        let join = |path: &mut PathBuf| *path = folder.join(&*path);
        if self.data != HOSPITALS {
            self.data = folder.join(&self.data).to_string_lossy().into_owned();
        }
        if let CeilingArg::File(path) = &mut self.ceiling {
            join(path);
        }
        for weights in [&mut self.weights, &mut self.average] {
            if let WeightsArg::File(path) = weights {
                join(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolved_spec_reads_back_as_itself() {
        let spec = Spec::hospitals();
        let text = toml::to_string(&spec).unwrap();
        assert_eq!(toml::from_str::<Spec>(&text).unwrap(), spec);
    }

    #[test]
    fn defaults_fill_a_minimal_spec_and_unknown_keys_are_refused() {
        let minimal = "data = 'a.csv'\nagent = 'bank'\ntarget = 'y'\nmodel = 'linear'\n";
        let spec: Spec = toml::from_str(minimal).unwrap();
        assert_eq!((spec.radius, spec.ceiling), (10.0, CeilingArg::Initial(1.5)));
        let numeric: Spec = toml::from_str(&format!("{minimal}ceiling = 1.2\n")).unwrap();
        assert_eq!(numeric.ceiling, CeilingArg::Fixed(1.2));
        let typed: Spec =
            toml::from_str(&format!("{minimal}missing = 'mean'\n[columns]\nzip = 'text'\n"))
                .unwrap();
        assert_eq!((typed.missing, typed.columns["zip"]), (Missing::Mean, ColumnType::Text));
        assert_eq!(toml::from_str::<Spec>(&toml::to_string(&typed).unwrap()).unwrap(), typed);
        assert!(toml::from_str::<Spec>(&format!("{minimal}cieling = 1.2\n")).is_err());
    }
}
