//! The page around the live report: it asks how far the run is and shows the report anew.

/// The report itself is the very page that `corefed report` writes, in a frame of its own, so that
/// neither knows of the other.
pub(super) const PAGE: &str = include_str!("frame.html");
