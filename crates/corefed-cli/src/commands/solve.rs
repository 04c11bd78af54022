//! `corefed solve`.

use std::io::{Write, stderr};

use corefed_core::OPTIMUM_TOLERANCE;
use corefed_data::{excerpt, fit_file, read_table};
use corefed_run::{
    Audited, Case, CaseTerms, DEFAULT_RADIUS, Limits, Observers, ceiling_policy, resolve_weights,
};
use corefed_spec::{Ceiling, WeightsBy};

use super::answer::SavedTo;
use corefed_report::console;

use crate::args::SolveArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{check_tolerance, time_limit};

use crate::timing::Timing;

/// Finds the optimum of a rule and audits it.
pub(crate) fn solve(
    args: &SolveArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let tolerance = args.audit.tolerance.unwrap_or(OPTIMUM_TOLERANCE);
    check_tolerance(tolerance, false)?;
    let time_limit = time_limit(&args.audit)?;
    let saved = SavedTo {
        certificate: args.certificate.as_deref(),
        report: args.report.as_deref(),
        utilities: None,
        json: args.json,
    };
    saved.check()?;
    let mut timing = Timing::start();
    let family = args.model;
    let agent = named(args, args.agent.as_deref(), "--agent", "the owner of a row")?;
    let target = named(args, args.target.as_deref(), "--target", "what to predict")?;
    let data = fit_file(&args.file, &args.encoding.options(agent, target, family))?;
    let agents = data.encoded.federation.agents();
    let usual = Ceiling::default_of(Some(family), args.encoding.raw);
    let terms = CaseTerms {
        family,
        l2: args.encoding.l2.unwrap_or(0.0),
        radius: args.terms.radius.unwrap_or(DEFAULT_RADIUS),
        weights: resolve_weights(args.terms.weights.as_ref().unwrap_or(&WeightsBy::Equal), agents)?,
        ceiling: ceiling_policy(args.terms.ceiling.as_ref().unwrap_or(&usual), agents)?,
        held_out: None,
    };
    let case = Case::new(data, terms)?;
    timing.lap("read and encode");
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let solution = case.solve(&problem, args.rule)?;
    timing.lap("solve");
    let audited = Audited::solution("audit", args.rule, &solution);
    let limits = Limits { tolerance, time_limit };
    let (audit, certificate) =
        case.audit(&problem, &audited, limits, &context.stop, &mut *context.watch("audit"))?;
    timing.lap("audit");
    if args.timing {
        // Talk that cannot be written is not worth failing for.
        let _ = writeln!(stderr(), "{timing}");
    }
    let listed = saved.coalitions(&case, &problem, &solution.params);
    saved.finish(&audit, &certificate, listed.as_ref(), &console::predictor(&audit), out)
}

/// A column that the user must name; who has not is shown what there is.
fn named<'a>(
    args: &SolveArgs,
    column: Option<&'a str>,
    flag: &str,
    what: &str,
) -> Result<&'a str, Failure> {
    if let Some(column) = column {
        return Ok(column);
    }
    let table = read_table(&args.file)?;
    let names: Vec<String> =
        table.columns().iter().map(|name| format!("`{}`", excerpt(name))).collect();
    Err(Failure::new(format!("which column says {what}?")).hint(format!(
        "name it with `{flag}`; {} has {}",
        args.file.display(),
        names.join(", ")
    )))
}
