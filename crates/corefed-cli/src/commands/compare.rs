//! `corefed compare`: several rules over several seeds, in the paper's table.

use std::io::Write;

use corefed_log::next_free;
use corefed_report::console;
use corefed_run::{Asked, AskedFor, Several, contenders, publish_comparison};

use crate::args::CompareArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::warn;
use crate::settings;

/// Trains every rule from every seed and prints the table.
pub(crate) fn compare(
    args: &CompareArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let several = &args.several;
    let spec = settings::spec(&args.what, &several.spec)?;
    let asked = Asked {
        rules: args.rules.clone(),
        seeds: args.seeds,
        base: args.base.clone(),
        tune: args.tune.clone(),
        budget: args.budget,
    };
    let compared = contenders(&spec, &asked)?;
    let path =
        several.out.clone().unwrap_or_else(|| next_free("runs", &format!("{}-compare", spec.name)));
    let folder = AskedFor::comparison(&spec, &compared).claim(&path, several.resume)?;
    warn(corefed_run::edits(&path)?);
    let data_dir = several.spec.data_dir.as_deref();
    let jobs = several.jobs.at_once();
    let found =
        corefed_run::compare(&spec, &compared, data_dir, &path, jobs, &context.stop, context)?;
    let Several::Done(document) = found else {
        context.say(&console::stopped(&path));
        return Ok(Exit::Interrupted);
    };
    let (tables, page) = publish_comparison(&path, &spec, &compared, &document)?;
    folder.finish()?;
    let shown = console::Several {
        folder: &path,
        contents: "a run folder per training, compare.md, .csv, .tex and .json",
        page: &page,
        format: (!several.json).then_some(several.format),
    };
    out.write_all(shown.show(&document, &tables)?.as_bytes())?;
    Ok(Exit::Stable)
}
