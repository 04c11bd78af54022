//! Tables in, federations out.
//!
//! A [`Table`] is read from CSV, TSV or Parquet and checked where it enters: errors name file, line,
//! column and agent. [`fit`] decides how columns become numbers and encodes the rows into a
//! [`Federation`], one design matrix whose rows are grouped by agent; the [`Encoded`] keeps the decisions,
//! so that others encode the same rows alike. Published sets and their readers are in [`source`], ways of
//! dividing rows among agents in [`Partition`].
//!
//! ```
//! use corefed_core::Family;
//! use corefed_data::{EncodeOptions, Table, fit};
//!
//! let text = "clinic,age,ill\nA,61,1\nA,40,0\nB,35,0\nB,70,1\n";
//! let table = Table::parse("rows.csv", text.as_bytes())?;
//! let options = EncodeOptions { l2: 0.1, ..EncodeOptions::new("clinic", "ill", Family::Logistic) };
//! let encoded = fit(&table, &options)?;
//! let clinics: Vec<&str> = encoded.federation.agents().iter().map(|a| a.name.as_str()).collect();
//! assert_eq!(clinics, ["A", "B"]);
//! assert_eq!(encoded.encoding.classes, ["0", "1"]);
//! # Ok::<(), corefed_data::DataError>(())
//! ```

mod agent_values;
mod check;
mod column_type;
mod contained;
mod corrupt;
mod cross_site;
mod date;
mod decimal;
mod decode;
mod design;
mod encode;
mod error;
mod federation;
mod hospitals;
mod images;
mod missing;
mod names;
mod note;
mod odd;
mod partition;
mod reading;
mod select;
mod shapes;
pub mod source;
mod split;
mod survey;
mod suspect;
mod synthetic;
mod table;
mod target_kind;
mod utility_table;

pub use agent_values::{Sign, agent_values, exact_agent_values};
pub use check::{Check, CheckError, Checks, UnknownCheck};
pub use column_type::{ColumnType, UnknownChoice};
pub use contained::pass_over_contained_panics;
pub use corrupt::{
    CorruptError, CorruptedImages, Corruption, Corruptions, corrupt, corrupt_images,
};
pub use cross_site::CrossSite;
pub use decimal::DecimalError;
pub use decode::decode;
pub use design::{Design, DesignError};
pub use encode::{
    AgreeError, AppliedFile, ColumnMoments, ColumnSummary, EncodeOptions, Encoded, FitFile,
    TableSummary, agree, apply, apply_exposure, apply_features, apply_file, apply_own,
    check_writing, fit, fit_file, own_table, read_table, read_table_as, summarise, widest_columns,
};
pub use error::{
    AgentValueError, CellError, CrossSiteError, DataError, EncodingError, FitError, Measurement,
    Numbering, Place, TableError, UtilityError,
};
pub use federation::{Agent, Federation};
pub use hospitals::hospitals_csv;
pub use images::{Images, ImagesError};
pub use missing::Missing;
pub use names::{excerpt, nearest};
pub use note::Note;
pub use partition::{
    AgentRows, DivideBy, Division, DivisionError, MOST_AGENTS, Method, Partition, PartitionError,
    PartitionFile, PartitionFileError, by_groups, iid, label_dirichlet, quantity_skew, shards,
};
pub use reading::LARGEST;
pub use shapes::{Shape, ShapesError};
pub use split::{Split, SplitError, split_groups, split_partition, split_times};
pub use survey::{ColumnSurvey, Holds, Spread, spread_of, survey_column, unlike};
pub use synthetic::{Synthetic, SyntheticError, Variant};
pub use table::{Table, digest_file};
pub use target_kind::TargetKind;
pub use utility_table::UtilityTable;
