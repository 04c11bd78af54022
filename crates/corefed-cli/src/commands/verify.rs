//! `corefed verify`.

use std::fs;
use std::io::Write;

use corefed_documents::{Claimed, Verified};
use corefed_report::console;
use corefed_verify::{AnyCertificate, check_files, parse_any};

use super::answer::print_json;
use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Checks a certificate, on the data where they are given.
pub(crate) fn verify(args: &VerifyArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = &args.certificate;
    let document = fs::read_to_string(path).map_err(|e| Failure::file("read", path, &e))?;
    let certificate = parse_any(&document)?;
    let checked = check_files(&certificate, &args.data)?;
    let answer = Verified {
        status: if args.data.is_empty() { "consistent" } else { "verified" },
        claim: match &certificate {
            AnyCertificate::Core(certificate) => Claimed::Core(certificate.claim),
            AnyCertificate::Veto(certificate) => Claimed::Veto {
                core: certificate.kept().into_iter().map(str::to_owned).collect(),
                models: certificate.models.len(),
            },
        },
        checked: checked.checked,
        not_checked: checked.unchecked,
    };
    if args.json {
        print_json(out, &answer)?;
    } else {
        out.write_all(console::verified(&answer).as_bytes())?;
    }
    Ok(Exit::Stable)
}
