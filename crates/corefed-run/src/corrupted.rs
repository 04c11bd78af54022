//! Rows made worse on purpose.

use corefed_core::{Family, Seed};
use corefed_data::{
    Check, Corruptions, DataError, EncodeOptions, Missing, Table, TargetKind, corrupt, decode, fit,
};

use crate::{AGENT, RunError};

/// Owned rows, as CSV, with the corruptions `NAME=CORRUPTION,...` of some agents: encoded, corrupted and
/// decoded, because noise is in units of a column's deviation.
pub(crate) fn corrupted_rows(
    text: &str,
    target: &str,
    family: Family,
    asked: &[String],
    seed: Seed,
) -> Result<String, RunError> {
    let table = Table::parse("the exported rows", text.as_bytes())?;
    let encoded = fit(
        &table,
        &EncodeOptions {
            agent_column: AGENT.to_owned(),
            target_column: target.to_owned(),
            exposure_column: None,
            family,
            intercept: false,
            raw: false,
            l2: 0.0,
            // Nothing is fitted here: only what cannot be encoded is refused.
            allow: Check::ALL.into_iter().collect(),
            missing: Missing::Error,
            written: corefed_core::Writing::default(),
            na: Vec::new(),
            types: Vec::new(),
        },
    )?;
    let mut corruptions = Corruptions::default();
    for text in asked {
        corruptions.add_text(text).map_err(DataError::from)?;
    }
    let kind = TargetKind::of(&encoded.encoding);
    let federation =
        corrupt(&encoded.federation, kind, &corruptions, seed).map_err(DataError::from)?;
    Ok(decode(&encoded.encoding, &federation))
}
