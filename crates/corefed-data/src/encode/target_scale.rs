//! A target that is a quantity, free of its unit and its zero.

use corefed_core::{Encoding, TargetScale};

use super::moments::Moments;
use super::{EncodeOptions, EncodingError};
use crate::Federation;
use crate::names::excerpt;
use crate::reading::is_within_limit;

/// How the target of a federation is standardised: where losses are squares of its unit, and it is not
/// taken as it is (ledger E70).
pub(super) fn scale(federation: &Federation, options: &EncodeOptions) -> Option<TargetScale> {
    if options.raw || !options.family.facts().quadratic {
        return None;
    }
    let agents = federation.agents().iter().map(|agent| &agent.rows);
    match Moments::of(federation.target(), agents) {
        Moments::Spread { mean, deviation } => Some(TargetScale { mean, scale: deviation }),
        // Without spread there is nothing to measure by.
        Moments::Constant(_) | Moments::OutOfRange => None,
    }
}

/// The same federation with its target standardised as the encoding says.
pub(super) fn standardised(
    federation: Federation,
    encoding: &Encoding,
) -> Result<Federation, EncodingError> {
    let Some(scale) = encoding.target_scale else { return Ok(federation) };
    let federation = federation.map_target(|value| scale.standardise(value));
    if federation.target().iter().all(|&value| is_within_limit(value)) {
        return Ok(federation);
    }
    let (mean, scale) = (scale.mean, scale.scale);
    Err(EncodingError::Moments { column: excerpt(&encoding.target_column), mean, scale })
}
