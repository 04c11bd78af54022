//! The `corefed` command: arguments in, an answer on standard output, talk on standard error.

mod answer;
mod args;
mod browse;
mod case;
mod coalitions;
mod commands;
mod dataset;
mod exit;
mod failure;
mod files;
mod grid;
mod heat_map;
mod live;
mod owned_rows;
mod picture;
mod policy;
mod predictor_file;
mod report;
mod spec;
mod summary;
mod text;
mod timing;
mod train;
mod watch;

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(
            stderr(),
            "error: internal error: {panic}\nhint: this is a bug of corefed; please report it with \
             the command and, if you can, the data"
        );
    }));
    match std::panic::catch_unwind(|| run(&cli)).unwrap_or(Ok(Exit::Error)) {
        Ok(exit) => exit.into(),
        // `corefed ... | head` is not an error of ours.
        Err(failure) if failure.is_broken_pipe() => Exit::Stable.into(),
        Err(failure) => {
            // When even standard error is gone, the exit code has to do.
            let _ = writeln!(stderr(), "{failure}");
            Exit::Error.into()
        }
    }
}

fn run(cli: &Cli) -> Result<Exit, Failure> {
    if let Some(threads) = cli.threads {
        if threads == 0 {
            return Err(Failure::new("`--threads` is `0`").hint("use at least one thread"));
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| Failure::new(format!("cannot start {threads} threads: {error}")))?;
    }
    let mut out = stdout().lock();
    let exit = match &cli.command {
        Command::Run(args) => commands::run(args, &mut out),
        Command::Compare(args) => commands::compare(args, &mut out),
        Command::Sweep(args) => commands::sweep(args, &mut out),
        Command::Export(args) => commands::export(args, &mut out),
        Command::Solve(args) => commands::solve(args, &mut out),
        Command::Audit(args) => commands::audit(args, &mut out),
        Command::Report(args) => commands::report(args, &mut out),
        Command::Watch(args) => commands::watch(args, &mut out),
        Command::Verify(args) => commands::verify(args, &mut out),
        Command::Predict(args) => commands::predict(args, &mut out),
        Command::Data(command) => commands::data(command, &mut out),
    }?;
    out.flush()?;
    Ok(exit)
}
