//! `corefed audit --predictor`.

use std::io::Write;
use std::path::Path;

use corefed_core::{Encoding, OPTIMUM_TOLERANCE, Predictor, TRAINED_TOLERANCE, linalg::norm_l2};
use corefed_data::{AppliedFile, Encoded, FitFile, apply_file, fit_file};
use corefed_solve::{CeilingPolicy, ball_for};
use corefed_spec::{Ceiling, WeightsBy};
use serde_json::Value;

use super::solve::{check_time_limit, check_tolerance};
use super::{SavedTo, audit_table::audit_table, finish};
use crate::answer::answer;
use crate::args::AuditArgs;
use crate::case::{Case, Terms};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::policy::{DEFAULT_RADIUS, ceiling_policy, resolve_weights};
use crate::predictor_file::{PredictorFile, agent_terms, flatten};
use crate::watch::Watch;

/// Audits a predictor on data, or a table of utilities.
pub(crate) fn audit(args: &AuditArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    check_time_limit(args.audit.time_limit)?;
    match (&args.incumbent, &args.predictor) {
        (Some(incumbent), _) => audit_table(args, incumbent, out),
        (None, Some(path)) => audit_predictor(args, path, out),
        (None, None) => Err(Failure::new("nothing to audit")
            .hint("name a fitted predictor with `--predictor` or a row with `--incumbent`")),
    }
}

fn audit_predictor(args: &AuditArgs, path: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
    let file = PredictorFile::read(path)?;
    // An optimum is solved to more digits than a model that somebody trained.
    let usual = if file.fitted { OPTIMUM_TOLERANCE } else { TRAINED_TOLERANCE };
    let tolerance = args.audit.tolerance.unwrap_or(usual);
    check_tolerance(tolerance, false)?;
    let (data, family, l2) = encode(args, &file)?;
    let encoded = &data.encoded;
    let parameters = match &file.predictor {
        Some(predictor) => predictor.parameters.clone(),
        None => flatten(path, &file.parameters, &encoded.encoding, family)?,
    };
    let stored = file.predictor.as_ref();
    let radius =
        args.terms.radius.or(stored.map(|predictor| predictor.radius)).unwrap_or(DEFAULT_RADIUS);
    // What the user does not ask for stays as it was when the predictor was fitted.
    let agents = encoded.federation.agents();
    let as_fitted = agent_terms(&file.agents, agents);
    let ceiling = match (&args.terms.ceiling, &as_fitted) {
        (Some(ceiling), _) => ceiling_policy(ceiling, agents)?,
        (None, Some(terms)) => CeilingPolicy::PerAgent(terms.ceilings.clone()),
        (None, None) => ceiling_policy(&Ceiling::DEFAULT, agents)?,
    };
    let weights = match (&args.terms.weights, as_fitted) {
        (Some(weights), _) => resolve_weights(weights, agents)?,
        (None, Some(terms)) => terms.weights,
        (None, None) => resolve_weights(&WeightsBy::Equal, agents)?,
    };
    let Some(ball) = ball_for(radius, &parameters) else {
        let norm = norm_l2(&parameters);
        return Err(Failure::new(format!(
            "{}: the parameters have norm {norm:.6}, outside the ball of radius {radius}",
            path.display()
        ))
        .hint("pass a larger `--radius`; rivals are searched in the same ball"));
    };
    let terms = Terms { family, l2, radius, weights, ceiling };
    let case = Case::new(data, terms)?.in_ball(ball);
    let losses = case.losses();
    let problem = case.problem(&*losses);
    let mut watch = Watch::new("audit", args.audit.time_limit);
    let (answer, certificate) =
        answer(&case, &problem, (&parameters, None), &[], tolerance, &mut watch)?;
    drop(watch);
    let files = SavedTo::new(
        args.certificate.as_deref(),
        args.report.as_deref(),
        (&case, &problem),
        &parameters,
    );
    finish(&answer, &certificate, &files, args.json, out)
}

/// Encodes the data as the predictor was fitted, or afresh when only parameters are given.
fn encode(
    args: &AuditArgs,
    file: &PredictorFile,
) -> Result<(FitFile, corefed_core::Family, f64), Failure> {
    if let Some(Predictor { family, l2, encoding, .. }) = &file.predictor {
        let encoding = Encoding {
            agent_column: args.agent.clone().unwrap_or_else(|| encoding.agent_column.clone()),
            target_column: args.target.clone().unwrap_or_else(|| encoding.target_column.clone()),
            ..encoding.clone()
        };
        let AppliedFile { federation, digest, file } = apply_file(&args.file, &encoding, *family)?;
        if federation.agents().len() < 2 {
            return Err(Failure::new(format!("{file}: the data have a single agent"))
                .hint("a coalition needs somebody to leave: give data of at least two agents"));
        }
        let encoded = Encoded { encoding, federation };
        return Ok((FitFile { encoded, digest, file }, *family, *l2));
    }
    let (Some(agent), Some(target), Some(model)) = (&args.agent, &args.target, args.model) else {
        return Err(Failure::new("the predictor file holds parameters only").hint(
            "say what they mean with `--agent`, `--target` and `--model`, or audit the JSON of \
             `corefed solve --json`",
        ));
    };
    let options = args.encoding.options(agent, target, model);
    Ok((fit_file(&args.file, &options)?, model, options.l2))
}

/// Reads a JSON document and says which file is to blame.
pub(crate) fn read_json(path: &Path) -> Result<Value, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| Failure::file("read", path, &e))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("`{}` is not JSON: {error}", path.display())))
}
