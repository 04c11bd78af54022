//! `corefed verify`.

use std::fs;
use std::io::Write;

use corefed_core::{KappaInterval, Verdict};
use corefed_report::verdict;
use corefed_report::words::percent;
use corefed_verify::{check_files, parse};
use serde::Serialize;

use super::answer::print_json;
use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Serialize)]
struct VerifyAnswer<'a> {
    /// `verified` on the data, or only `consistent` with itself.
    status: &'static str,
    verdict: Verdict,
    kappa: KappaInterval,
    everybody: KappaInterval,
    tolerance: f64,
    checked: &'a [String],
    not_checked: &'a [String],
}

/// Checks a certificate, on the data where they are given.
pub(crate) fn verify(args: &VerifyArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = &args.certificate;
    let document = fs::read_to_string(path).map_err(|e| Failure::file("read", path, &e))?;
    let certificate = parse(&document)?;
    let checked = check_files(&certificate, &args.data)?;
    let claim = certificate.claim;
    let answer = VerifyAnswer {
        status: if args.data.is_empty() { "consistent" } else { "verified" },
        verdict: claim.verdict,
        kappa: claim.kappa,
        everybody: claim.everybody,
        tolerance: claim.tolerance,
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
    let mut lines = vec![format!(
        "{}: the certificate says {}, {}, tolerance {}",
        answer.status,
        answer.verdict,
        verdict::intervals(answer.kappa, answer.everybody),
        percent(answer.tolerance)
    )];
    lines.extend(answer.checked.iter().map(|what| format!("  checked      {what}")));
    lines.extend(answer.not_checked.iter().map(|what| format!("  not checked  {what}")));
    if answer.status == "consistent" {
        lines.push("pass the data with `--data FILE.csv` to check the rest".to_owned());
    }
    lines.join("\n") + "\n"
}
