//! Tables of utilities.

use corefed_data::UtilityTable;
use corefed_run::{Limits, audit_table, choose};
use corefed_verify::{AnyCertificate, check_files};

use crate::scratch;

/// Rows and agents beyond which exact arithmetic is slow for what it finds here.
const MOST_CELLS: usize = 2000;

/// Audits the first row, checks what was issued, and chooses among all rows.
pub(crate) fn utilities(bytes: &[u8]) {
    let table = match UtilityTable::parse("utilities.csv", bytes) {
        Ok(table) => table,
        Err(error) => {
            let _ = (error.to_string(), error.hint());
            return;
        }
    };
    if table.models.len() * table.agents.len() > MOST_CELLS {
        return;
    }
    let path = scratch::file("utilities.csv", bytes);
    let limits = Limits { tolerance: 0.0, time_limit: 5.0 };
    if let Ok((_, certificate)) = audit_table(&path, &table.models[0], None, limits) {
        let certificate = AnyCertificate::Core(Box::new(certificate));
        let checked = check_files(&certificate, &[&path]);
        assert!(checked.is_ok(), "issued, and refused: {:?}", checked.err());
    }
    let _ = choose(&path, None, corefed_core::Prefer::default(), None);
}
