//! A fitted predictor on data, against every other in the ball.

use std::io::Write;
use std::path::Path;

use corefed_core::{Choice, OPTIMUM_TOLERANCE, TRAINED_TOLERANCE};
use corefed_run::{Audited, Claims, Given, GivenPredictor, Observers, Units};

use super::unused::{Mode, refuse};
use corefed_report::console;

use crate::args::AuditArgs;
use crate::commands::answer::SavedTo;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::limits;

pub(super) fn audit(
    args: &AuditArgs,
    path: &Path,
    saved: &SavedTo<'_>,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    refuse(args, Mode::Predictor)?;
    let _claimed = saved.check()?;
    let file = GivenPredictor::read(path)?;
    // An optimum is solved to more digits than a model that somebody trained.
    let usual = if file.fitted { OPTIMUM_TOLERANCE } else { TRAINED_TOLERANCE };
    let limits = limits(&args.audit, usual, false)?;
    let options = match (&file.predictor, &args.table.agent, &args.table.target, args.table.model) {
        (Some(predictor), ..) => {
            claims(args).check(path, predictor)?;
            None
        }
        (None, Some(agent), Some(target), Some(model)) => {
            Some(args.encoding.options((agent, target), model, args.table.written.told()))
        }
        (None, ..) => {
            return Err(Failure::new("the predictor file holds parameters only").hint(
                "say what they mean with `--agent`, `--target` and `--model`, or audit the JSON of \
                 `corefed solve --json`",
            ));
        }
    };
    let given = Given {
        path,
        file: &file,
        data: args.file(),
        written: args.table.written.told(),
        agent: args.table.agent.as_deref(),
        target: args.table.target.as_deref(),
        options: options.as_ref(),
        units: args.units.unwrap_or(Units::Standardised),
        positive: args.positive.as_deref(),
        radius: args.terms.radius,
        ceiling: args.terms.ceiling.as_ref(),
        weights: args.terms.weights.as_ref(),
    };
    let (case, parameters) = given.case()?;
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let audited = Audited::given("audit", &parameters);
    let (audit, certificate) =
        case.audit(&problem, &audited, limits, &context.stop, &mut *context.watch("audit"))?;
    let listed = saved.coalitions(&case, &problem, &parameters);
    let told = match &file.predictor {
        Some(_) => console::predictor(&audit),
        None => console::bare_predictor(&audit, given.units.word(), given.positive),
    };
    saved.finish(&audit, &certificate, listed.as_ref(), &told, out)
}

/// What the flags say about a predictor that is stored whole.
fn claims(args: &AuditArgs) -> Claims<'_> {
    let encoding = &args.encoding;
    let always = ["--allow", "--missing", "--column"];
    let mut given = encoding.flags().into_iter().filter(|(_, given)| *given);
    let cells = given.find(|(flag, _)| always.contains(flag)).map(|(flag, _)| flag);
    Claims {
        agent: args.table.agent.as_deref(),
        target: args.table.target.as_deref(),
        model: args.table.model,
        l2: encoding.l2,
        no_intercept: encoding.no_intercept,
        raw: encoding.raw,
        exposure: encoding.exposure.as_deref(),
        positive: args.positive.as_deref(),
        cells: cells.or(args.units.map(|_| "--units")),
    }
}
