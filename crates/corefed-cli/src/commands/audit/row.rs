//! One row of a table of utilities against all others.

use std::io::Write;

use corefed_run::audit_table;

use super::unused::{Mode, refuse};
use corefed_report::console;

use crate::args::AuditArgs;
use crate::commands::answer::SavedTo;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::limits;

pub(super) fn audit(
    args: &AuditArgs,
    incumbent: &str,
    saved: &SavedTo<'_>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    refuse(args, Mode::Row)?;
    saved.check()?;
    // Tables are judged exactly, so nothing is tolerated unless it is asked for.
    let limits = limits(&args.audit, 0.0, true)?;
    let weights = args.terms.weights.as_ref();
    let (audit, certificate) = audit_table(args.file(), incumbent, weights, limits)?;
    saved.finish(&audit, &certificate, None, &console::row(&audit), out)
}
