//! From a table of text to a federation of numbers.
//!
//! [`fit`] learns an encoding from a table and encodes the table with it; [`apply`] encodes a
//! table with an encoding that is already there. Numeric columns are standardised, text columns
//! become one indicator per level, and the intercept is a last indicator that is always on.

mod agents;
mod apply;
mod columns;
mod decimal_cell;
mod exposure;
mod features;
mod file;
mod intake;
mod layout;
mod moments;
mod own;
mod schema;
mod summary;
mod tally;
mod target;
mod target_scale;

use corefed_core::{Encoding, Family, Feature, UsedRows, Writing};

pub use apply::{apply, apply_features};
pub use exposure::apply_exposure;
pub use file::{
    AppliedFile, FitFile, apply_file, check_writing, fit_file, read_table, read_table_as,
};
pub use moments::ColumnMoments;
pub use own::{apply_own, own_table};
pub use summary::{AgreeError, ColumnSummary, TableSummary, agree, summarise};

use self::agents::Owners;
use self::schema::Schema;
use crate::check::{Check, CheckError, Checks};
use crate::column_type::ColumnType;
use crate::error::{CellError, DataError, EncodingError, FitError};
use crate::missing::Missing;
use crate::names::excerpt;
use crate::note::Note;
use crate::odd::odd_numbers;
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
    /// How the file is written, where that is told.
    pub written: Writing,
    /// What a missing cell means.
    pub missing: Missing,
    /// Words that stand for a missing cell, beside the usual ones; numbers match however they are written.
    pub na: Vec<String>,
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
            written: Writing::default(),
            missing: Missing::default(),
            na: Vec::new(),
            types: Vec::new(),
        }
    }

    /// Whether cells are taken as they are, so that a file need not be held as text.
    fn takes_cells(&self) -> bool {
        let date = |kind: &ColumnType| matches!(kind, ColumnType::Date | ColumnType::Parts);
        self.written.is_recognised()
            && self.na.is_empty()
            && !self.types.iter().any(|(_, kind)| date(kind))
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
    /// What was decided on the way, to be said once.
    pub notes: Vec<Note>,
}

/// Learns an encoding from a table and encodes the table with it.
///
/// Features are the numeric columns in file order, then the text columns in file order with
/// their levels sorted by bytes, then the intercept. Agents are in order of first appearance
/// and keep the order of their rows.
pub fn fit(given: &Table, asked: &EncodeOptions) -> Result<Encoded, DataError> {
    let intake::Taken { table, options, intake, mut notes } = intake::take(given, asked)?;
    let schema = Schema::of(&table, &options)?;
    let owners = Owners::of(&table, schema.agent)?;
    several(table.file(), &owners.agents, &options)?;
    let classes = target::learn(&table, schema.target, &options)?;
    let (features, found) = features::learn(&table, &schema, &owners, &options)?;
    let constant = found.iter().find_map(|note| match note {
        // The parts of a date have holes where the date has.
        Note::Constant { column, .. } => Some(column).filter(|name| given.columns().contains(name)),
        _ => None,
    });
    if let (UsedRows::Complete, Some(column)) = (intake.rows, constant) {
        // Rows need not be complete in a column that is not used.
        let mut without = asked.clone();
        without.types.retain(|(name, _)| name != column);
        without.types.push((column.clone(), ColumnType::Ignore));
        let mut encoded = fit(given, &without)?;
        encoded.notes.extend(found.iter().filter(|note| note.is_about(column)).cloned());
        return Ok(encoded);
    }
    notes.extend(found);
    let mut encoding = Encoding {
        agent_column: options.agent_column.clone(),
        target_column: options.target_column.clone(),
        exposure_column: options.exposure_column.clone(),
        classes,
        target_scale: None,
        intake,
        features,
    };
    let federation = apply::encode(&table, owners, &encoding, options.family)?;
    finish(table.file(), &options, &mut encoding, federation, notes)
}

/// Standardises the target and runs the checks that need encoded rows.
fn finish(
    file: &str,
    options: &EncodeOptions,
    encoding: &mut Encoding,
    federation: Federation,
    mut notes: Vec<Note>,
) -> Result<Encoded, DataError> {
    encoding.target_scale = target_scale::scale(&federation, options);
    let federation = target_scale::standardised(federation, encoding)?;
    check(file, options, encoding, &federation)?;
    if !options.raw {
        notes.extend(odd_numbers(encoding, &federation));
    }
    Ok(Encoded { encoding: encoding.clone(), federation, notes })
}

/// Text columns with the number of their levels, the most first.
#[must_use]
pub fn widest_columns(features: &[Feature]) -> Vec<(String, usize)> {
    let mut columns: Vec<(String, usize)> = Vec::new();
    for feature in features {
        if let Feature::Level { column, .. } = feature {
            match columns.last_mut() {
                Some((name, levels)) if name == column => *levels += 1,
                _ => columns.push((column.clone(), 1)),
            }
        }
    }
    columns.sort_by_key(|(_, levels)| std::cmp::Reverse(*levels));
    columns
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
    let agents = federation.agents();
    let single: Vec<String> = agents
        .iter()
        .filter(|agent| agent.samples() == 1)
        .map(|agent| excerpt(&agent.name))
        .collect();
    if !single.is_empty() && !options.allows(Check::OneSample) {
        return Err(CheckError::OneSample { file: file(), agents: single, of: agents.len() });
    }
    if options.family.targets().is_class() && !options.allows(Check::OneClass) {
        let same = |agent: &&Agent| {
            let labels = &federation.target()[agent.rows.clone()];
            // A single row has a single class: one waiver is enough for it.
            labels.len() > 1 && labels.windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_eq())
        };
        let one_class: Vec<(String, String)> = agents
            .iter()
            .filter(same)
            .map(|agent| {
                let label = federation.target()[agent.rows.start];
                (excerpt(&agent.name), target::class_of(label, &encoding.classes))
            })
            .collect();
        if !one_class.is_empty() {
            return Err(CheckError::OneClass { file: file(), agents: one_class, of: agents.len() });
        }
    }
    let (columns, rows) = (federation.design().dim(), federation.design().rows());
    if columns > rows && options.l2 <= 0.0 && !options.allows(Check::Wide) {
        let widest = widest_columns(&encoding.features);
        return Err(CheckError::Wide { file: file(), columns, rows, widest });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
