//! `corefed solve`.

use std::io::{Write, stderr};

use corefed_core::{LARGEST_TOLERANCE, OPTIMUM_TOLERANCE};
use corefed_data::fit_file;
use corefed_solve::Rule;
use corefed_spec::{Ceiling, WeightsBy};

use super::{SavedTo, finish};
use crate::answer::answer;
use crate::args::SolveArgs;
use crate::case::{Case, Terms};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::policy::{DEFAULT_RADIUS, ceiling_policy, resolve_weights};
use crate::timing::Timing;
use crate::watch::Watch;

/// Gap asked of an optimum, relative to the total weight.
pub(crate) const SOLVER_GAP: f64 = 1e-10;

/// Finds the optimum of a rule and audits it.
pub(crate) fn solve(args: &SolveArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let tolerance = args.audit.tolerance.unwrap_or(OPTIMUM_TOLERANCE);
    check_tolerance(tolerance, false)?;
    check_time_limit(args.audit.time_limit)?;
    let mut timing = Timing::start();
    let family = args.model;
    let data = fit_file(&args.file, &args.encoding.options(&args.agent, &args.target, family))?;
    let agents = data.encoded.federation.agents();
    let terms = Terms {
        family,
        l2: args.encoding.l2.unwrap_or(0.0),
        radius: args.terms.radius.unwrap_or(DEFAULT_RADIUS),
        weights: resolve_weights(args.terms.weights.as_ref().unwrap_or(&WeightsBy::Equal), agents)?,
        ceiling: ceiling_policy(args.terms.ceiling.as_ref().unwrap_or(&Ceiling::DEFAULT), agents)?,
    };
    let case = Case::new(data, terms)?;
    timing.lap("read and encode");
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let rule = Rule::from(args.rule);
    let solution = corefed_solve::solve(&problem, rule, SOLVER_GAP)
        .map_err(|error| case.infeasible(&error))?;
    timing.lap("solve");
    let mut watch = Watch::new("audit", args.audit.time_limit);
    let fitted = (solution.params.as_slice(), Some((rule, &solution)));
    let (answer, certificate) = answer(&case, &problem, fitted, &[], tolerance, &mut watch)?;
    drop(watch);
    timing.lap("audit");
    if args.timing {
        // Talk that cannot be written is not worth failing for.
        let _ = writeln!(stderr(), "{timing}");
    }
    let files = SavedTo::new(
        args.certificate.as_deref(),
        args.report.as_deref(),
        (&case, &problem),
        &solution.params,
    );
    finish(&answer, &certificate, &files, args.json, out)
}

/// A tolerance that `stable` still means something with; zero only where arithmetic is exact.
pub(crate) fn check_tolerance(tolerance: f64, exact: bool) -> Result<(), Failure> {
    if tolerance <= LARGEST_TOLERANCE && (tolerance > 0.0 || exact && tolerance == 0.0) {
        return Ok(());
    }
    let range = if exact { "[0, 0.1]" } else { "(0, 0.1]" };
    Err(Failure::new(format!("`--tolerance` is `{tolerance}`")).hint(format!(
        "gains up to the tolerance do not count in a verdict; it must lie in {range}"
    )))
}

/// A time that makes no sense is better refused than obeyed.
pub(crate) fn check_time_limit(seconds: f64) -> Result<(), Failure> {
    if seconds.is_nan() || seconds < 0.0 {
        return Err(Failure::new(format!("`--time-limit` is `{seconds}`"))
            .hint("give seconds, zero or more"));
    }
    Ok(())
}
