//! What is said about a predictor whose file says it, too.

use std::path::Path;

use corefed_core::{Family, Feature, Predictor};

use crate::{GivenError, RunError};

/// What somebody says about a stored predictor; nothing where the file decides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claims<'a> {
    /// Column of owners.
    pub agent: Option<&'a str>,
    /// Column of targets.
    pub target: Option<&'a str>,
    /// Which model it is.
    pub model: Option<Family>,
    /// The ridge it was fitted with.
    pub l2: Option<f64>,
    /// It has no intercept.
    pub no_intercept: bool,
    /// It takes numbers as they are.
    pub raw: bool,
    /// Column of exposures.
    pub exposure: Option<&'a str>,
    /// The class that it speaks for.
    pub positive: Option<&'a str>,
    /// A flag that says how cells become numbers, which no file leaves open.
    pub cells: Option<&'a str>,
}

impl Claims<'_> {
    /// Refuses the first claim that is not what the file at `path` says.
    pub fn check(&self, path: &Path, stored: &Predictor) -> Result<(), RunError> {
        match self.contradiction(stored) {
            None => Ok(()),
            Some((claim, holds)) => {
                Err(GivenError::Contradicted { path: path.to_owned(), claim, holds }.into())
            }
        }
    }

    /// What is claimed, and what the file holds instead.
    fn contradiction(&self, stored: &Predictor) -> Option<(String, String)> {
        let Predictor { family, l2, encoding, .. } = stored;
        let features = &encoding.features;
        let is = |flag: &str, asked: &dyn std::fmt::Display| format!("`{flag}` is `{asked}`");
        for (flag, asked, own) in [
            ("@agent", self.agent, &encoding.agent_column),
            ("@target", self.target, &encoding.target_column),
        ] {
            let used = |asked: &&str| features.iter().any(|f| column(f) == Some(*asked));
            if let Some(asked) = asked.filter(used) {
                let holds = format!("has `{own}` there and predicts from `{asked}`");
                return Some((is(flag, &asked), holds));
            }
        }
        if let Some(model) = self.model.filter(|model| model != family) {
            return Some((is("@model", &model), format!("holds a {family} predictor")));
        }
        if let Some(asked) = self.l2.filter(|asked| asked != l2) {
            return Some((is("@l2", &asked), format!("was fitted with `{l2}`")));
        }
        let given = |flag: &str| format!("`{flag}` is given");
        if self.no_intercept && features.iter().any(|f| matches!(f, Feature::Intercept)) {
            return Some((given("@no-intercept"), "has an intercept".to_owned()));
        }
        if self.raw && !features.iter().all(plain) {
            return Some((given("@raw"), "has standardised or text columns".to_owned()));
        }
        let own = encoding.exposure_column.as_deref();
        if let Some(asked) = self.exposure.filter(|asked| Some(*asked) != own) {
            let own = own.map_or("none".to_owned(), |own| format!("`{own}`"));
            return Some((is("@exposure", &asked), format!("has {own} for its exposure")));
        }
        if let (Some(asked), [_, second]) = (self.positive, encoding.classes.as_slice())
            && asked != second
        {
            return Some((is("@positive", &asked), format!("speaks for the class `{second}`")));
        }
        self.cells.map(|flag| (given(flag), "says itself how cells become numbers".to_owned()))
    }
}

/// Whether a feature is a number as it is.
fn plain(feature: &Feature) -> bool {
    match feature {
        Feature::Numeric { mean, scale, .. } => *mean == 0.0 && *scale == 1.0,
        Feature::Intercept => true,
        Feature::Level { .. } => false,
    }
}

/// The raw column of a feature.
fn column(feature: &Feature) -> Option<&str> {
    match feature {
        Feature::Numeric { column, .. } | Feature::Level { column, .. } => Some(column),
        Feature::Intercept => None,
    }
}
