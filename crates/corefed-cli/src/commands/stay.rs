//! `corefed stay`: is the shared model worth staying for?

use std::io::Write;
use std::path::Path;

use corefed_documents::{Document, StayVerdict, WhatIfQuestion};
use corefed_log::NewFolder;
use corefed_report::{folder as pages, shown_path, summary};
use corefed_run::{
    HELD_OUT, Level, StaySettings, Which, add_stay, publish_stay, spec_of_run, stay as answer,
};
use corefed_solve::Rule;
use corefed_spec::Spec;

use crate::args::StayArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings;

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
    let mut spec = settings::table_or_spec(&what, (&args.table, &args.encoding), &args.set, None)?;
    spec.seed = args.seed.unwrap_or(spec.seed);
    let terms = &args.terms;
    spec.ceiling = terms.ceiling.clone().unwrap_or(spec.ceiling);
    spec.weights = terms.weights.clone().unwrap_or(spec.weights);
    spec.radius = terms.radius.unwrap_or(spec.radius);
    Ok(spec)
}

fn settings_of(args: &StayArgs, spec: &Spec) -> Result<StaySettings, Failure> {
    if let (Some(_), Some(train)) = (args.rule, &spec.train) {
        let told =
            format!("`--rule` is for optima, and this spec trains by `{}`", train.rule.label());
        return Err(Failure::new(told).hint("change it with `--set train.rule=...`"));
    }
    let level = Level::new(args.level)
        .map_err(|error| Failure::new(error.to_string()).hint("0.9 is the usual level"))?;
    let kept = Some(spec.held_out).filter(|share| *share > 0.0);
    let questions = StaySettings::questions([
        (WhatIfQuestion::Without, &args.without),
        (WhatIfQuestion::With, &args.with),
        (WhatIfQuestion::Expel, &args.expel),
    ]);
    Ok(StaySettings {
        rule: args.rule.unwrap_or(Rule::Core),
        share: args.held_out.or(kept).unwrap_or(HELD_OUT),
        hold_out: args.split.clone(),
        repeats: args.repeats as usize,
        level,
        margin: args.margin,
        support: args.support,
        which: Which::asked(args.all, args.coalitions.map(|count| count as usize)),
        questions,
        time_limit: args.time_limit,
    })
}
