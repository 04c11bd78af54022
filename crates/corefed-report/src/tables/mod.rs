//! Documents of several models as tables.

mod ceiling;
mod compared;
mod comparison;
mod paired;
mod recommend;
mod rows;
mod stay;
mod sweep;
mod tuned;

pub use ceiling::ceiling;
pub use compared::compared;
pub use comparison::{comparison, spread};
pub use paired::differences;
pub use recommend::{Recommendation, recommended};
pub use stay::stay;
pub use sweep::sweep;

/// More agents than this get no column each.
const MOST_COLUMNS: usize = 12;
