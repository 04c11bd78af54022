//! What the command tells about itself: schemas, completions, manual pages.

use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use corefed_schemas::SCHEMAS;

use crate::args::Cli;
use crate::exit::Exit;
use crate::failure::Failure;

/// Prints one schema, or the names of all.
pub(crate) fn schema(name: Option<&str>, out: &mut dyn Write) -> Result<Exit, Failure> {
    for (known, text) in SCHEMAS {
        match name {
            None => writeln!(out, "{known}")?,
            Some(name) if name == known => out.write_all(text.as_bytes())?,
            Some(_) => {}
        }
    }
    Ok(Exit::Stable)
}

/// Prints the completions of a shell.
pub(crate) fn completions(shell: Shell, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "corefed", &mut script);
    Ok(out.write_all(&script).map(|()| Exit::Stable)?)
}

/// Writes `corefed.1`, `corefed-run.1` and so on.
pub(crate) fn man(folder: &Path) -> Result<Exit, Failure> {
    clap_mangen::generate_to(Cli::command(), folder).map(|()| Exit::Stable).map_err(|error| {
        let said = format!("cannot write manual pages to `{}`: {error}", folder.display());
        Failure::new(said).hint("name a folder that exists and may be written to")
    })
}
