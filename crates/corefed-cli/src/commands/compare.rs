//! `corefed compare`: several rules over several seeds, in the paper's table.

use std::io::Write;
use std::path::{Path, PathBuf};

use corefed_log::{NewFolder, next_free};
use corefed_report::console;
use corefed_run::{Asked, Several, contenders, publish_comparison};

use super::training::again;
use crate::args::CompareArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings;

/// Trains every rule from every seed and prints the table.
pub(crate) fn compare(
    args: &CompareArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let spec = settings::spec(&args.what, &args.set, args.tolerance)?;
    let asked = Asked {
        rules: args.rules.clone(),
        seeds: args.seeds,
        base: args.base.clone(),
        tune: args.tune.clone(),
        budget: args.budget,
    };
    let compared = contenders(&spec, &asked)?;
    let path =
        args.out.clone().unwrap_or_else(|| next_free("runs", &format!("{}-compare", spec.name)));
    if !args.resume {
        NewFolder::check(&path)?;
    }
    let data_dir = args.data_dir.as_deref();
    let jobs = args.jobs.at_once();
    let found =
        corefed_run::compare(&spec, &compared, data_dir, &path, jobs, &context.stop, context)?;
    let document = match found {
        Several::Done(document) => document,
        Several::Interrupted(_) => return Ok(stopped(&path)),
    };
    let (tables, page) = publish_comparison(&path, &spec, &compared, &document)?;
    let shown = console::Several {
        folder: &path,
        contents: "a run folder per training, compare.md, .csv, .tex and .json",
        page: &page,
        format: (!args.json).then_some(args.format),
    };
    out.write_all(shown.show(&document, &tables)?.as_bytes())?;
    Ok(Exit::Stable)
}

/// Says how a comparison that was stopped continues.
fn stopped(folder: &Path) -> Exit {
    // Talk that cannot be written is not worth failing for.
    let _ = writeln!(
        std::io::stderr(),
        "stopped; the trainings so far are kept, and the same command goes on with: --out {} --resume",
        folder.display(),
    );
    Exit::Interrupted
}

/// Says how trainings that were stopped continue.
pub(super) fn interrupted(folders: &[PathBuf], data_dir: Option<&Path>, context: &Context) -> Exit {
    let resume = |folder: &PathBuf| {
        format!("{} run --resume {}{}", context.program, folder.display(), again(data_dir))
    };
    let which = match folders.len() {
        0 => "",
        1 => "; the trainings so far are kept, and this one continues with: ",
        _ => "; the trainings so far are kept, and these continue with: ",
    };
    let how: Vec<String> = folders.iter().map(resume).collect();
    // Talk that cannot be written is not worth failing for.
    let _ = writeln!(std::io::stderr(), "stopped{which}{}", how.join("; "));
    Exit::Interrupted
}
