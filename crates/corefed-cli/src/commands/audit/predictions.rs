//! One model against others, by what they predict for every row.

use std::io::Write;
use std::path::Path;

use corefed_report::console;
use corefed_run::{AskedPredictions, ForeignModels, check_tolerance, table_weights};

use super::unused::{Mode, refuse};

use crate::args::AuditArgs;
use crate::commands::answer::SavedTo;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::save;

pub(super) fn audit(
    args: &AuditArgs,
    path: &Path,
    saved: &SavedTo<'_>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    refuse(args, Mode::Predictions)?;
    let asked = AskedPredictions {
        data: args.file(),
        written: args.table.written.told(),
        predictions: path,
        agent: args.table.agent.as_deref(),
        target: args.table.target.as_deref(),
        loss: args.loss,
        positive: args.positive.as_deref(),
        clip: args.clip,
        ceiling: args.terms.ceiling.as_ref(),
    };
    let (files, judged) = asked.files()?;
    let _claimed = saved.check()?;
    saved.names_utilities()?;
    let tolerance = args.audit.tolerance.unwrap_or(0.0);
    check_tolerance(tolerance, true)?;
    let (rows, models, place) = files.read()?;
    let ceiling = asked.ceiling(&rows.agents)?;
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
