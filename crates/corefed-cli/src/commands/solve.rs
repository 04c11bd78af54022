//! `corefed solve`.

use std::io::Write;

use corefed_core::OPTIMUM_TOLERANCE;
use corefed_report::console;
use corefed_run::{
    AskedTerms, Audited, Observers, PrepareError, RunError, Timing, named_column, table_case,
};

use super::answer::SavedTo;
use crate::args::{SolveArgs, TableArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::limits;

/// Finds the optimum of a rule and audits it.
pub(crate) fn solve(
    args: &SolveArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let limits = limits(&args.audit, OPTIMUM_TOLERANCE, false)?;
    let saved = SavedTo { asked: &args.saved, utilities: None };
    let _claimed = saved.check()?;
    let mut timing = Timing::start();
    let TableArgs { agent, target, model, written } = &args.table;
    let (file, written) = (&args.file, written.told());
    let agent = named_column((file, written), agent.as_deref(), "agent", "the owner of a row")?;
    let target = named_column((file, written), target.as_deref(), "target", "what to predict")?;
    let model = model.ok_or_else(|| RunError::from(PrepareError::WhichModel))?;
    let asked = AskedTerms {
        radius: args.terms.radius,
        weights: args.terms.weights.as_ref(),
        ceiling: args.terms.ceiling.as_ref(),
    };
    let options = args.encoding.options((agent, target), model, written);
    let case = table_case(file, &options, asked)?;
    timing.lap("read and encode");
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let solution = case.solve_within(&problem, args.rule, limits.time_limit)?;
    timing.lap("solve");
    let audited = Audited::solution("audit", args.rule, &solution);
    let (audit, certificate) =
        case.audit(&problem, &audited, limits, &context.stop, &mut *context.watch("audit"))?;
    timing.lap("audit");
    if args.timing {
        context.say(&timing.to_string());
    }
    let listed = saved.coalitions(&case, &problem, &solution.params);
    saved.finish(&audit, &certificate, listed.as_ref(), &console::predictor(&audit), out)
}
