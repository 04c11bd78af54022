//! `corefed sweep`: one key of a spec, several values.

use std::io::Write;

use corefed_log::next_free;
use corefed_report::console;
use corefed_run::{AskedFor, Several, publish_sweep};

use crate::args::SweepArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::warn;
use crate::settings;

/// Runs the spec once for each value and prints the table.
pub(crate) fn sweep(
    args: &SweepArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let several = &args.several;
    let spec = settings::spec(&args.what, &several.spec)?;
    let path =
        several.out.clone().unwrap_or_else(|| next_free("runs", &format!("{}-sweep", spec.name)));
    let folder = AskedFor::sweep(&spec, &args.field, &args.values).claim(&path, several.resume)?;
    warn(corefed_run::edits(&path)?);
    let data_dir = several.spec.data_dir.as_deref();
    let (key, stop) = ((args.field.as_str(), args.values.as_slice()), &context.stop);
    let jobs = several.jobs.at_once();
    let swept = corefed_run::sweep(&spec, key, data_dir, &path, jobs, stop, context)?;
    let Several::Done(document) = swept else {
        context.say(&console::stopped(&path));
        return Ok(Exit::Interrupted);
    };
    let (tables, page) = publish_sweep(&path, &spec, &document)?;
    folder.finish()?;
    let shown = console::Several {
        folder: &path,
        contents: "sweep.md, .csv, .tex and .json",
        page: &page,
        format: (!several.json).then_some(several.format),
    };
    out.write_all(shown.show(&document, &tables)?.as_bytes())?;
    Ok(Exit::Stable)
}
