//! Tables in, federations out.

mod check;
mod design;
mod encode;
mod error;
mod federation;
mod names;
mod table;

pub use check::{Check, CheckError, Checks, UnknownCheck};
pub use design::{Design, DesignError};
pub use encode::{CellError, EncodeOptions, Encoded, EncodingError, FitError, apply, fit};
pub use error::{DataError, Place};
pub use federation::{Agent, Federation};
pub use table::{Table, TableError};
