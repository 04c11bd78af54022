//! What `compare` and `sweep` leave: a table in every format, and its page.

use std::io::Write;
use std::path::Path;

use corefed_spec::Spec;

use crate::args::TableFormat;
use crate::failure::Failure;
use crate::grid::Grid;
use crate::{files, report};

/// A table with everything it came from.
pub(super) struct Published<'a> {
    /// Of its files, before their endings.
    pub(super) name: &'a str,
    /// What the folder holds, in words.
    pub(super) contents: &'a str,
    pub(super) spec: &'a Spec,
    pub(super) json: String,
    pub(super) grid: Grid,
}

impl Published<'_> {
    /// Writes the folder and prints the table, or its JSON where no format is asked for.
    pub(super) fn write(
        &self,
        folder: &Path,
        format: Option<TableFormat>,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let created = std::fs::create_dir_all(folder);
        created.map_err(|error| Failure::file("create", folder, &error))?;
        files::write(&folder.join("spec.toml"), &self.spec.to_toml())?;
        files::write(&folder.join(format!("{}.json", self.name)), &self.json)?;
        self.grid.save(folder, self.name)?;
        let page = report::write(folder, None)?;
        let shown = match format {
            None => self.json.clone(),
            Some(TableFormat::Text) => format!(
                "{}\nwritten to {}/: {}\nreport: {}\n",
                self.grid.to_text(),
                folder.display(),
                self.contents,
                page.display()
            ),
            Some(format) => self.grid.to_format(format)?,
        };
        Ok(out.write_all(shown.as_bytes())?)
    }
}
