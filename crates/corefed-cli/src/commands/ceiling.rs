//! `corefed ceiling`: which ceiling?

use std::io::Write;

use corefed_documents::Document;
use corefed_log::NewFolder;
use corefed_report::{folder as pages, shown_path, summary};
use corefed_run::{PRECISIONS, publish_ceiling, search_ceiling};
use corefed_spec::Overrides;

use crate::args::CeilingArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::table_or_spec;

/// Searches the scale of a policy, prints what it decides, and writes it down if asked to.
pub(crate) fn ceiling(
    args: &CeilingArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if !PRECISIONS.contains(&args.precision) {
        return Err(Failure::new(format!("`--precision` is `{}`", args.precision))
            .hint("give a share of the scale, at least 1e-6 and below one, such as 0.01"));
    }
    let by = Overrides {
        radius: args.radius,
        weights: args.weights.as_ref(),
        held_out: args.held_out,
        time_limit: args.time_limit,
        ..args.spec.overrides()
    };
    let spec = table_or_spec(&args.what, (&args.table, &args.encoding), &by)?;
    if let Some(folder) = &args.out {
        NewFolder::check(folder)?;
    }
    context.listen();
    let policy = args.policy.as_ref().unwrap_or(&spec.ceiling);
    let data_dir = args.spec.data_dir.as_deref();
    let found = search_ceiling(&spec, policy, args.precision, data_dir, &context.stop, context)?;
    let Some(document) = found else { return Ok(Exit::Interrupted) };
    if let Some(path) = &args.out {
        publish_ceiling(&document, path)?;
    }
    if args.json {
        out.write_all(document.to_json()?.as_bytes())?;
    } else {
        out.write_all(summary::ceiling::terminal(&document).as_bytes())?;
        if let Some(path) = &args.out {
            writeln!(out, "\nwritten to {}/: ceiling.json, .md and .svg", shown_path(path))?;
            writeln!(out, "report: {}", shown_path(&path.join(pages::REPORT)))?;
        }
    }
    Ok(if document.stable.from.is_some() { Exit::Stable } else { Exit::Undecided })
}
