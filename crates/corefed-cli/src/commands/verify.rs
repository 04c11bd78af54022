//! `corefed verify`.

use std::fs;
use std::io::Write;

use corefed_core::{Claim, Verdict};
use corefed_report::verdict;
use corefed_report::words::percent;
use corefed_verify::{AnyCertificate, Signers, check_files_of, parse_any};
use serde::Serialize;

use super::answer::print_json;
use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Serialize)]
struct VerifyAnswer<'a> {
    /// `verified` on the data, `attested` by agents that keep theirs, or only `consistent` with itself.
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
    Attested {
        #[serde(flatten)]
        claim: Claim,
        /// Agents that signed their answers.
        signed: Vec<String>,
        /// Agents that answered and have not signed.
        unsigned: Vec<String>,
        /// Agents that did not answer.
        absent: Vec<String>,
    },
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
    if let (Some(agent), false) = (&args.agent, matches!(certificate, AnyCertificate::Attested(_)))
    {
        return Err(Failure::new(format!(
            "the certificate is not about rows that `{agent}` keeps"
        ))
        .hint("leave out `--agent`: the data are checked for everybody"));
    }
    let checked = check_files_of(&certificate, &args.data, args.agent.as_deref())?;
    let answer = VerifyAnswer {
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
        Claimed::Core(claim) | Claimed::Attested { claim, .. } => format!(
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
    lines.extend(sentences(answer.checked, answer.not_checked));
    match &answer.claim {
        Claimed::Attested { claim, signed, .. } if !signed.is_empty() => {
            lines.push(told(claim.verdict).to_owned());
        }
        Claimed::Attested { .. } => {
            lines.push("nobody has signed: agents do so with `corefed attest`".to_owned());
        }
        _ if answer.status == "consistent" => {
            lines.push("pass the data with `--data FILE.csv` to check the rest".to_owned());
        }
        _ => {}
    }
    lines.join("\n") + "\n"
}

/// What was checked and what was not, a line each.
pub(super) fn sentences(checked: &[String], not_checked: &[String]) -> Vec<String> {
    let checked = checked.iter().map(|what| format!("  checked      {what}"));
    checked.chain(not_checked.iter().map(|what| format!("  not checked  {what}"))).collect()
}

/// What signatures make of a verdict: whoever lies speaks for itself alone.
fn told(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => "no coalition of agents who signed and told the truth gains by leaving",
        Verdict::Blocked => {
            "the coalition gains by leaving, if its members signed and told the truth"
        }
        Verdict::Improvable => "everybody can gain at once, if all signed and told the truth",
        Verdict::Undecided => {
            "no coalition of agents who signed and told the truth does better than the upper end of kappa"
        }
    }
}
