//! From a table of text to a federation of numbers.
//!
//! [`fit`] learns an encoding from a table and encodes the table with it; [`apply`] encodes a
//! table with an encoding that is already there. Numeric columns are standardised, text columns
//! become one indicator per level, and the intercept is a last indicator that is always on.

mod agents;
mod apply;
mod columns;
mod exposure;
mod features;
mod file;
mod layout;
mod moments;
mod reading;
mod schema;
mod tally;
mod target;

use corefed_core::{Encoding, Family};

pub use apply::{apply, apply_features};
pub use exposure::apply_exposure;
pub use file::{AppliedFile, FitFile, apply_file, fit_file};
pub use reading::LARGEST;
pub use schema::{ColumnType, UnknownChoice};

use self::agents::Owners;
use self::schema::Schema;
use crate::check::{Check, CheckError, Checks};
use crate::error::{CellError, DataError, EncodingError, FitError};
use crate::missing::Missing;
use crate::names::excerpt;
use crate::{Agent, Federation, Table};

/// What the columns of a table mean, and how to encode them.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodeOptions {
    /// Column that names the owner of each row.
    pub agent_column: String,
    /// Column to predict.
    pub target_column: String,
    /// Column of exposures, for families that take them.
    pub exposure_column: Option<String>,
    /// Decides whether the target is a number or a class.
    pub family: Family,
    /// Whether to append a column of ones.
    pub intercept: bool,
    /// Take numbers as they are: no standardisation, no text, labels `0..K`.
    pub raw: bool,
    /// Weight of the penalty, ≥ 0; only [`Check::Wide`] looks at it.
    pub l2: f64,
    /// Checks that are waived.
    pub allow: Checks,
    /// What an empty cell, or `?`, means in a feature.
    pub missing: Missing,
    /// Types of columns by name, where their cells should not decide; each column once.
    pub types: Vec<(String, ColumnType)>,
}

impl EncodeOptions {
    /// Standardised numbers, one column per level of text, an intercept, and every check.
    #[must_use]
    pub fn new(agent_column: &str, target_column: &str, family: Family) -> Self {
        Self {
            agent_column: agent_column.to_owned(),
            target_column: target_column.to_owned(),
            exposure_column: None,
            family,
            intercept: true,
            raw: false,
            l2: 0.0,
            allow: Checks::default(),
            missing: Missing::default(),
            types: Vec::new(),
        }
    }

    /// Whether data that fail `check` are accepted.
    ///
    /// Raw data come from programs that build exact instances, often one sample per agent and
    /// a column of ones of their own, and no scale is computed that a constant column could
    /// make zero. So raw mode waives these two checks by itself.
    fn allows(&self, check: Check) -> bool {
        let implied = matches!(check, Check::OneSample | Check::Constant);
        self.allow.allow(check) || (self.raw && implied)
    }
}

/// A table encoded, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// Everything needed to encode further rows the same way.
    pub encoding: Encoding,
    /// The encoded rows.
    pub federation: Federation,
}

/// Learns an encoding from a table and encodes the table with it.
///
/// Features are the numeric columns in file order, then the text columns in file order with
/// their levels sorted by bytes, then the intercept. Agents are in order of first appearance
/// and keep the order of their rows.
pub fn fit(table: &Table, options: &EncodeOptions) -> Result<Encoded, DataError> {
    let schema = Schema::of(table, options)?;
    let owners = Owners::of(table, schema.agent)?;
    several(table.file(), &owners.agents, options)?;
    let encoding = Encoding {
        agent_column: options.agent_column.clone(),
        target_column: options.target_column.clone(),
        exposure_column: options.exposure_column.clone(),
        classes: target::learn(table, schema.target, options)?,
        features: features::learn(table, &schema, &owners, options)?,
    };
    let federation = apply::encode(table, owners, &encoding, options.family)?;
    check(table.file(), options, &encoding, &federation)?;
    Ok(Encoded { encoding, federation })
}

/// A federation of one has no coalitions.
fn several(file: &str, agents: &[Agent], options: &EncodeOptions) -> Result<(), FitError> {
    let [only] = agents else { return Ok(()) };
    let (column, agent) = (options.agent_column.clone(), excerpt(&only.name));
    Err(FitError::OneAgent { file: file.to_owned(), column, agent })
}

/// The checks that need the encoded rows; constant columns are seen while they are learnt.
fn check(
    file: &str,
    options: &EncodeOptions,
    encoding: &Encoding,
    federation: &Federation,
) -> Result<(), CheckError> {
    let file = || file.to_owned();
    for agent in federation.agents() {
        let name = || excerpt(&agent.name);
        if agent.samples() == 1 {
            // A single row has a single class: one waiver is enough for it.
            if options.allows(Check::OneSample) {
                continue;
            }
            return Err(CheckError::OneSample { file: file(), agent: name() });
        }
        let labels = &federation.target()[agent.rows.clone()];
        let same = labels.windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_eq());
        if options.family.targets().is_class() && same && !options.allows(Check::OneClass) {
            let class = target::class_of(labels[0], &encoding.classes);
            let rows = agent.samples();
            return Err(CheckError::OneClass { file: file(), agent: name(), rows, class });
        }
    }
    let (columns, rows) = (federation.design().dim(), federation.design().rows());
    if columns > rows && options.l2 <= 0.0 && !options.allows(Check::Wide) {
        return Err(CheckError::Wide { file: file(), columns, rows });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
