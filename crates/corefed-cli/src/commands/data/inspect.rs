//! `corefed data inspect`: what columns hold, what every agent's rows are like, and what looks odd.

use std::io::Write;

use corefed_documents::Document;
use corefed_report::{draw_labels, inspection_page, inspection_text};
use corefed_run::source::Dataset;

use crate::args::InspectArgs;
use crate::failure::Failure;

/// Shows what a set holds and who owns it.
pub(super) fn inspect(args: &InspectArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let set = Dataset::open(&args.source.wanted())?;
    let owners = set.owners(args.partition.as_deref(), args.agent.as_deref())?;
    let (found, labels) = corefed_run::inspect(&set, owners.as_ref(), args.target.as_deref())?;
    if let Some(path) = &args.picture {
        let (Some(owners), Some(labels)) = (&owners, &labels) else {
            return Err(Failure::new("a heat map shows classes by agent").hint(
                "name agents with `--agent` and a column of classes with `--target`; `--report` draws everything",
            ));
        };
        let names: Vec<&str> = owners.agents().iter().map(|agent| agent.name.as_str()).collect();
        let drawn = draw_labels(&names, &labels.classes, &labels.counts(owners));
        corefed_log::write_file(path, drawn)?;
    }
    if let Some(path) = &args.report {
        corefed_log::write_file(path, inspection_page(&found))?;
    }
    if args.json {
        out.write_all(found.to_json()?.as_bytes())?;
        return Ok(());
    }
    out.write_all(inspection_text(&found).as_bytes())?;
    Ok(())
}
