//! Models that are not ours: judged by what they predict, whatever they are.

mod asked;
mod constants;
mod files;
mod models;
mod owned;
mod row_loss;

pub use asked::AskedPredictions;
pub use files::PredictionFiles;
pub use models::{ForeignModels, Judged, Predictions};
pub use owned::OwnedRows;
pub use row_loss::{Predicted, RowLoss, Targets, UnknownLoss};
