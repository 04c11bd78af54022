//! One row of a table of utilities against all others.

use std::io::Write;

use corefed_run::{Limits, audit_table};

use super::unused::{Mode, refuse};
use corefed_report::console;

use crate::args::AuditArgs;
use crate::commands::answer::SavedTo;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{check_tolerance, time_limit};

pub(super) fn audit(
    args: &AuditArgs,
    incumbent: &str,
    saved: &SavedTo<'_>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    refuse(args, Mode::Row)?;
    saved.check()?;
    // Tables are judged exactly, so nothing is tolerated unless it is asked for.
    let tolerance = args.audit.tolerance.unwrap_or(0.0);
    check_tolerance(tolerance, true)?;
    let weights = args.terms.weights.as_ref();
    let limits = Limits { tolerance, time_limit: time_limit(&args.audit)? };
    let (audit, certificate) = audit_table(args.file(), incumbent, weights, limits)?;
    saved.finish(&audit, &certificate, None, &console::row(&audit), out)
}
