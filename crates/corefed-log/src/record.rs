//! Records: one flat JSON object per line, so that a line is a row and a field a column.

mod agent;
mod columns;
mod factors;
mod round;
#[cfg(feature = "schema")]
mod schema;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use agent::{AgentRecord, Part};
pub use columns::{Column, Kind};
pub use round::{Rejection, RoundRecord};

/// A record with a fixed list of columns.
pub trait Row: Serialize + DeserializeOwned {
    /// Its columns, in the order of the file.
    const COLUMNS: &'static [Column];

    /// Reads one line of this version: no column unknown, none missing.
    fn parse(line: &[u8]) -> Result<Self, serde_json::Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_in_the_description_of_the_format() {
        let text = include_str!("../../../docs/run-format.md");
        let spread = |name: &str| {
            let (prefix, suffix) = name.rsplit_once('_').unwrap_or_default();
            text.contains(&format!("| `{prefix}` |")) && text.contains(&format!("`_{suffix}`"))
        };
        for column in RoundRecord::COLUMNS.iter().chain(AgentRecord::COLUMNS) {
            let plain = text.contains(&format!("`{}`", column.name));
            assert!(plain || spread(column.name), "{}", column.name);
        }
    }
}
