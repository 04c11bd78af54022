//! `corefed verify`.

use std::fs;
use std::io::Write;

use corefed_core::Claim;
use corefed_report::verdict;
use corefed_report::words::percent;
use corefed_verify::{AnyCertificate, check_files, parse_any};
use serde::Serialize;

use super::answer::print_json;
use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Serialize)]
struct VerifyAnswer<'a> {
    /// `verified` on the data, or only `consistent` with itself.
    status: &'static str,
    #[serde(flatten)]
    claim: Claimed<'a>,
    checked: &'a [String],
    not_checked: &'a [String],
}

/// What the certificate says.
#[derive(Serialize)]
#[serde(untagged)]
enum Claimed<'a> {
    Core(Claim),
    Veto {
        /// Models that nobody can veto.
        core: Vec<&'a str>,
        /// How many were listed.
        models: usize,
    },
}

/// Checks a certificate, on the data where they are given.
pub(crate) fn verify(args: &VerifyArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = &args.certificate;
    let document = fs::read_to_string(path).map_err(|e| Failure::file("read", path, &e))?;
    let certificate = parse_any(&document)?;
    let checked = check_files(&certificate, &args.data)?;
    let answer = VerifyAnswer {
        status: if args.data.is_empty() { "consistent" } else { "verified" },
        claim: match &certificate {
            AnyCertificate::Core(certificate) => Claimed::Core(certificate.claim),
            AnyCertificate::Veto(certificate) => {
                Claimed::Veto { core: certificate.kept(), models: certificate.models.len() }
            }
        },
        checked: &checked.checked,
        not_checked: &checked.unchecked,
    };
    if args.json {
        print_json(out, &answer)?;
    } else {
        out.write_all(render(&answer).as_bytes())?;
    }
    Ok(Exit::Stable)
}

fn render(answer: &VerifyAnswer<'_>) -> String {
    let claim = match &answer.claim {
        Claimed::Core(claim) => format!(
            "{}, {}, tolerance {}",
            claim.verdict,
            verdict::intervals(claim.kappa, claim.everybody),
            percent(claim.tolerance)
        ),
        Claimed::Veto { core, models } => {
            format!("that nobody can veto {} of {models} models: {}", core.len(), core.join(", "))
        }
    };
    let mut lines = vec![format!("{}: the certificate says {claim}", answer.status)];
    lines.extend(answer.checked.iter().map(|what| format!("  checked      {what}")));
    lines.extend(answer.not_checked.iter().map(|what| format!("  not checked  {what}")));
    if answer.status == "consistent" {
        lines.push("pass the data with `--data FILE.csv` to check the rest".to_owned());
    }
    lines.join("\n") + "\n"
}
