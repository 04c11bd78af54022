//! Kappa and headroom against a common scale of ceilings, as one SVG that needs nothing else.

use corefed_documents::CeilingSearch;

use crate::ceiling_lines::ceiling_lines;
use crate::chart::WIDE;
use crate::figures::stand_alone;

/// The chart, with the strips of what the answer is.
#[must_use]
pub fn draw_ceiling(document: &CeilingSearch) -> String {
    stand_alone(&ceiling_lines(document).draw(WIDE))
}
