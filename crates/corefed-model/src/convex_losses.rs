//! The losses of a family in the form that is cheapest to evaluate.

use corefed_core::Family;
use corefed_data::Federation;

use crate::{ConvexLosses, FederationLosses, QuadraticLosses};

/// Every agent's mean loss in the form that is cheapest to evaluate again and again: quadratic losses are
/// compressed to Gram matrices once, so that no later evaluation depends on the number of rows.
///
/// # Panics
/// As [`FederationLosses::new`].
#[must_use]
pub fn convex_losses(
    federation: &Federation,
    family: Family,
    classes: usize,
    l2: f64,
) -> Box<dyn ConvexLosses + '_> {
    if family.is_quadratic() {
        Box::new(QuadraticLosses::from_least_squares(federation, l2))
    } else {
        Box::new(FederationLosses::new(federation, family, classes, l2))
    }
}
