//! `corefed stay`: is the shared model worth staying for?

use std::io::Write;
use std::path::Path;

use corefed_documents::{Document, StayVerdict, WhatIfQuestion};
use corefed_log::NewFolder;
use corefed_report::{folder as pages, shown_path, summary};
use corefed_run::{
    RunError, StaySettings, Which, add_stay, publish_stay, spec_of_run, stay as answer,
};
use corefed_spec::{Overrides, Spec};

use crate::args::StayArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::table_or_spec;

/// Asks every group, prints the answer and writes it down where asked.
pub(crate) fn stay(
    args: &StayArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    args.out.as_ref().map(NewFolder::check).transpose()?;
    let spec = spec(args)?;
    context.listen();
    let data_dir = args.data_dir.as_deref();
    let settings = settings_of(args, &spec)?;
    let Some(found) = answer(&spec, &settings, data_dir, &context.stop, context)? else {
        return Ok(Exit::Interrupted);
    };
    let run = run_folder(args);
    if let Some(path) = &args.out {
        publish_stay(&found, path)?;
    } else if let Some(folder) = run {
        add_stay(&found, folder)?;
    }
    if args.json {
        out.write_all(found.to_json()?.as_bytes())?;
    } else {
        out.write_all(summary::stay::text(&found).as_bytes())?;
        if let Some(path) = args.out.as_deref().or(run) {
            writeln!(out, "\nwritten: {}", shown_path(path))?;
            writeln!(out, "report: {}", shown_path(&path.join(pages::REPORT)))?;
        }
    }
    Ok(match found.verdict {
        StayVerdict::Stable => Exit::Stable,
        StayVerdict::Leave => Exit::Blocked,
        StayVerdict::Open => Exit::Undecided,
    })
}

/// The folder of a run, whose page then shows the answer. A preset keeps its name beside a folder called so.
fn run_folder(args: &StayArgs) -> Option<&Path> {
    Some(Path::new(&args.what)).filter(|path| Spec::preset(&args.what).is_none() && path.is_dir())
}

/// The spec with everything that the command line says.
fn spec(args: &StayArgs) -> Result<Spec, Failure> {
    let what = match run_folder(args) {
        Some(folder) => spec_of_run(folder)?.display().to_string(),
        None => args.what.clone(),
    };
    let by = Overrides {
        set: &args.set,
        seed: args.seed,
        ceiling: args.terms.ceiling.as_ref(),
        radius: args.terms.radius,
        weights: args.terms.weights.as_ref(),
        ..Overrides::default()
    };
    table_or_spec(&what, (&args.table, &args.encoding), &by)
}

fn settings_of(args: &StayArgs, spec: &Spec) -> Result<StaySettings, RunError> {
    let questions = StaySettings::questions([
        (WhatIfQuestion::Without, &args.without),
        (WhatIfQuestion::With, &args.with),
        (WhatIfQuestion::Expel, &args.expel),
    ]);
    Ok(StaySettings {
        rule: StaySettings::rule(args.rule, spec)?,
        share: StaySettings::share(args.held_out, spec),
        hold_out: args.split.clone(),
        repeats: args.repeats as usize,
        level: StaySettings::level(args.level)?,
        margin: args.margin,
        support: args.support,
        which: Which::asked(args.all, args.coalitions.map(|count| count as usize)),
        questions,
        time_limit: args.time_limit,
    })
}
