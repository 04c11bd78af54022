//! `corefed choose`.

use std::io::Write;

use corefed_core::Prefer;
use corefed_documents::{Document, to_json};
use corefed_report::{console, summary};
use corefed_run::{choose as decide, save_choices};

use crate::args::ChooseArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Chooses among the models of a table or a folder.
pub(crate) fn choose(args: &ChooseArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let outputs = Outputs::check(&[("--certificate", args.certificate.as_deref())], args.json)?;
    let folder = args.source.is_dir();
    let (file, prefer, from) = if folder {
        if args.group.is_some() {
            return Err(Failure::new("a folder has no columns to group models by").hint(
                "drop `--group`: a comparison has one model per rule, a training one per round",
            ));
        }
        if args.losses {
            return Err(Failure::new("`--losses` has no effect: a folder has losses anyway")
                .hint("drop it; it says that a table holds losses"));
        }
        let (file, choices) = save_choices(&args.source, args.seed)?;
        (file, Prefer::Smaller, Some(choices))
    } else {
        if args.seed.is_some() {
            return Err(Failure::new("`--seed` chooses among the seeds of a comparison")
                .hint("drop it, or give the folder of `corefed compare`"));
        }
        (args.source.clone(), if args.losses { Prefer::Smaller } else { Prefer::Larger }, None)
    };
    let chosen = decide(&file, args.group.as_deref(), prefer, args.weights.as_ref())?;
    let answer = if args.json {
        chosen.choice.to_json()?
    } else {
        let told = from
            .map(|from| console::chosen_by(from.held_out, from.seeds, &file))
            .unwrap_or_default();
        let check = args.certificate.as_ref().map_or_else(String::new, |path| {
            format!("\n{}", console::check_it("corefed", path, &file))
        });
        [told, summary::choice(&chosen.choice), check].concat()
    };
    outputs.answer(&answer, out)?;
    if let Some(path) = &args.certificate {
        save(path, to_json(&chosen.certificate)?, out)?;
    }
    Ok(Exit::Stable)
}
