//! Errors of a cross-site evaluation.

use corefed_core::setting;
use thiserror::Error;

use crate::names::listed;

/// One number of a cross-site evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// Who measured.
    pub site: String,
    /// Which model.
    pub model: String,
    /// What.
    pub metric: String,
}

/// Why a file is not a cross-site evaluation, or cannot be made a table of utilities.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrossSiteError {
    /// More bytes than any evaluation has.
    #[error("`{file}` has more than {most} bytes")]
    TooLarge {
        /// Name of the file.
        file: String,
        /// The limit.
        most: u64,
    },
    /// The file cannot be read.
    #[error("cannot read `{file}`: {reason}")]
    Unreadable {
        /// Name of the file.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// Not JSON, or not objects of objects of objects.
    #[error("`{file}` is not a cross-site evaluation: {reason}")]
    NotTable {
        /// Name of the file.
        file: String,
        /// What is wrong, and where.
        reason: String,
    },
    /// Nobody to form a coalition with.
    #[error("`{file}` has results of {found} site{} but needs two or more", if *found == 1 { "" } else { "s" })]
    FewSites {
        /// Name of the file.
        file: String,
        /// Sites that evaluated models.
        found: usize,
    },
    /// Several metrics, and none is named.
    #[error("`{file}` has the metrics {}", listed(metrics))]
    SeveralMetrics {
        /// Name of the file.
        file: String,
        /// Those that every site measured with every model.
        metrics: Vec<String>,
    },
    /// No metric is everywhere.
    #[error("`{file}` has no metric that every site measured with every model")]
    NoMetric {
        /// Name of the file.
        file: String,
    },
    /// A site did not measure a model.
    #[error("`{file}`: site `{}` has no `{}` of model `{}`", cell.site, cell.metric, cell.model)]
    Missing {
        /// Name of the file.
        file: String,
        /// Which number.
        cell: Box<Measurement>,
    },
    /// A metric that is not a number.
    #[error("`{file}`: `{}` of model `{}` at site `{}` is {found}", cell.metric, cell.model, cell.site)]
    NotNumber {
        /// Name of the file.
        file: String,
        /// Which number.
        cell: Box<Measurement>,
        /// What is there.
        found: String,
    },
    /// A loss without a ceiling.
    #[error(
        "`{metric}` of `{file}` is a loss by its name, and a utility is a ceiling minus a loss"
    )]
    NoCeiling {
        /// Name of the file.
        file: String,
        /// The metric.
        metric: String,
    },
    /// A metric whose name does not say whether more of it is better.
    #[error("the name of `{metric}` in `{file}` does not say whether more of it is better")]
    NoDirection {
        /// Name of the file.
        file: String,
        /// The metric.
        metric: String,
    },
    /// A gain with a ceiling.
    #[error("`{metric}` of `{file}` is better when it is larger, by its name, and no loss")]
    NoLoss {
        /// Name of the file.
        file: String,
        /// The metric.
        metric: String,
    },
}

impl CrossSiteError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::TooLarge { .. } | Self::Unreadable { .. } => return None,
            Self::NotTable { .. } => {
                "expected FLARE's cross_val_results.json: {\"site-1\": {\"SRV_server\": {\"loss\": 0.5}, ...}, ...}"
            }
            Self::FewSites { .. } => "FLARE's cross-site evaluation needs two sites or more",
            Self::SeveralMetrics { .. } => "name one with `@metric METRIC`",
            Self::NoMetric { .. } | Self::Missing { .. } => {
                "evaluate again with all sites, or take out the model or the site that is not complete"
            }
            Self::NotNumber { .. } => "every metric is a finite number, and no loss is negative",
            Self::NoCeiling { .. } => {
                "give the loss at which a site gets nothing: `@ceilings NUMBER` or a file"
            }
            Self::NoDirection { metric, .. } => {
                let asked = setting("metric", metric);
                return Some(format!(
                    "a ceiling says that it is a loss; {asked} that more of it is better"
                ));
            }
            Self::NoLoss { .. } => "drop the ceiling, or name a loss: `@metric METRIC`",
        };
        Some(hint.to_owned())
    }
}
