//! `corefed data`: what there is, where it comes from, and who owns which row.

mod export;
#[cfg(feature = "download")]
mod fetch;
mod inspect;
mod list;
mod partition;

use std::io::Write;

#[cfg(feature = "download")]
use self::fetch::fetch;
use crate::args::DataCommand;
#[cfg(not(feature = "download"))]
use crate::args::FetchArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Dispatches to one of the data commands.
pub(crate) fn data(command: &DataCommand, out: &mut dyn Write) -> Result<Exit, Failure> {
    match command {
        DataCommand::List(args) => list::list(args, out),
        DataCommand::Fetch(args) => fetch(args, out),
        DataCommand::Inspect(args) => inspect::inspect(args, out),
        DataCommand::Partition(args) => partition::partition(args, out),
        DataCommand::Export(args) => export::export(args, out),
    }?;
    Ok(Exit::Stable)
}

#[cfg(not(feature = "download"))]
fn fetch(args: &FetchArgs, _: &mut dyn Write) -> Result<(), Failure> {
    Err(crate::left_out::left_out(&format!("download `{}`", args.name), "download"))
}
