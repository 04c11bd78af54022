//! One row of a table of utilities, or of FLARE's cross-site evaluation, against all others.

use std::io::Write;

use corefed_data::CrossSite;
use corefed_run::{CrossSiteAsked, audit_table};

use super::unused::{Mode, refuse};
use corefed_report::console;

use crate::args::AuditArgs;
use crate::commands::answer::SavedTo;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::save;
use crate::settings::limits;

pub(super) fn audit(
    args: &AuditArgs,
    incumbent: &str,
    saved: &SavedTo<'_>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let evaluated = CrossSite::is_meant(args.file());
    refuse(args, if evaluated { Mode::CrossSite } else { Mode::Row })?;
    let _claimed = saved.check()?;
    // Tables are judged exactly, so nothing is tolerated unless it is asked for.
    let limits = limits(&args.audit, 0.0, true)?;
    let weights = args.terms.weights.as_ref();
    if !evaluated {
        let (audit, certificate) = audit_table(args.file(), incumbent, weights, limits)?;
        return saved.finish(&audit, &certificate, None, &console::row(&audit), out);
    }
    saved.names_utilities()?;
    let (metric, ceiling) = (args.table.target.as_deref(), args.terms.ceiling.as_ref());
    let asked = CrossSiteAsked { file: args.file(), metric, ceiling };
    let (audit, certificate, csv) = asked.audit(incumbent, weights, limits)?;
    let exit = saved.finish(&audit, &certificate, None, &console::row(&audit), out)?;
    saved.utilities.map_or(Ok(()), |path| save(path, csv, out)).map(|()| exit)
}
