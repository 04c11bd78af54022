//! `corefed data list`.

use std::io::Write;

use corefed_report::console;
use corefed_run::known_sets;

use crate::args::ListArgs;
use crate::commands::answer::print_json;
use crate::failure::Failure;

/// Shows every known set and whether it is here.
pub(super) fn list(args: &ListArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let (folder, sets) = known_sets(args.data_dir.as_deref(), args.check)?;
    if args.json {
        return print_json(out, &sets);
    }
    Ok(out.write_all(console::known_sets(&folder, &sets).as_bytes())?)
}
