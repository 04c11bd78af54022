//! The `corefed` command as a library: arguments in, an answer in a writer, talk on standard error.
//!
//! [`main`] is the whole command, for programs that are nothing else. [`call`] runs one command inside
//! another program, which keeps its signals and asks for an end with [`stop`].

mod answer;
mod args;
mod browse;
mod case;
mod coalitions;
mod commands;
mod dataset;
mod display;
mod exit;
mod failure;
mod files;
mod grid;
mod heat_map;
#[cfg(any(test, not(all(feature = "download", feature = "figures", feature = "parquet"))))]
mod left_out;
mod live;
mod owned_rows;
mod picture;
mod policy;
mod predictor_file;
mod report;
mod reproduce;
mod spec;
mod summary;
mod text;
mod timing;
mod train;
mod watch;
mod words;

use std::ffi::OsString;
use std::io::{Write, stderr, stdout};

use clap::Parser;

use crate::args::{Cli, Command};
pub use crate::exit::Exit;
pub use crate::failure::Failure;
pub use crate::train::stop;

/// The command: it talks to the terminal, takes Ctrl-C for itself, and gives its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let mut arguments = arguments.into_iter().peekable();
    if let Some(program) = arguments.peek() {
        summary::called(program.to_string_lossy().into_owned());
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(asked) => {
            // Help that cannot be written is no failure.
            let _ = asked.print();
            return u8::try_from(asked.exit_code()).unwrap_or(2);
        }
    };
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(
            stderr(),
            "error: internal error: {panic}\nhint: this is a bug of corefed; please report it with \
             the command and, if you can, the data"
        );
    }));
    train::own_signals();
    match std::panic::catch_unwind(|| alone(&cli)).unwrap_or(Ok(Exit::Error)) {
        Ok(exit) => exit.code(),
        // `corefed ... | head` is not an error of ours.
        Err(failure) if failure.is_broken_pipe() => Exit::Stable.code(),
        Err(failure) => {
            // When even standard error is gone, the exit code has to do.
            let _ = writeln!(stderr(), "{failure}");
            Exit::Error.code()
        }
    }
}

/// One command inside another program; the first argument is the program's name.
///
/// What the command would print on standard output goes to `out`. Only one call at a time can be
/// stopped: they share [`stop`].
pub fn call(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let cli = Cli::try_parse_from(arguments).map_err(|error| Failure::arguments(&error))?;
    train::go_on();
    run(&cli.command, out)
}

fn alone(cli: &Cli) -> Result<Exit, Failure> {
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
    let exit = run(&cli.command, &mut out)?;
    out.flush()?;
    Ok(exit)
}

fn run(command: &Command, out: &mut dyn Write) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => commands::run(args, out),
        Command::Compare(args) => commands::compare(args, out),
        Command::Sweep(args) => commands::sweep(args, out),
        Command::Reproduce(args) => reproduce::reproduce(args, out),
        Command::Export(args) => commands::export(args, out),
        Command::Solve(args) => commands::solve(args, out),
        Command::Audit(args) => commands::audit(args, out),
        Command::Report(args) => commands::report(args, out),
        Command::Watch(args) => commands::watch(args, out),
        Command::Verify(args) => commands::verify(args, out),
        Command::Predict(args) => commands::predict(args, out),
        Command::Data(command) => commands::data(command, out),
    }
}
