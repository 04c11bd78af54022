//! `corefed data list`.

use std::io::Write;

use corefed_data::DataError;
use corefed_data::source::catalogue::ENTRIES;
use corefed_data::source::{Damage, Depth, State, data_folder, locate};
use serde::Serialize;

use crate::args::ListArgs;
use crate::commands::answer::print_json;
use crate::failure::Failure;
use corefed_report::columns as aligned;

#[derive(Serialize)]
struct SetLine {
    name: &'static str,
    title: &'static str,
    state: &'static str,
    detail: String,
    bytes: u64,
    licence: &'static str,
    citation: &'static str,
    about: &'static str,
}

/// Shows every known set and whether it is here.
pub(super) fn list(args: &ListArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = data_folder(args.data_dir.as_deref())?;
    let depth = if args.check { Depth::Checksums } else { Depth::Sizes };
    let mut lines = Vec::new();
    for entry in ENTRIES {
        let (state, detail) = words(&locate(entry, &folder, depth).map_err(DataError::from)?);
        lines.push(SetLine {
            name: entry.name,
            title: entry.title,
            state,
            detail,
            bytes: entry.size(),
            licence: entry.licence,
            citation: entry.citation,
            about: entry.about,
        });
    }
    if args.json {
        return print_json(out, &lines);
    }
    let mut rows = vec![["name", "state", "MB", "licence"].map(str::to_owned).to_vec()];
    rows.extend(lines.iter().map(|line| {
        let size =
            if line.bytes == 0 { String::new() } else { format!("{:.1}", line.bytes as f64 / 1e6) };
        vec![line.name.to_owned(), line.state.to_owned(), size, line.licence.to_owned()]
    }));
    write!(out, "data folder: {}\n\n{}", folder.display(), aligned(&rows))?;
    for line in lines.iter().filter(|line| !line.detail.is_empty()) {
        writeln!(out, "\n{}: {}", line.name, line.detail)?;
    }
    Ok(())
}

fn words(state: &State) -> (&'static str, String) {
    match state {
        State::Generated => ("generated", String::new()),
        State::Absent => ("absent", String::new()),
        State::Partial { missing } => ("partial", format!("missing {}", missing.join(", "))),
        State::Present { verified: true } => ("verified", String::new()),
        State::Present { verified: false } => ("present", String::new()),
        State::Damaged { file, damage } => {
            let what = match damage {
                Damage::Size { expected, found } => {
                    format!("has {found} bytes instead of {expected}")
                }
                Damage::Checksum { .. } => "is not the published file (checksum)".to_owned(),
            };
            ("damaged", format!("`{file}` {what}; fetch it again"))
        }
    }
}
