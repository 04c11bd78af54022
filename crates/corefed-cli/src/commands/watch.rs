//! `corefed watch`: the report of a run while it runs.

use std::io::Write;
use std::time::Duration;

use corefed_report::folder as pages;
use corefed_report::live::{LiveRun, Server};
use corefed_report::shown_path;

use crate::args::WatchArgs;
use crate::browse::browse;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::warn;

/// How often Ctrl-C is looked for.
const NAP: Duration = Duration::from_millis(50);

/// Serves the page until Ctrl-C.
pub(crate) fn watch(
    args: &WatchArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if !args.run.exists() {
        return Err(Failure::new(format!("`{}` does not exist", args.run.display())).hint(
            "give the folder of a training; `corefed run --watch` shows one from its start",
        ));
    }
    // A folder without a report says so now rather than in the browser.
    pages::page(&args.run)?;
    warn(pages::edits(&args.run)?);
    let server = Server::start(args.host, args.port, LiveRun::new(&args.run))?;
    writeln!(out, "watching {} at {}", shown_path(&args.run), server.invitation())?;
    out.flush()?;
    if args.open {
        browse(server.url().as_ref())?;
    }
    context.listen();
    while !context.stop.is_asked() {
        std::thread::sleep(NAP);
    }
    Ok(Exit::Stable)
}
