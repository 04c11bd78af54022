//! Tables of utilities: CSV, and FLARE's cross-site evaluation.

use corefed_data::{CrossSite, UtilityTable};
use corefed_run::{Limits, audit_table, choose, utility_table};
use corefed_verify::{AnyCertificate, check_files};

use crate::scratch;

/// Rows and agents beyond which exact arithmetic is slow for what it finds here.
const MOST_CELLS: usize = 2000;

/// Audits the first row, checks what was issued, and chooses among all rows.
pub(crate) fn utilities(bytes: &[u8]) {
    if bytes.first() == Some(&b'{') {
        return cross_site(bytes);
    }
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
    if let Ok((audit, certificate)) = audit_table(&path, &table.models[0], None, limits) {
        let _ = corefed_report::console::row(&audit);
        let certificate = AnyCertificate::Core(Box::new(certificate));
        let checked = check_files(&certificate, &[&path]);
        assert!(checked.is_ok(), "issued, and refused: {:?}", checked.err());
    }
    let _ = choose(&path, None, corefed_core::Prefer::default(), None);
}

/// Makes tables of every metric, as a utility and as a loss; whatever is made can be audited.
fn cross_site(bytes: &[u8]) {
    let read = match CrossSite::parse("results.json", bytes) {
        Ok(read) => read,
        Err(error) => {
            let _ = (error.to_string(), error.hint());
            return;
        }
    };
    if read.models().len() * read.sites().len() > MOST_CELLS {
        return;
    }
    let tops = vec![2.0; read.sites().len()];
    for (metric, ceilings) in
        [(None, None), (None, Some(&tops[..])), (Some("loss"), Some(&tops[..])), (Some("m"), None)]
    {
        match utility_table(&read, metric, ceilings) {
            Ok(made) => utilities(made.csv.as_bytes()),
            Err(error) => {
                let _ = (error.message(), error.hint());
            }
        }
    }
}
