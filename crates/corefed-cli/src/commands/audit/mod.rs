//! `corefed audit`: a predictor on data, models by their predictions, or a row of a table.

mod predictions;
mod predictor;
mod row;
mod unused;

use std::io::Write;

use self::unused::{Mode, refuse};
use super::answer::SavedTo;
use super::mail;
use crate::args::AuditArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Audits what the arguments name.
pub(crate) fn audit(
    args: &AuditArgs,
    context: &Context,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let saved = SavedTo { asked: &args.saved, utilities: args.utilities.as_deref() };
    if let Some(folder) = &args.answers {
        refuse(args, Mode::Answers)?;
        return mail::audit(args, folder, out);
    }
    match (&args.predictor, &args.predictions, &args.incumbent) {
        (Some(path), _, _) => predictor::audit(args, path, &saved, context, out),
        (None, Some(path), _) => predictions::audit(args, path, &saved, out),
        (None, None, Some(incumbent)) => row::audit(args, incumbent, &saved, out),
        (None, None, None) => Err(Failure::new("nothing to audit").hint(
            "name a fitted predictor with `--predictor FILE.json`, models of any kind with \
             `--predictions FILE.csv`, or a row of a table of utilities with `--incumbent NAME`",
        )),
    }
}
