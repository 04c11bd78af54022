//! `corefed audit`.

use std::io::Write;
use std::path::Path;

use corefed_core::{OPTIMUM_TOLERANCE, TRAINED_TOLERANCE};
use corefed_run::{Audited, Given, GivenPredictor, Limits, Observers, audit_table};

use super::answer::SavedTo;
use crate::args::AuditArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{check_time_limit, check_tolerance};
use crate::text;

/// Audits a predictor on data, or a table of utilities.
pub(crate) fn audit(
    args: &AuditArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    check_time_limit(args.audit.time_limit)?;
    match (&args.incumbent, &args.predictor) {
        (Some(incumbent), _) => audit_row(args, incumbent, out),
        (None, Some(path)) => audit_predictor(args, path, context, out),
        (None, None) => Err(Failure::new("nothing to audit")
            .hint("name a fitted predictor with `--predictor` or a row with `--incumbent`")),
    }
}

fn saved_to(args: &AuditArgs) -> SavedTo<'_> {
    SavedTo {
        certificate: args.certificate.as_deref(),
        report: args.report.as_deref(),
        json: args.json,
    }
}

/// One row of a table of utilities against all others.
fn audit_row(args: &AuditArgs, incumbent: &str, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.terms.ceiling.is_some() || args.terms.radius.is_some() {
        return Err(Failure::new("a table of utilities has no ceilings and no ball")
            .hint("drop `--ceiling` and `--radius`, or audit a predictor with `--predictor`"));
    }
    // Tables are judged exactly, so nothing is tolerated unless it is asked for.
    let tolerance = args.audit.tolerance.unwrap_or(0.0);
    check_tolerance(tolerance, true)?;
    let weights = args.terms.weights.as_ref();
    let (audit, certificate) = audit_table(&args.file, incumbent, weights, tolerance)?;
    saved_to(args).finish(&audit, &certificate, None, &text::row(&audit), out)
}

fn audit_predictor(
    args: &AuditArgs,
    path: &Path,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let file = GivenPredictor::read(path)?;
    // An optimum is solved to more digits than a model that somebody trained.
    let usual = if file.fitted { OPTIMUM_TOLERANCE } else { TRAINED_TOLERANCE };
    let tolerance = args.audit.tolerance.unwrap_or(usual);
    check_tolerance(tolerance, false)?;
    let options = match (&args.agent, &args.target, args.model) {
        (Some(agent), Some(target), Some(model)) => {
            Some(args.encoding.options(agent, target, model))
        }
        _ if file.predictor.is_none() => {
            return Err(Failure::new("the predictor file holds parameters only").hint(
                "say what they mean with `--agent`, `--target` and `--model`, or audit the JSON of \
                 `corefed solve --json`",
            ));
        }
        _ => None,
    };
    let given = Given {
        path,
        file: &file,
        data: &args.file,
        agent: args.agent.as_deref(),
        target: args.target.as_deref(),
        options: options.as_ref(),
        radius: args.terms.radius,
        ceiling: args.terms.ceiling.as_ref(),
        weights: args.terms.weights.as_ref(),
    };
    let (case, parameters) = given.case()?;
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let audited = Audited::given("audit", &parameters);
    let limits = Limits { tolerance, time_limit: args.audit.time_limit };
    let (audit, certificate) =
        case.audit(&problem, &audited, limits, &context.stop, &mut *context.watch("audit"))?;
    let saved = saved_to(args);
    let listed = saved.coalitions(&case, &problem, &parameters);
    saved.finish(&audit, &certificate, listed.as_ref(), &text::predictor(&audit), out)
}
