//! Documents of several models as tables.

mod comparison;
mod stay;
mod sweep;

pub use comparison::{comparison, spread};
pub use stay::stay;
pub use sweep::sweep;

/// More agents than this get no column each.
const MOST_COLUMNS: usize = 12;
