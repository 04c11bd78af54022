//! `corefed attest` and `corefed keys`.

use std::io::Write;

use corefed_documents::to_json;
use corefed_report::console;
use corefed_run::{
    KeyError, RunError, attest_own, file_stem, merge_attestations, new_key, read_key,
};
use corefed_verify::Signers;

use crate::args::{AttestArgs, KeysCommand};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

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
    let checked = (own.checked.checked.as_slice(), own.checked.unchecked.as_slice());
    outputs.answer(&console::signed(agent, answers, checked, &path), out)?;
    save(&path, to_json(&own.attestation)?, out)?;
    Ok(Exit::Stable)
}

fn merge(args: &AttestArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let outputs = Outputs::check(&[("--out", args.out.as_deref())], false)?;
    let certificate = merge_attestations(&args.certificate, &args.merge)?;
    let signers = Signers::of(&certificate);
    let [signed, unsigned, absent] = signers.shown();
    outputs.answer(&console::merged(signers.status(), &signed, &unsigned, &absent), out)?;
    let path = args.out.as_deref().unwrap_or(&args.certificate);
    save(path, to_json(&certificate)?, out)?;
    Ok(Exit::Stable)
}

/// Makes a key, or shows its public half.
pub(crate) fn keys(command: &KeysCommand, out: &mut dyn Write) -> Result<Exit, Failure> {
    match command {
        KeysCommand::New { file } => {
            writeln!(out, "{}", new_key(file, random()?, random()?)?.public())?;
            // Talk that cannot be written is not worth failing for.
            let _ = std::io::stderr().write_all(console::new_key(file).as_bytes());
        }
        KeysCommand::Show { file } => {
            writeln!(out, "{}", read_key(file)?.public())?;
        }
    }
    Ok(Exit::Stable)
}

pub(super) fn random() -> Result<[u8; 32], RunError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| KeyError::NoRandomness { reason: error.to_string() })?;
    Ok(bytes)
}
