//! `corefed-verify`: the checker as a program of its own, for people who trust nobody.
//!
//! It reads a certificate and the data it speaks of, proves every claim again and says what it
//! checked. It has no solver, opens no network connection and writes nothing but its answer.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use corefed_core::{Claim, as_flags, read_json};
use corefed_verify::{AnyCertificate, Checked, FileError, Signers, check_files_of, parse_any};
use serde_json::json;

const USAGE: &str = "\
Checks a certificate of corefed: proves every claim again, rounding included.

usage: corefed-verify CERTIFICATE [--data FILE] [--agent NAME] [--json]
       corefed-verify --batch --data FILE

  CERTIFICATE   the JSON document
  --data FILE   the table it was issued for (CSV); without it the document can
                only be checked against itself. Where agents keep their
                rows and sign answers: one agent's own rows
  --agent NAME  whose rows those are, where the file does not say so
  --json        print the answer as JSON
  --batch       read one document per line from standard input and print one
                line of JSON each: {\"status\": ..., \"reason\": ...}

examples:
  corefed-verify core.certificate.json --data federation.csv
  corefed-verify core.certificate.json

exit codes: 0 verified or consistent, 1 refused, 2 the check could not be made
";

/// What the user asked for.
struct Asked {
    certificate: Option<PathBuf>,
    data: Option<PathBuf>,
    agent: Option<String>,
    json: bool,
    batch: bool,
}

fn main() -> ExitCode {
    corefed_data::pass_over_contained_panics();
    let mut out = io::stdout().lock();
    match run(&mut out) {
        Ok(code) => code,
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {}", escaped(&message));
            ExitCode::from(2)
        }
    }
}

fn run(out: &mut dyn Write) -> Result<ExitCode, String> {
    let Some(asked) = arguments()? else {
        write!(out, "{USAGE}").map_err(|error| error.to_string())?;
        return Ok(ExitCode::SUCCESS);
    };
    if asked.batch {
        return batch(&asked, out);
    }
    let path = asked.certificate.as_deref().ok_or("no certificate is named; see --help")?;
    let text =
        read_json(path).map_err(|error| format!("cannot read `{}`: {error}", shown(path)))?;
    let answer = judge(&text, asked.data.as_deref(), asked.agent.as_deref());
    let code = if answer.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    let text = if asked.json {
        plain_json(&as_json(&answer, asked.data.is_some()))
    } else {
        render(&answer, asked.data.is_some())
    };
    out.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    Ok(code)
}

/// Every line of standard input in turn.
fn batch(asked: &Asked, out: &mut dyn Write) -> Result<ExitCode, String> {
    let data = asked.data.as_deref().ok_or("--batch needs --data FILE")?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| format!("cannot read standard input: {error}"))?;
        let answer = judge(&line, Some(data), None);
        let text = plain_json(&as_json(&answer, true));
        out.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        out.flush().map_err(|error| error.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

type Answer = Result<(AnyCertificate, Checked), String>;

/// Checks a document, on the data where a file is given. Every reason to refuse is one message.
fn judge(text: &str, data: Option<&Path>, agent: Option<&str>) -> Answer {
    let refuse = |error: FileError| {
        let message = match &error {
            FileError::Refused(error) => error.to_string(),
            FileError::Data(error) => error.to_string(),
        };
        let said = match error.hint() {
            Some(hint) => format!("{message} ({hint})"),
            None => message,
        };
        as_flags(&said).into_owned()
    };
    let certificate = parse_any(text).map_err(|error| refuse(error.into()))?;
    let files: Vec<&Path> = data.into_iter().collect();
    let checked = check_files_of(&certificate, &files, agent).map_err(refuse)?;
    Ok((certificate, checked))
}

fn as_json(answer: &Answer, on_data: bool) -> serde_json::Value {
    match answer {
        Ok((certificate, checked)) => json!({
            "status": status(certificate, on_data),
            "claim": match certificate {
                AnyCertificate::Core(certificate) => json!(certificate.claim),
                AnyCertificate::Attested(certificate) => json!(certificate.claim),
                AnyCertificate::Veto(certificate) => json!({
                    "core": certificate.kept(),
                    "models": certificate.models.len(),
                }),
            },
            "checked": checked.checked,
            "not_checked": checked.unchecked,
        }),
        Err(reason) => json!({ "status": "refused", "reason": reason }),
    }
}

/// One line that means the same, with nothing hidden in it.
fn plain_json(value: &serde_json::Value) -> String {
    format!("{}\n", corefed_core::shown_lines(&value.to_string()))
}

/// `verified` on the data, `attested` by agents that keep theirs, or only `consistent` with itself.
fn status(certificate: &AnyCertificate, on_data: bool) -> &'static str {
    match certificate {
        AnyCertificate::Attested(certificate) => Signers::of(certificate).status(),
        _ if on_data => "verified",
        _ => "consistent",
    }
}

