//! `corefed run` of a spec with `[train]`, and `--resume`.

use std::io::Write;
use std::path::Path;

use corefed_core::shell_word;
use corefed_report::{console, word};
use corefed_run::{Observer, RunError, TrainedRun, resume, train};
use corefed_spec::Spec;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::observers::{Terminal, with_events};
use crate::outputs::warn;

/// Trains into a new folder.
pub(super) fn train_by_rounds(
    spec: &Spec,
    data_dir: Option<&Path>,
    path: &Path,
    json: bool,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let folders = (path, data_dir);
    watched(&spec.name, folders, json, context, out, &|observer| {
        train(spec, data_dir, path, &context.stop, observer)
    })
}

/// Continues a training.
pub(super) fn resume_training(
    path: &Path,
    data_dir: Option<&Path>,
    (json, changed_spec): (bool, bool),
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    warn(corefed_run::edits(path)?);
    let folders = (path, data_dir);
    watched(&path.display().to_string(), folders, json, context, out, &|observer| {
        resume(path, data_dir, changed_spec, &context.stop, observer)
    })
}

/// A training under the eyes of a person or a program, and how it ended.
fn watched(
    what: &str,
    (path, data_dir): (&Path, Option<&Path>),
    json: bool,
    context: &Context,
    out: &mut dyn Write,
    work: &dyn Fn(&mut dyn Observer) -> Result<TrainedRun, RunError>,
) -> Result<Exit, Failure> {
    let trained = if json {
        with_events(context, out, work)??
    } else {
        work(&mut Terminal::new(context, what))?
    };
    let Some(result) = &trained.result else {
        let sets = data_dir.map(|folder| format!(" --data-dir {}", word(folder)));
        context.say(&format!(
            "stopped after round {}; continue with: {} run --resume {}{}",
            trained.rounds,
            shell_word(&context.program),
            word(path),
            sets.unwrap_or_default()
        ));
        return Ok(Exit::Interrupted);
    };
    if !json {
        let seconds = trained.elapsed.as_secs_f64();
        let told = console::trained(path, &result.text(), trained.rounds, seconds);
        out.write_all(told.as_bytes())?;
    }
    Ok(result.audit.verdict.into())
}
