//! Cells that a spreadsheet would take for formulas: rows are data, and data are not changed unless asked.

use corefed_core::inert_cell;

use crate::RunError;
use crate::csv_text::csv_text;

/// How many cells of a table, its header included, a spreadsheet would run.
pub fn formulas(csv: &str) -> Result<usize, RunError> {
    let mut count = 0;
    for record in records(csv) {
        count += record?.iter().filter(|cell| inert_cell(cell) != *cell).count();
    }
    Ok(count)
}

/// The table with an apostrophe before each of them.
pub(crate) fn inert_rows(csv: &str) -> Result<String, RunError> {
    let all = records(csv).collect::<Result<Vec<_>, _>>()?;
    csv_text(|writer| {
        all.iter().try_for_each(|record| {
            writer.write_record(record.iter().map(|cell| inert_cell(cell).into_owned()))
        })
    })
}

fn records(csv: &str) -> impl Iterator<Item = Result<csv::StringRecord, RunError>> + '_ {
    let reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    let failed = |error: csv::Error| RunError::Csv { reason: error.to_string() };
    reader.into_records().map(move |record| record.map_err(failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_counted_and_become_text_on_request() {
        let csv = "agent,=x\n\"=HYPERLINK(\"\"u\"\")\",-1.5\n+cmd|x,7\n";
        assert_eq!(formulas(csv).unwrap(), 3);
        let inert = inert_rows(csv).unwrap();
        assert_eq!(inert, "agent,'=x\n\"'=HYPERLINK(\"\"u\"\")\",-1.5\n'+cmd|x,7\n");
        assert_eq!(formulas(&inert).unwrap(), 0);
    }
}
