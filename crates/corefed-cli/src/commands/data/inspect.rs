//! `corefed data inspect`: what columns hold, what every agent's rows are like, and what looks odd.

use std::io::Write;

use corefed_documents::Document;
use corefed_report::{draw_labels, inspection_page, inspection_text};
use corefed_run::source::Dataset;

use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Shows what a set holds and who owns it.
pub(super) fn inspect(args: &InspectArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let files = [("--picture", args.picture.as_deref()), ("--report", args.report.as_deref())];
    let outputs = Outputs::check(&files, args.json)?;
    let set = Dataset::open(&args.source.wanted())?;
    let owners = set.owners(args.partition.as_deref(), args.agent.as_deref())?;
    let (found, labels) = corefed_run::inspect(&set, owners.as_ref(), args.target.as_deref())?;
    let mut picture = None;
    if args.picture.is_some() {
        let (Some(owners), Some(labels)) = (&owners, &labels) else {
            return Err(Failure::new("a heat map shows classes by agent").hint(
                "name agents with `--agent` and a column of classes with `--target`; `--report` draws everything",
            ));
        };
        let names: Vec<&str> = owners.agents().iter().map(|agent| agent.name.as_str()).collect();
        picture = Some(draw_labels(&names, &labels.classes, &labels.counts(owners)));
    }
    let text = if args.json { found.to_json()? } else { inspection_text(&found) };
    outputs.answer(&text, out)?;
    if let (Some(path), Some(drawn)) = (&args.picture, picture) {
        save(path, drawn, out)?;
    }
    if let Some(path) = &args.report {
        save(path, inspection_page(&found), out)?;
    }
    Ok(())
}
