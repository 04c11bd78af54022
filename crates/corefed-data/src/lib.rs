//! Tables in, federations out.

mod agent_values;
mod check;
mod column_type;
mod corrupt;
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
pub use corrupt::{
    CorruptError, CorruptedImages, Corruption, Corruptions, corrupt, corrupt_images,
};
pub use decimal::{DecimalError, MAX_DIGITS, MAX_EXPONENT, parse_decimal};
pub use decode::decode;
pub use design::{Design, DesignError};
pub use encode::{
    AgreeError, AppliedFile, ColumnMoments, ColumnSummary, EncodeOptions, Encoded, FitFile,
    TableSummary, agree, apply, apply_exposure, apply_features, apply_file, apply_own,
    check_writing, fit, fit_file, own_table, read_table, read_table_as, summarise, widest_columns,
};
pub use error::{
    AgentValueError, CellError, DataError, EncodingError, FitError, Numbering, Place, TableError,
    UtilityError,
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
pub use shapes::{Shape, ShapesError, draw_shapes};
pub use split::{Split, SplitError, split_federation, split_groups, split_partition, split_times};
pub use survey::{ColumnSurvey, Holds, Spread, spread_of, survey_column, unlike};
pub use synthetic::{Synthetic, SyntheticError, Variant};
pub use table::{Table, digest_file};
pub use target_kind::TargetKind;
pub use utility_table::UtilityTable;
