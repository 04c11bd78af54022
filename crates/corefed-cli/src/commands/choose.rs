//! `corefed choose`.

use std::io::Write;

use corefed_documents::{Document, to_json};
use corefed_report::{console, summary};
use corefed_run::{AskedChoice, Decided, choose_from};

use crate::args::ChooseArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Chooses among the models of a table or a folder.
pub(crate) fn choose(args: &ChooseArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let outputs = Outputs::check(&[("--certificate", args.certificate.as_deref())], args.json)?;
    let Decided { chosen, table, from } = choose_from(&AskedChoice {
        source: &args.source,
        losses: args.losses,
        group: args.group.as_deref(),
        seed: args.seed,
        weights: args.weights.as_ref(),
    })?;
    let answer = if args.json {
        chosen.choice.to_json()?
    } else {
        let told = from
            .map(|from| console::chosen_by(from.held_out, from.seeds, &table))
            .unwrap_or_default();
        let check = args.certificate.as_ref().map_or_else(String::new, |path| {
            format!("\n{}", console::check_it("corefed", path, &table))
        });
        [told, summary::choice(&chosen.choice), check].concat()
    };
    outputs.answer(&answer, out)?;
    if let Some(path) = &args.certificate {
        save(path, to_json(&chosen.certificate)?, out)?;
    }
    Ok(Exit::Stable)
}
