//! `corefed run` of a spec with `[train]`, and `--resume`.

use std::io::{Write, stderr};
use std::path::Path;

use corefed_spec::Spec;

use super::exit;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::summary::program;
use crate::train::{Talk, Trained, resume, train};

/// Trains into a new folder.
pub(super) fn train_by_rounds(
    spec: &Spec,
    path: &Path,
    json: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let talk = if json { Talk::Json(out) } else { Talk::Progress(spec.name.clone()) };
    let trained = train(spec, path, talk)?;
    tell(&trained, path, json, out)
}

/// Continues a training.
pub(super) fn resume_training(
    path: &Path,
    json: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let talk = if json { Talk::Json(out) } else { Talk::Progress(path.display().to_string()) };
    let trained = resume(path, talk)?;
    tell(&trained, path, json, out)
}

fn tell(trained: &Trained, path: &Path, json: bool, out: &mut dyn Write) -> Result<Exit, Failure> {
    let shown = path.display();
    let Some(result) = &trained.result else {
        // Talk that cannot be written is not worth failing for.
        let _ = writeln!(
            stderr(),
            "stopped after round {}; continue with: {} run --resume {shown}",
            trained.rounds,
            program()
        );
        return Ok(Exit::Interrupted);
    };
    if !json {
        write!(
            out,
            "{}\n{} rounds in {:.3} s, written to {shown}/: rounds.jsonl, agents.jsonl, \
             model.safetensors, audit.json, summary.md\nreport: {shown}/report.html\n",
            result.text, trained.rounds, trained.seconds
        )?;
    }
    Ok(exit(result.conclusion.verdict))
}
