//! Documents of several models as tables.

mod ceiling;
mod comparison;
mod sweep;

pub use ceiling::ceiling;
pub use comparison::{comparison, spread};
pub use sweep::sweep;

/// More agents than this get no column each.
const MOST_COLUMNS: usize = 12;
