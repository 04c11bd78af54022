//! `corefed verify`.

use std::io::Write;

use corefed_documents::Document;
use corefed_report::console;
use corefed_run::verify_file;

use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Checks a certificate, on the data where they are given.
pub(crate) fn verify(args: &VerifyArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let answer = verify_file(&args.certificate, &args.data, args.agent.as_deref())?;
    if args.json {
        out.write_all(answer.to_json()?.as_bytes())?;
    } else {
        out.write_all(console::verified(&answer).as_bytes())?;
    }
    Ok(Exit::Stable)
}
