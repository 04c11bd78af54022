//! A fitted predictor on data, against every other in the ball.

use std::io::Write;
use std::path::Path;

use corefed_core::{Feature, OPTIMUM_TOLERANCE, Predictor, TRAINED_TOLERANCE};
use corefed_run::{Audited, Given, GivenPredictor, Limits, Observers, Units};

use super::unused::{Mode, encoding_flags, refuse};
use corefed_report::console;

use crate::args::AuditArgs;
use crate::commands::answer::SavedTo;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{check_tolerance, time_limit};

pub(super) fn audit(
    args: &AuditArgs,
    path: &Path,
    saved: &SavedTo<'_>,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    refuse(args, Mode::Predictor)?;
    saved.check()?;
    let time_limit = time_limit(&args.audit)?;
    let file = GivenPredictor::read(path)?;
    // An optimum is solved to more digits than a model that somebody trained.
    let usual = if file.fitted { OPTIMUM_TOLERANCE } else { TRAINED_TOLERANCE };
    let tolerance = args.audit.tolerance.unwrap_or(usual);
    check_tolerance(tolerance, false)?;
    let options = match (&file.predictor, &args.agent, &args.target, args.model) {
        (Some(predictor), ..) => {
            contradictions(args, path, predictor)?;
            None
        }
        (None, Some(agent), Some(target), Some(model)) => {
            Some(args.encoding.options(agent, target, model))
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
        data: &args.file,
        agent: args.agent.as_deref(),
        target: args.target.as_deref(),
        options: options.as_ref(),
        units: args.units.map_or(Units::Standardised, Units::from),
        positive: args.positive.as_deref(),
        radius: args.terms.radius,
        ceiling: args.terms.ceiling.as_ref(),
        weights: args.terms.weights.as_ref(),
    };
    let (case, parameters) = given.case()?;
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let audited = Audited::given("audit", &parameters);
    let limits = Limits { tolerance, time_limit };
    let (audit, certificate) =
        case.audit(&problem, &audited, limits, &context.stop, &mut *context.watch("audit"))?;
    let listed = saved.coalitions(&case, &problem, &parameters);
    let mut told = console::predictor(&audit);
    if let (None, Some(predictor)) = (&file.predictor, &audit.predictor) {
        told = format!("{}\n\n{told}", understood(&given, predictor));
    }
    saved.finish(&audit, &certificate, listed.as_ref(), &told, out)
}

/// How parameters by name were understood, which their file does not say.
fn understood(given: &Given<'_>, predictor: &Predictor) -> String {
    let units = match given.units {
        Units::Raw => "raw",
        Units::Standardised => "standardised",
    };
    let class = match predictor.encoding.classes.as_slice() {
        [_, second] => format!(", for the class `{}`", given.positive.unwrap_or(second)),
        _ => String::new(),
    };
    format!("parameters are taken in {units} units{class}")
}

/// Refuses flags that say something else than a file with its own encoding.
fn contradictions(args: &AuditArgs, path: &Path, stored: &Predictor) -> Result<(), Failure> {
    let file = path.display();
    let Predictor { family, l2, encoding, .. } = stored;
    let says = |flag: String, holds: String| {
        Err(Failure::new(format!("{flag}, but `{file}` {holds}"))
            .hint("leave the flag out: the file says itself how its predictor was fitted"))
    };
    let intercept = encoding.features.iter().any(|feature| matches!(feature, Feature::Intercept));
    let plain = |feature: &Feature| match feature {
        Feature::Numeric { mean, scale, .. } => *mean == 0.0 && *scale == 1.0,
        Feature::Intercept => true,
        Feature::Level { .. } => false,
    };
    for (flag, asked, own) in [
        ("--agent", &args.agent, &encoding.agent_column),
        ("--target", &args.target, &encoding.target_column),
    ] {
        let is_feature =
            |asked: &&String| encoding.features.iter().any(|f| column(f) == Some(asked));
        if let Some(asked) = asked.as_ref().filter(is_feature) {
            let holds = format!("has `{own}` there and predicts from `{asked}`");
            return says(format!("`{flag}` is `{asked}`"), holds);
        }
    }
    if let Some(model) = args.model.filter(|model| model != family) {
        return says(format!("`--model` is `{model}`"), format!("holds a {family} predictor"));
    }
    if let Some(asked) = args.encoding.l2.filter(|asked| asked != l2) {
        return says(format!("`--l2` is `{asked}`"), format!("was fitted with `{l2}`"));
    }
    if args.encoding.no_intercept && intercept {
        return says("`--no-intercept` is given".to_owned(), "has an intercept".to_owned());
    }
    if args.encoding.raw && !encoding.features.iter().all(plain) {
        let holds = "has standardised or text columns".to_owned();
        return says("`--raw` is given".to_owned(), holds);
    }
    if args.encoding.exposure.is_some() && args.encoding.exposure != encoding.exposure_column {
        let asked = args.encoding.exposure.as_deref().unwrap_or_default();
        let own =
            encoding.exposure_column.as_deref().map_or("none".to_owned(), |own| format!("`{own}`"));
        return says(format!("`--exposure` is `{asked}`"), format!("has {own} for its exposure"));
    }
    if let (Some(asked), [_, second]) = (&args.positive, encoding.classes.as_slice())
        && asked != second
    {
        return says(
            format!("`--positive` is `{asked}`"),
            format!("speaks for the class `{second}`"),
        );
    }
    let always = ["--allow", "--missing", "--column"];
    let given = encoding_flags(&args.encoding)
        .into_iter()
        .find(|(flag, given)| *given && always.contains(flag));
    let unused = given.map(|(flag, _)| flag).or(args.units.map(|_| "--units"));
    match unused {
        Some(flag) => {
            says(format!("`{flag}` is given"), "says itself how cells become numbers".to_owned())
        }
        None => Ok(()),
    }
}

/// The raw column of a feature.
fn column(feature: &Feature) -> Option<&String> {
    match feature {
        Feature::Numeric { column, .. } | Feature::Level { column, .. } => Some(column),
        Feature::Intercept => None,
    }
}
