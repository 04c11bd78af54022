//! `corefed reproduce`: the paper's tables.

use std::io::Write;

use corefed_reproduce::Reproduced;

use crate::args::ReproduceArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Trains, judges and writes every experiment that was asked for.
pub(crate) fn reproduce(
    args: &ReproduceArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let mut failed = None;
    let mut print = |done: &Reproduced| -> std::io::Result<()> {
        let Reproduced { folder, contents, .. } = done;
        let folder = folder.display();
        writeln!(out, "{}", done.table)?;
        writeln!(out, "written to {folder}/: README.md, results.json, spec.toml, {contents}\n")?;
        out.flush()
    };
    let whole = corefed_reproduce::reproduce(&args.request(), &context.stop, context, |done| {
        // Tables are on the disk, regardless of who reads along.
        failed = failed.take().or(print(done).err());
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None if whole => Ok(Exit::Stable),
        None => Ok(Exit::Interrupted),
    }
}
