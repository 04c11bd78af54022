//! `corefed run`: a spec, solved exactly or trained by rounds.

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;

use corefed_core::Verdict;
use corefed_documents::{AuditDocument, Document, RunAnswer};
use corefed_log::{NewFolder, next_free};
use corefed_report::live::{LiveRun, Server};
use corefed_report::{console, shown_path};
use corefed_run::{ExactRun, find_spec, overridden, run_exact};
use corefed_spec::Overrides;

use super::training::{resume_training, train_by_rounds};
use crate::args::RunArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Runs a preset or a spec, exactly or by rounds, and writes the run folder.
pub(crate) fn run(args: &RunArgs, context: &Context, out: &mut dyn Write) -> Result<Exit, Failure> {
    let data_dir = args.spec.data_dir.as_deref();
    if let Some(folder) = &args.resume {
        let _server = live(args.watch, folder, context)?;
        return resume_training(folder, data_dir, (args.json, args.changed_spec), context, out);
    }
    let by = Overrides {
        seed: args.seed,
        ceiling: args.ceiling.as_ref(),
        radius: args.radius,
        time_limit: args.time_limit,
        device: args.device,
        ..args.spec.overrides()
    };
    let spec = overridden(&find_spec(&args.what)?, &by)?;
    let path = args.out.clone().unwrap_or_else(|| next_free("runs", &spec.name));
    NewFolder::check(&path)?;
    if spec.train.is_some() {
        let _server = live(args.watch, &path, context)?;
        return train_by_rounds(&spec, data_dir, &path, args.json, context, out);
    }
    if args.watch {
        return Err(Failure::new("`--watch` shows trainings, and this spec is solved at once")
            .hint("leave it out, or run a spec with `[train]`"));
    }
    let Some(done) = run_exact(&spec, data_dir, &path, &context.stop, context)? else {
        return Ok(Exit::Interrupted);
    };
    let report = done.report.display().to_string();
    if args.json {
        let folder = done.folder.display().to_string();
        let answer = RunAnswer { folder, report, rules: done.answers.clone() };
        out.write_all(answer.to_json()?.as_bytes())?;
    } else {
        let ExactRun { folder, data, answers, .. } = &done;
        out.write_all(console::exact(folder, data, answers, &context.program).as_bytes())?;
        writeln!(out, "report: {}", shown_path(&done.report))?;
    }
    let verdict = |audit: &AuditDocument| audit.verdict;
    Ok(done.core().map_or(Verdict::Undecided, verdict).into())
}

/// The live page of a training, if asked for; it closes with the training.
fn live(asked: bool, folder: &Path, context: &Context) -> Result<Option<Server>, Failure> {
    if !asked {
        return Ok(None);
    }
    let server = Server::start(Ipv4Addr::LOCALHOST.into(), 0, LiveRun::new(folder))?;
    context.say(&format!("watch it at {}", server.url()));
    Ok(Some(server))
}
