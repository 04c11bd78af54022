//! `corefed verify`.

use std::fs;
use std::io::Write;
use std::path::Path;

use corefed_core::{Certificate, KappaInterval, Subject, Verdict};
use corefed_data::{UtilityTable, apply_file, digest_file};
use corefed_report::verdict;
use corefed_report::words::percent;
use corefed_verify::{Checked, ListedUtilities, check_document, check_on_data, check_table, parse};
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
    let checked = if args.data.is_empty() {
        check_document(&certificate)?
    } else {
        on_data(&certificate, &args.data)?
    };
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

/// Of several files, the one that the certificate speaks of; if none is, the first, so that the
/// refusal says that it is stale.
fn on_data(certificate: &Certificate, files: &[impl AsRef<Path>]) -> Result<Checked, Failure> {
    let wanted = &certificate.digests.data;
    let mut digests = Vec::new();
    for file in files {
        digests.push(digest_file(file.as_ref())?);
    }
    let index = digests.iter().position(|digest| digest == wanted).unwrap_or(0);
    let (path, digest) = (files[index].as_ref(), &digests[index]);
    match &certificate.subject {
        Subject::Predictor(predictor) => {
            if digest != wanted {
                // The digest decides before the rows are read: changed rows may not even encode.
                return Err(corefed_verify::VerifyError::Stale {
                    stated: wanted.clone(),
                    present: digest.clone(),
                }
                .into());
            }
            let data = apply_file(path, &predictor.encoding, predictor.family)?;
            Ok(check_on_data(certificate, &data.federation, &data.digest)?)
        }
        Subject::Table { .. } => {
            let table = UtilityTable::read(path)?;
            let listed = ListedUtilities {
                models: &table.models,
                agents: &table.agents,
                utilities: &table.utilities,
                digest: &table.digest,
            };
            Ok(check_table(certificate, &listed)?)
        }
    }
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
