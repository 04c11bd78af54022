//! `corefed report`.

use std::io::Write;
use std::path::Path;

use corefed_report::{folder as pages, render, shown_path};

use crate::args::ReportArgs;
use crate::browse::browse;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save, warn};

/// Writes the page of a folder, perhaps its figures, perhaps opens it.
pub(crate) fn report(args: &ReportArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let outputs = Outputs::check(&[("--out", args.out.as_deref())], false)?;
    let path = match &args.out {
        Some(path) => {
            save(path, render(&pages::page(&args.what)?), out)?;
            path.clone()
        }
        None => pages::write(&args.what, None)?,
    };
    if let Some(folder) = &args.figures {
        figures(&args.what, folder, out)?;
    }
    warn(pages::edits(&args.what)?);
    outputs.answer(&format!("report: {}\n", shown_path(&path)), out)?;
    if args.open {
        browse(path.as_os_str())?;
    }
    Ok(Exit::Stable)
}

#[cfg(feature = "figures")]
fn figures(what: &Path, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let written = corefed_report::write_figures(&pages::page(what)?, folder)?;
    writeln!(out, "figures: {} in {}, {written}", written.figures, shown_path(folder))?;
    Ok(())
}

#[cfg(not(feature = "figures"))]
fn figures(_: &Path, _: &Path, _: &mut dyn Write) -> Result<(), Failure> {
    Err(crate::left_out::left_out("write figures as PNG and PDF", "figures"))
}
