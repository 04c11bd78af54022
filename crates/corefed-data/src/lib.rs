//! Tables in, federations out.

mod agent_values;
mod check;
mod decimal;
mod design;
mod encode;
mod error;
mod federation;
mod hospitals;
mod images;
mod names;
pub mod source;
mod table;
mod utility_table;

pub use agent_values::{AgentValueError, Sign, agent_values, exact_agent_values};
pub use check::{Check, CheckError, Checks, UnknownCheck};
pub use decimal::{DecimalError, MAX_DIGITS, MAX_EXPONENT, parse_decimal};
pub use design::{Design, DesignError};
pub use encode::{CellError, EncodeOptions, Encoded, EncodingError, FitError, LARGEST, apply, fit};
pub use error::{DataError, Place};
pub use federation::{Agent, Federation};
pub use hospitals::hospitals_csv;
pub use images::{Images, ImagesError};
pub use table::{Table, TableError};
pub use utility_table::{UtilityError, UtilityTable};
