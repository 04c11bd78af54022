//! `corefed summarise`, `corefed answer` and `corefed audit --answers`: a federation by mail.

use std::io::Write;
use std::path::{Path, PathBuf};

use corefed_core::{Writing, shown};
use corefed_documents::Document;
use corefed_report::{console, shown_path};
use corefed_run::{
    MailTerms, Mailed, account_beside, answer as answer_round, audit_answers, check_tolerance,
    file_stem, read_key, summarise as summarise_rows,
};

use crate::args::{AnswerArgs, AuditArgs, SummariseArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save, warn};

/// Writes what one agent tells before anything is asked.
pub(crate) fn summarise(args: &SummariseArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let outputs = Outputs::check(&[("--out", args.out.as_deref())], false)?;
    let options =
        args.encoding.options((&args.agent_column, &args.target), args.model, Writing::default());
    let key = args.key.as_deref().map(read_key).transpose()?;
    let summary = summarise_rows(&args.data, &args.agent, &options, key.as_ref())?;
    let file = || PathBuf::from(format!("{}.summary.json", file_stem(&args.agent)));
    let path = args.out.clone().unwrap_or_else(file);
    let (rows, columns) = (summary.table.rows, summary.table.columns.len());
    let all = if summary.gram.is_some() { ", and all that is ever asked" } else { "" };
    let text = format!(
        "`{}`: {rows} rows, {columns} columns in summary{all}\nsend {}; your rows stay here\n",
        shown(&args.agent),
        shown_path(&path)
    );
    outputs.answer(&text, out)?;
    save(&path, summary.to_json()?, out)?;
    Ok(Exit::Stable)
}

/// Answers one round.
pub(crate) fn answer(args: &AnswerArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let outputs = Outputs::check(&[("--out", args.out.as_deref())], false)?;
    let key = args.key.as_deref().map(read_key).transpose()?;
    let account = args.account.clone().unwrap_or_else(|| account_beside(&args.data));
    let (agent, key) = (args.agent.as_deref(), key.as_ref());
    let told = answer_round(&args.questions, &args.data, agent, key, (&account, args.budget))?;
    let file = &told.file;
    let named = || format!("answers-{:02}-{}.json", file.round, file_stem(&file.agent));
    let path = args.out.clone().unwrap_or_else(|| named().into());
    let text = console::Answered {
        agent: &file.agent,
        round: file.round,
        refused: file.refused.as_deref(),
        numbers: (told.numbers, file.answered),
        cells: file.cells,
        file: &path,
    };
    outputs.answer(&text.to_string(), out)?;
    save(&path, file.to_json()?, out)?;
    Ok(if file.refused.is_some() { Exit::Undecided } else { Exit::Stable })
}

/// Continues a session as far as the answers in a folder allow.
pub(super) fn audit(args: &AuditArgs, folder: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
    if let Some(tolerance) = args.audit.tolerance {
        check_tolerance(tolerance, false)?;
    }
    let terms = MailTerms {
        predictor: args.predictor.clone(),
        ceiling: args.terms.ceiling.clone(),
        weights: args.terms.weights.clone(),
        radius: args.terms.radius,
        l2: args.encoding.l2,
        no_intercept: args.encoding.no_intercept,
        tolerance: args.audit.tolerance,
    };
    warn(corefed_run::edits(folder)?);
    let found = match audit_answers(folder, &terms, &args.absent)? {
        Mailed::Waiting { round, questions, waiting } => {
            out.write_all(console::waiting(round, &questions, &waiting, folder).as_bytes())?;
            return Ok(Exit::Undecided);
        }
        Mailed::Done(found) => found,
    };
    if args.saved.json {
        out.write_all(found.audit.to_json()?.as_bytes())?;
    } else {
        let certificate = folder.join("certificate.json");
        let text = console::concluded(&found.audit, &found.answered, &certificate);
        out.write_all(text.as_bytes())?;
    }
    Ok(found.audit.verdict.into())
}
