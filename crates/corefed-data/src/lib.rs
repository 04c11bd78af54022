//! Tables in, federations out.

mod design;
mod error;
mod federation;
mod names;
mod table;

pub use design::{Design, DesignError};
pub use error::{DataError, Place};
pub use federation::{Agent, Federation};
pub use table::{Table, TableError};
