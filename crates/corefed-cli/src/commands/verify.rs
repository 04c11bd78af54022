//! `corefed verify`.

use std::fs;
use std::io::Write;

use corefed_documents::{Claimed, Verified};
use corefed_report::console;
use corefed_verify::{AnyCertificate, Signers, check_files_of, parse_any};

use super::answer::print_json;
use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Checks a certificate, on the data where they are given.
pub(crate) fn verify(args: &VerifyArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = &args.certificate;
    let document = fs::read_to_string(path).map_err(|e| Failure::file("read", path, &e))?;
    let certificate = parse_any(&document)?;
    if let (Some(agent), false) = (&args.agent, matches!(certificate, AnyCertificate::Attested(_)))
    {
        return Err(Failure::new(format!(
            "the certificate is not about rows that `{agent}` keeps"
        ))
        .hint("leave out `--agent`: the data are checked for everybody"));
    }
    let checked = check_files_of(&certificate, &args.data, args.agent.as_deref())?;
    let answer = Verified {
        status: match &certificate {
            AnyCertificate::Attested(certificate) => Signers::of(certificate).status(),
            _ if args.data.is_empty() => "consistent",
            _ => "verified",
        },
        claim: match &certificate {
            AnyCertificate::Core(certificate) => Claimed::Core(certificate.claim),
            AnyCertificate::Attested(certificate) => {
                let Signers { signed, unsigned, absent } = Signers::of(certificate);
                Claimed::Attested { claim: certificate.claim, signed, unsigned, absent }
            }
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
