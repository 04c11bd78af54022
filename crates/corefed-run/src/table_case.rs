//! The case of a table that is solved at once, with what its user says about it.

use std::path::Path;

use corefed_core::Writing;
use corefed_data::{EncodeOptions, excerpt, fit_file, read_table_as};
use corefed_spec::{Ceiling, WeightsBy};

use crate::policy::{DEFAULT_RADIUS, ceiling_policy, resolve_weights};
use crate::{Case, CaseTerms, PrepareError, RunError};

/// What a user says about agents; the usual where nothing is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct AskedTerms<'a> {
    /// Radius of the ball.
    pub radius: Option<f64>,
    /// The say of each agent.
    pub weights: Option<&'a WeightsBy>,
    /// The loss at which an agent gets nothing.
    pub ceiling: Option<&'a Ceiling>,
}

/// Reads and encodes a table, and resolves its terms.
pub fn table_case(
    file: &Path,
    options: &EncodeOptions,
    asked: AskedTerms<'_>,
) -> Result<Case, RunError> {
    let data = fit_file(file, options)?;
    let agents = data.encoded.federation.agents();
    let usual = Ceiling::default_of(Some(options.family), options.raw);
    let terms = CaseTerms {
        family: options.family,
        l2: options.l2,
        radius: asked.radius.unwrap_or(DEFAULT_RADIUS),
        weights: resolve_weights(asked.weights.unwrap_or(&WeightsBy::Equal), agents)?,
        ceiling: ceiling_policy(asked.ceiling.unwrap_or(&usual), agents)?,
        held_out: None,
    };
    Case::new(data, terms)
}

/// A column that a user must name, by a setting; who has not is shown what there is.
pub fn named_column<'a>(
    (file, written): (&Path, Writing),
    column: Option<&'a str>,
    setting: &'static str,
    what: &'static str,
) -> Result<&'a str, RunError> {
    if let Some(column) = column {
        return Ok(column);
    }
    let table = read_table_as(file, written)?;
    let columns = table.columns().iter().map(|name| excerpt(name)).collect();
    Err(PrepareError::WhichColumn { what, setting, file: file.to_owned(), columns }.into())
}
