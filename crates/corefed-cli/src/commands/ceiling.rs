//! `corefed ceiling`: which ceiling?

use std::io::Write;

use corefed_documents::Document;
use corefed_log::NewFolder;
use corefed_report::{draw_ceiling, folder as pages, summary};
use corefed_run::{PRECISIONS, search_ceiling};
use corefed_spec::{DataSource, Model, Spec};

use crate::args::CeilingArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{self, check_time_limit};

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
    let spec = spec(args)?;
    if let Some(folder) = &args.out {
        NewFolder::check(folder)?;
    }
    context.listen();
    let policy = args.policy.as_ref().unwrap_or(&spec.ceiling);
    let data_dir = args.data_dir.as_deref();
    let found = search_ceiling(&spec, policy, args.precision, data_dir, &context.stop, context)?;
    let Some(document) = found else { return Ok(Exit::Interrupted) };
    if let Some(path) = &args.out {
        let folder = NewFolder::create(path)?;
        folder.write("ceiling.json", document.to_json()?)?;
        folder.write("ceiling.md", summary::ceiling::markdown(&document))?;
        folder.write("ceiling.svg", draw_ceiling(&document))?;
        pages::write(&folder.finish()?, None)?;
    }
    if args.json {
        out.write_all(document.to_json()?.as_bytes())?;
    } else {
        out.write_all(summary::ceiling::terminal(&document).as_bytes())?;
        if let Some(path) = &args.out {
            writeln!(out, "\nwritten to {}/: ceiling.json, .md and .svg", path.display())?;
            writeln!(out, "report: {}", path.join(pages::REPORT).display())?;
        }
    }
    Ok(if document.stable.from.is_some() { Exit::Stable } else { Exit::Undecided })
}

/// The spec with everything that the command line says.
fn spec(args: &CeilingArgs) -> Result<Spec, Failure> {
    let mut settings = args.set.clone();
    let mut set = |key: &str, value: Option<f64>| {
        settings.extend(value.map(|value| (key.to_owned(), format!("{value:?}"))));
    };
    set("radius", args.radius);
    set("held_out", args.held_out);
    set("time_limit", args.time_limit);
    if let Some(limit) = args.time_limit {
        check_time_limit(limit)?;
    }
    let mut spec = match DataSource::File(args.what.clone().into()) {
        data if is_table(&args.what) => {
            settings::changed(table(args, data)?, &settings, args.tolerance)?
        }
        _ if args.agent.is_some() || args.target.is_some() || args.model.is_some() => {
            return Err(Failure::new(format!(
                "`{}` is a spec, which names its columns and its model itself",
                args.what
            ))
            .hint("change them with `--set agent=...`, or give a table"));
        }
        _ if !args.encoding.is_empty() => {
            return Err(Failure::new("a spec says itself how rows become numbers")
                .hint("change it with `--set`, such as `--set l2=0.01` or `--set missing=mean`"));
        }
        _ => settings::spec(&args.what, &settings, args.tolerance)?,
    };
    if let Some(weights) = &args.weights {
        spec.weights = weights.clone();
    }
    Ok(spec)
}

fn is_table(what: &str) -> bool {
    let ending = std::path::Path::new(what).extension();
    ending.is_some_and(|ending| ending == "csv" || ending == "parquet")
}

/// A spec of a table with its columns.
fn table(args: &CeilingArgs, data: DataSource) -> Result<Spec, Failure> {
    let missing = |option: &str| {
        Failure::new(format!("`{}` is a table, and `{option}` is missing", args.what))
            .hint("name its columns and the model: `--agent`, `--target` and `--model`")
    };
    let agent = args.agent.clone().ok_or_else(|| missing("--agent"))?;
    let target = args.target.clone().ok_or_else(|| missing("--target"))?;
    let family = args.model.ok_or_else(|| missing("--model"))?;
    // Keys that the table does not decide have the defaults of a spec.
    let blank = format!("data = 'x.csv'\nagent = 'a'\ntarget = 'b'\nmodel = '{family}'");
    let blank = Spec::parse("corefed ceiling", &blank)?;
    let encoding = args.encoding.options(&agent, &target, family);
    Ok(Spec {
        data,
        agent: Some(agent),
        target: Some(target),
        model: Model::Linear(family),
        exposure: encoding.exposure_column,
        l2: encoding.l2,
        intercept: encoding.intercept,
        raw: encoding.raw,
        allow: encoding.allow,
        missing: encoding.missing,
        na: encoding.na,
        columns: encoding.types.into_iter().collect(),
        ..blank
    })
}
