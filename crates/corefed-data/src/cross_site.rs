//! FLARE's cross-site evaluation: what every site measured with every model.
//!
//! `cross_val_results.json` is `{site: {model: {metric: number}}}`. Models of the server begin with
//! `SRV_`; the others are called as the sites that submitted them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read;
use std::path::Path;

use corefed_core::shown;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

use crate::error::{CrossSiteError, Measurement};
use crate::names::excerpt;

/// Most bytes of such a file: a thousand sites with a thousand models have fewer.
const MOST: u64 = 1 << 28;

/// Most characters of what JSON says is wrong.
const SHOWN: usize = 200;

/// Parts of names of metrics of which less is better, and of which more is.
const SMALLER: [&str; 9] =
    ["loss", "error", "mse", "mae", "nll", "perplexity", "deviance", "brier", "cost"];
const LARGER: [&str; 10] = [
    "acc",
    "auc",
    "auroc",
    "f1",
    "dice",
    "precision",
    "recall",
    "sensitivity",
    "specificity",
    "iou",
];

/// Metrics by site, model and name.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossSite {
    file: String,
    results: BTreeMap<String, BTreeMap<String, BTreeMap<String, Value>>>,
    models: BTreeSet<String>,
}

impl CrossSite {
    /// Whether a file is meant: tables of utilities are CSV.
    #[must_use]
    pub fn is_meant(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, CrossSiteError> {
        let file = path.display().to_string();
        let unreadable = |error: std::io::Error| CrossSiteError::Unreadable {
            file: file.clone(),
            reason: error.to_string(),
        };
        let mut bytes = Vec::new();
        let opened = std::fs::File::open(path).map_err(unreadable)?;
        opened.take(MOST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MOST {
            return Err(CrossSiteError::TooLarge { file, most: MOST });
        }
        Self::parse(&file, &bytes)
    }

    /// Parses JSON; `file` names the source in errors.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, CrossSiteError> {
        let parsed: Unique<Unique<Unique<Value>>> = serde_json::from_slice(bytes).map_err(|e| {
            // It may quote what the file says, which may be long and may not be printable.
            let reason: String = e.to_string().chars().take(SHOWN).collect();
            CrossSiteError::NotTable { file: file.to_owned(), reason: shown(&reason).into_owned() }
        })?;
        let inner = |models: Unique<Unique<Value>>| {
            models.0.into_iter().map(|(model, metrics)| (model, metrics.0)).collect()
        };
        let results: BTreeMap<String, BTreeMap<String, BTreeMap<String, Value>>> =
            parsed.0.into_iter().map(|(site, models)| (site, inner(models))).collect();
        if results.len() < 2 {
            let file = file.to_owned();
            return Err(CrossSiteError::FewSites { file, found: results.len() });
        }
        let models = results.values().flat_map(BTreeMap::keys).cloned().collect();
        Ok(Self { file: file.to_owned(), results, models })
    }

    /// The sites that evaluated models, in the order of their names.
    #[must_use]
    pub fn sites(&self) -> Vec<String> {
        self.results.keys().cloned().collect()
    }

    /// The models, in the order of their names.
    #[must_use]
    pub fn models(&self) -> Vec<String> {
        self.models.iter().cloned().collect()
    }

    /// The metric that is meant: the one that was named, or the only one that is everywhere.
    ///
    /// `ceilings` say that it is a loss. Without them it has to be called like something of which more
    /// is better, or to have been named.
    pub fn metric(&self, named: Option<&str>, ceilings: bool) -> Result<String, CrossSiteError> {
        let file = || self.file.clone();
        let metric = match named {
            Some(metric) => metric.to_owned(),
            None => match self.everywhere().as_slice() {
                [] => return Err(CrossSiteError::NoMetric { file: file() }),
                [metric] => metric.clone(),
                several => {
                    let metrics = several.to_vec();
                    return Err(CrossSiteError::SeveralMetrics { file: file(), metrics });
                }
            },
        };
        let shown = || excerpt(&metric);
        match (prefers_larger(&metric), ceilings) {
            (Some(false), false) => {
                Err(CrossSiteError::NoCeiling { file: file(), metric: shown() })
            }
            (None, false) if named.is_none() => {
                Err(CrossSiteError::NoDirection { file: file(), metric: shown() })
            }
            (Some(true), true) => Err(CrossSiteError::NoLoss { file: file(), metric: shown() }),
            _ => Ok(metric),
        }
    }

    /// The numbers of a metric by model and site, which are all there.
    pub fn numbers(&self, metric: &str, losses: bool) -> Result<Vec<Vec<f64>>, CrossSiteError> {
        let number =
            |model: &String, (site, models): (&String, &BTreeMap<_, BTreeMap<_, Value>>)| {
                let found = models.get(model).and_then(|metrics| metrics.get(metric));
                let (file, site) = (self.file.clone(), excerpt(site));
                let (model, metric) = (excerpt(model), excerpt(metric));
                let cell = Box::new(Measurement { site, model, metric });
                let Some(found) = found else {
                    return Err(CrossSiteError::Missing { file, cell });
                };
                match found.as_f64() {
                    Some(value) if value.is_finite() && !(losses && value < 0.0) => Ok(value),
                    _ => {
                        let found = excerpt(&found.to_string());
                        Err(CrossSiteError::NotNumber { file, cell, found })
                    }
                }
            };
        let row = |model| self.results.iter().map(|site| number(model, site)).collect();
        self.models.iter().map(row).collect()
    }

    /// Metrics that every site measured with every model.
    fn everywhere(&self) -> Vec<String> {
        let has = |metric: &&String| {
            self.results.values().all(|models| {
                let one = |model| models.get(model).is_some_and(|all| all.contains_key(*metric));
                self.models.iter().all(one)
            })
        };
        let first = self.results.values().flat_map(BTreeMap::values).next();
        first.into_iter().flat_map(BTreeMap::keys).filter(has).cloned().collect()
    }
}

/// Whether more of a metric is better, as far as its name tells. A heuristic: names mean what people mean.
fn prefers_larger(metric: &str) -> Option<bool> {
    let name = metric.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    match (has(&LARGER), has(&SMALLER)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// An object whose keys are all different: of two equal ones, most readers would drop the first.
struct Unique<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Unique<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Keys<T> {
            type Value = Unique<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of results by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    let value = map.next_value()?;
                    if found.insert(key.clone(), value).is_some() {
                        return Err(A::Error::custom(format!(
                            "`{}` is there twice",
                            excerpt(&key)
                        )));
                    }
                }
                Ok(Unique(found))
            }
        }
        deserializer.deserialize_map(Keys(std::marker::PhantomData))
    }
}

#[cfg(test)]
#[path = "cross_site/tests.rs"]
mod tests;
