//! `corefed solve`.

use std::io::{Write, stderr};

use corefed_data::fit_file;
use corefed_solve::Rule;
use corefed_spec::{Ceiling, WeightsBy};

use super::{SavedTo, finish};
use crate::answer::answer;
use crate::args::{AuditLimits, SolveArgs};
use crate::case::{Case, Terms};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::policy::{DEFAULT_RADIUS, ceiling_policy, resolve_weights};
use crate::timing::Timing;
use crate::watch::Watch;

/// Gap asked of an optimum, relative to the total weight.
pub(crate) const TOLERANCE: f64 = 1e-10;

/// Finds the optimum of a rule and audits it.
pub(crate) fn solve(args: &SolveArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    check_limits(&args.audit)?;
    let mut timing = Timing::start();
    let family = args.model.into();
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
    let solution =
        corefed_solve::solve(&problem, rule, TOLERANCE).map_err(|error| case.infeasible(&error))?;
    timing.lap("solve");
    let mut watch = Watch::new("audit", args.audit.time_limit);
    let fitted = (solution.params.as_slice(), Some((rule, &solution)));
    let (answer, certificate) =
        answer(&case, &problem, fitted, &[], args.audit.epsilon, &mut watch);
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

/// Limits that make no sense are better refused than obeyed.
pub(crate) fn check_limits(limits: &AuditLimits) -> Result<(), Failure> {
    if !(limits.epsilon > 0.0 && limits.epsilon <= 0.1) {
        return Err(Failure::new(format!("`--epsilon` is `{}`", limits.epsilon))
            .hint("the slack of a verdict must lie in (0, 0.1]; the default is 1e-6"));
    }
    if limits.time_limit.is_nan() || limits.time_limit < 0.0 {
        return Err(Failure::new(format!("`--time-limit` is `{}`", limits.time_limit))
            .hint("give seconds, zero or more"));
    }
    Ok(())
}
