//! `corefed attest` and `corefed keys`.

use std::io::Write;
use std::path::Path;

use corefed_data::excerpt;
use corefed_documents::to_json;
use corefed_run::{
    KeyError, RunError, attest_own, file_stem, merge_attestations, new_key, read_key,
};
use corefed_verify::{AgentKey, Signers};

use crate::args::{AttestArgs, KeysCommand};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};
use corefed_report::console::sentences;

/// Signs one agent's answers, or merges those of several.
pub(crate) fn attest(args: &AttestArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let (Some(data), Some(key)) = (&args.data, &args.key) else {
        return merge(args, out);
    };
    let outputs = Outputs::check(&[("--out", args.out.as_deref())], false)?;
    let own = attest_own(&args.certificate, data, &read_key(key)?, args.agent.as_deref())?;
    let agent = &own.attestation.agent;
    let path =
        args.out.clone().unwrap_or_else(|| format!("{}.attestation.json", file_stem(agent)).into());
    let answers = own.attestation.attestation.leaves.len();
    let mut lines = vec![format!("signed: `{agent}` stands for {answers} answers about its rows")];
    lines.extend(sentences(&own.checked.checked, &own.checked.unchecked));
    lines.push(format!("send back {}; your rows and your key stay here", path.display()));
    outputs.answer(&(lines.join("\n") + "\n"), out)?;
    save(&path, to_json(&own.attestation)?, out)?;
    Ok(Exit::Stable)
}

fn merge(args: &AttestArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let outputs = Outputs::check(&[("--out", args.out.as_deref())], false)?;
    let certificate = merge_attestations(&args.certificate, &args.merge)?;
    let signers = Signers::of(&certificate);
    let list = |names: &[String]| match names {
        [] => "nobody".to_owned(),
        names => names.iter().map(|name| excerpt(name)).collect::<Vec<_>>().join(", "),
    };
    let mut lines = vec![format!("{}: signed by {}", signers.status(), list(&signers.signed))];
    for (names, what) in [(&signers.unsigned, "still to sign"), (&signers.absent, "did not answer")]
    {
        if !names.is_empty() {
            lines.push(format!("  {what}  {}", list(names)));
        }
    }
    let text = lines.join("\n") + "\n";
    outputs.answer(&text, out)?;
    let path = args.out.as_deref().unwrap_or(&args.certificate);
    save(path, to_json(&certificate)?, out)?;
    Ok(Exit::Stable)
}

/// Makes a key, or shows its public half.
pub(crate) fn keys(command: &KeysCommand, out: &mut dyn Write) -> Result<Exit, Failure> {
    match command {
        KeysCommand::New { file } => {
            let key = new_key(file, random()?, random()?)?;
            show(&key, file, out)
        }
        KeysCommand::Show { file } => {
            writeln!(out, "{}", read_key(file)?.public())?;
            Ok(Exit::Stable)
        }
    }
}

fn show(key: &AgentKey, file: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
    writeln!(out, "{}", key.public())?;
    let talk = format!(
        "keep {} to yourself: who has it can sign as you. The line above is the public key, for the terms\n",
        file.display()
    );
    // Talk that cannot be written is not worth failing for.
    let _ = std::io::stderr().write_all(talk.as_bytes());
    Ok(Exit::Stable)
}

fn random() -> Result<[u8; 32], RunError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| KeyError::NoRandomness { reason: error.to_string() })?;
    Ok(bytes)
}
