//! `corefed data`: what there is, where it comes from, and who owns which row.

mod export;
mod fetch;
mod inspect;
mod list;
mod partition;

use std::io::Write;

use crate::args::DataCommand;
use crate::exit::Exit;
use crate::failure::Failure;

/// Dispatches to one of the data commands.
pub(crate) fn data(command: &DataCommand, out: &mut dyn Write) -> Result<Exit, Failure> {
    match command {
        DataCommand::List(args) => list::list(args, out),
        DataCommand::Fetch(args) => fetch::fetch(args, out),
        DataCommand::Inspect(args) => inspect::inspect(args, out),
        DataCommand::Partition(args) => partition::partition(args, out),
        DataCommand::Export(args) => export::export(args, out),
    }?;
    Ok(Exit::Stable)
}
