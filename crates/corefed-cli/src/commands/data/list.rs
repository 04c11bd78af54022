//! `corefed data list`.

use std::io::Write;

use corefed_documents::to_json;
use corefed_report::console;
use corefed_run::known_sets;

use crate::args::ListArgs;
use crate::failure::Failure;

/// Shows every known set and whether it is here.
pub(super) fn list(args: &ListArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let (folder, sets) = known_sets(args.data_dir.as_deref(), args.check)?;
    if args.json {
        return Ok(out.write_all(to_json(&sets)?.as_bytes())?);
    }
    Ok(out.write_all(console::known_sets(&folder, &sets).as_bytes())?)
}
