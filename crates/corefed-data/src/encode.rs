//! From a table of text to a federation of numbers.
//!
//! [`fit`] learns an encoding from a table and encodes the table with it; [`apply`] encodes a
//! table with an encoding that is already there. Numeric columns are standardised, text columns
//! become one indicator per level, and the intercept is a last indicator that is always on.

mod agents;
mod apply;
mod cell_error;
mod columns;
mod encoding_error;
mod features;
mod fit_error;
mod layout;
mod moments;
mod target;

use corefed_core::{Encoding, Family};

pub use apply::{apply, apply_features};
pub use cell_error::CellError;
pub use columns::LARGEST;
pub use encoding_error::EncodingError;
pub use fit_error::FitError;

use self::agents::Owners;
use crate::check::{Check, CheckError, Checks};
use crate::error::DataError;
use crate::names::excerpt;
use crate::{Federation, Table};

/// What the columns of a table mean, and how to encode them.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodeOptions {
    /// Column that names the owner of each row.
    pub agent_column: String,
    /// Column to predict.
    pub target_column: String,
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
}

impl EncodeOptions {
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
    let agent = table.column(&options.agent_column)?;
    let target = table.column(&options.target_column)?;
    let file = || table.file().to_owned();
    if agent == target {
        let column = options.agent_column.clone();
        return Err(FitError::AgentIsTarget { file: file(), column }.into());
    }
    let owners = Owners::of(table, agent)?;
    if let [only] = &owners.agents[..] {
        let (column, agent) = (options.agent_column.clone(), excerpt(&only.name));
        return Err(FitError::OneAgent { file: file(), column, agent }.into());
    }
    let encoding = Encoding {
        agent_column: options.agent_column.clone(),
        target_column: options.target_column.clone(),
        classes: target::learn(table, target, options)?,
        features: features::learn(table, &owners, options)?,
    };
    let federation = apply::encode(table, owners, &encoding, options.family)?;
    check(table, options, &encoding, &federation)?;
    Ok(Encoded { encoding, federation })
}

/// The checks that need the encoded rows; constant columns are seen while they are learnt.
fn check(
    table: &Table,
    options: &EncodeOptions,
    encoding: &Encoding,
    federation: &Federation,
) -> Result<(), CheckError> {
    let file = || table.file().to_owned();
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
        if options.family != Family::Linear && same && !options.allows(Check::OneClass) {
            let class = target::class_of(labels[0], &encoding.classes);
            let rows = agent.samples();
            return Err(CheckError::OneClass { file: file(), agent: name(), rows, class });
        }
    }
    let (columns, rows) = (federation.design().dim(), table.rows());
    if columns > rows && options.l2 <= 0.0 && !options.allows(Check::Wide) {
        return Err(CheckError::Wide { file: file(), columns, rows });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
