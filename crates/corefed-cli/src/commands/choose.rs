//! `corefed choose`.

use std::io::Write;
use std::path::PathBuf;

use corefed_core::Prefer;
use corefed_documents::{Document, to_json};
use corefed_log::write_file;
use corefed_report::summary;
use corefed_run::{Choices, choices, choose as decide};

use crate::args::ChooseArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Chooses among the models of a table or a folder.
pub(crate) fn choose(args: &ChooseArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let folder = args.source.is_dir();
    let (file, prefer, from) = if folder {
        if args.group.is_some() {
            return Err(Failure::new("a folder has no columns to group models by").hint(
                "drop `--group`: a comparison has one model per rule, a training one per round",
            ));
        }
        let (file, choices) = listed(args)?;
        (file, Prefer::Smaller, Some(choices))
    } else {
        if args.seed.is_some() {
            return Err(Failure::new("`--seed` chooses among the seeds of a comparison")
                .hint("drop it, or give the folder of `corefed compare`"));
        }
        (args.source.clone(), if args.losses { Prefer::Smaller } else { Prefer::Larger }, None)
    };
    let chosen = decide(&file, args.group.as_deref(), prefer, args.weights.as_ref())?;
    if let Some(path) = &args.certificate {
        write_file(path, to_json(&chosen.certificate)?)?;
    }
    if args.json {
        out.write_all(chosen.choice.to_json()?.as_bytes())?;
        return Ok(Exit::Stable);
    }
    if let Some(choices) = from {
        let rows = if choices.held_out { "rows kept aside" } else { "training rows" };
        let mean = match choices.seeds {
            1 => String::new(),
            seeds => format!(", means over {seeds} seeds"),
        };
        writeln!(out, "losses on {rows}{mean}: {}\n", file.display())?;
    }
    out.write_all(summary::choice(&chosen.choice).as_bytes())?;
    if let Some(path) = &args.certificate {
        let (path, data) = (path.display(), file.display());
        writeln!(out, "\ncheck it: corefed verify {path} --data {data}")?;
    }
    Ok(Exit::Stable)
}

/// The table of a folder, saved there: a certificate speaks of a file.
fn listed(args: &ChooseArgs) -> Result<(PathBuf, Choices), Failure> {
    let choices = choices(&args.source, args.seed)?;
    let file = args.source.join("choices.csv");
    write_file(&file, &choices.csv)?;
    Ok((file, choices))
}
