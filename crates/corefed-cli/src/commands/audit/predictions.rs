//! One model against others, by what they predict for every row.

use std::io::Write;
use std::path::Path;

use corefed_core::CeilingPolicy;
use corefed_run::{ForeignModels, Judged, OwnedRows, PredictionFiles, RowLoss, table_weights};
use corefed_spec::Ceiling;

use super::unused::{Mode, refuse};
use corefed_report::console;

use crate::args::AuditArgs;
use crate::commands::answer::SavedTo;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::save;
use crate::settings::check_tolerance;

pub(super) fn audit(
    args: &AuditArgs,
    path: &Path,
    saved: &SavedTo<'_>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    refuse(args, Mode::Predictions)?;
    let (files, judged) = asked(args, path)?;
    saved.check()?;
    if args.certificate.is_some() && args.utilities.is_none() {
        return Err(Failure::new(
            "a certificate speaks of a file with the utilities of all models",
        )
        .hint("name one with `--utilities FILE.csv`"));
    }
    let tolerance = args.audit.tolerance.unwrap_or(0.0);
    check_tolerance(tolerance, true)?;
    let (rows, models, place) = files.read()?;
    let ceiling = ceiling(args, &rows)?;
    let weights = args.terms.weights.as_ref();
    let weights = table_weights(weights, &rows.agents, Some(&rows.samples()))?;
    let found = ForeignModels::new(&rows, models, judged, &ceiling, weights, &place)?;
    let incumbent = args.incumbent.as_ref().unwrap_or(&found.models[0]);
    let (mut audit, certificate) = found.audit(incumbent, tolerance)?;
    audit.file = Some(path.display().to_string());
    let losses = found.losses.iter().map(Vec::as_slice);
    let models: Vec<(&str, &[f64])> = found.models.iter().map(String::as_str).zip(losses).collect();
    let told = console::models(&audit, &models);
    let exit = saved.finish(&audit, &certificate, None, &told, out)?;
    if let Some(path) = &args.utilities {
        save(path, found.utilities_csv()?, out)?;
    }
    Ok(exit)
}

/// What the arguments ask, checked for what is missing.
fn asked<'a>(
    args: &'a AuditArgs,
    path: &'a Path,
) -> Result<(PredictionFiles<'a>, Judged), Failure> {
    let missing = |flag: &str, hint: &str| {
        Err(Failure::new(format!("`--predictions` needs `{flag}`")).hint(hint))
    };
    let Some(loss) = args.loss else {
        return missing(
            "--loss",
            "the losses are `squared`, `absolute`, `log`, `zero-one`, `poisson` and `given`",
        );
    };
    let Some(agent) = args.agent.as_deref() else {
        return missing("--agent COLUMN", "name the column of the data that says whose a row is");
    };
    match (args.target.is_some(), loss == RowLoss::Given) {
        (true, true) => {
            return Err(Failure::new("`--target` has no effect: rows come with their losses")
                .hint("drop `--target`, or name another `--loss`"));
        }
        (false, false) => {
            return missing("--target COLUMN", "name the column of the data that was predicted");
        }
        _ => {}
    }
    if args.positive.is_some() && loss != RowLoss::Log {
        return Err(Failure::new(format!("`--positive` has no effect on the loss `{loss}`"))
            .hint("drop it; it goes with probabilities, `--loss log`"));
    }
    let clip = args.clip.unwrap_or(0.0);
    if args.clip.is_some() && loss != RowLoss::Log {
        return Err(Failure::new(format!("`--clip` has no effect on the loss `{loss}`"))
            .hint("drop it; it goes with probabilities, `--loss log`"));
    }
    if !(0.0..=0.5).contains(&clip) {
        return Err(Failure::new(format!("`--clip` is `{clip}`"))
            .hint("give a small probability, such as 0.001"));
    }
    let files = PredictionFiles {
        data: &args.file,
        predictions: path,
        agent,
        target: args.target.as_deref(),
        loss,
        positive: args.positive.as_deref(),
    };
    Ok((files, Judged { loss, clip }))
}

/// Half as much again as the best common constant costs, unless told.
fn ceiling(args: &AuditArgs, rows: &OwnedRows) -> Result<CeilingPolicy, Failure> {
    let asked = args.terms.ceiling.clone();
    if asked.is_none() && args.loss == Some(RowLoss::Given) {
        return Err(Failure::new("losses that rows come with do not say what a ceiling could be")
            .hint("give `--ceiling`: a number, or a CSV file with columns `agent,ceiling`"));
    }
    let ceiling = asked.unwrap_or(Ceiling::PooledConstant(1.5));
    let policy = ceiling.policy(rows.agents.iter().map(String::as_str));
    Ok(policy?)
}