fn render(answer: &Answer, on_data: bool) -> String {
    use std::fmt::Write as _;

    let (certificate, checked) = match answer {
        Ok(answer) => answer,
        Err(reason) => return format!("refused: {}\n", escaped(reason)),
    };
    let status = match status(certificate, on_data) {
        "consistent" => "consistent with itself",
        other => other,
    };
    let mut text = format!("{status}: the certificate says {}\n", claimed(certificate));
    for line in &checked.checked {
        let _ = writeln!(text, "  checked      {}", escaped(line));
    }
    for line in &checked.unchecked {
        let _ = writeln!(text, "  not checked  {}", escaped(line));
    }
    if !on_data {
        text.push_str("pass the data with `--data FILE` to prove the rest\n");
    }
    text
}

fn claimed(certificate: &AnyCertificate) -> String {
    match certificate {
        AnyCertificate::Core(certificate) => intervals(&certificate.claim),
        AnyCertificate::Attested(certificate) => intervals(&certificate.claim),
        AnyCertificate::Veto(certificate) => {
            let kept = certificate.kept();
            format!(
                "that nobody can veto {} of {} models: {}",
                kept.len(),
                certificate.models.len(),
                escaped(&kept.join(", "))
            )
        }
    }
}

fn intervals(claim: &Claim) -> String {
    format!(
        "{}\n  kappa in [{}, {}], everybody in [{}, {}], tolerance {}",
        claim.verdict,
        claim.kappa.lo.0,
        claim.kappa.hi.0,
        claim.everybody.lo.0,
        claim.everybody.hi.0,
        claim.tolerance,
    )
}

/// Names in a document are somebody else's words: nothing in them may act on a terminal.
fn escaped(text: &str) -> String {
    corefed_core::one_line(text).into_owned()
}

fn shown(path: &Path) -> String {
    escaped(&path.display().to_string())
}

/// Reads the command line; `None` asks for help.
fn arguments() -> Result<Option<Asked>, String> {
    let mut asked = Asked { certificate: None, data: None, agent: None, json: false, batch: false };
    let mut rest = std::env::args_os().skip(1);
    while let Some(argument) = rest.next() {
        match argument.to_str() {
            Some("--help" | "-h") => return Ok(None),
            Some("--json") => asked.json = true,
            Some("--batch") => asked.batch = true,
            Some("--data") => {
                let file = rest.next().ok_or("--data needs a file")?;
                asked.data = Some(PathBuf::from(file));
            }
            Some("--agent") => {
                let name = rest.next().and_then(|name| name.into_string().ok());
                asked.agent = Some(name.ok_or("--agent needs a name")?);
            }
            Some(flag) if flag.starts_with("--") => {
                return Err(format!("unknown option `{}`; see --help", escaped(flag)));
            }
            _ if asked.certificate.is_none() => asked.certificate = Some(PathBuf::from(argument)),
            _ => return Err("one certificate at a time; see --batch for many".to_owned()),
        }
    }
    Ok(Some(asked))
}
