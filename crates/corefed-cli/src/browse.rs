//! Opening something in the user's browser.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// Hands a file or an address to whatever opens such things here.
pub(crate) fn browse(what: &OsStr) -> Result<(), Failure> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let quiet = || Stdio::null();
    let spawned =
        Command::new(program).arg(what).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    spawned.map(drop).map_err(|error| {
        Failure::new(format!("cannot open the page with `{program}`: {error}"))
            .hint("open the address in a browser by hand")
    })
}
