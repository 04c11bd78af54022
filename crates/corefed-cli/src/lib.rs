//! The `corefed` command: arguments in, an answer on standard output, talk on standard error.
//!
//! [`main`] is the whole command. Programs that want its results call `corefed-run`.

mod args;
mod browse;
mod commands;
mod context;
mod exit;
mod failure;
#[cfg(any(test, not(feature = "portable")))]
mod left_out;
mod observers;
mod outputs;
mod settings;

use std::ffi::OsString;
use std::io::{Write, stderr, stdout};

use clap::Parser;
use corefed_core::{one_line, shown_lines};
use corefed_report::console::Guarded;

use crate::args::{Cli, Command};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// The command: it talks to the terminal, takes Ctrl-C for itself, and gives its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(asked) => {
            // Arguments may be names of files that somebody sent.
            let shown = arguments.iter().map(|word| one_line(&word.to_string_lossy()).into_owned());
            let asked = Cli::try_parse_from(shown).err().unwrap_or(asked);
            // Help that cannot be written is not a failure.
            let _ = asked.print();
            return u8::try_from(asked.exit_code()).unwrap_or(2);
        }
    };
    let program = arguments.first().map_or("corefed".into(), |program| program.to_string_lossy());
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(
            stderr(),
            "error: internal error: {}\nhint: this is a bug of corefed; please report it with \
             the command and, if you can, the data",
            shown_lines(&panic.to_string())
        );
    }));
    corefed_data::pass_over_contained_panics();
    match std::panic::catch_unwind(|| alone(&cli, &program)).unwrap_or(Ok(Exit::Error)) {
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

fn alone(cli: &Cli, program: &str) -> Result<Exit, Failure> {
    if let Some(threads) = cli.threads {
        if threads == 0 {
            return Err(Failure::new("`--threads` is `0`").hint("use at least one thread"));
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| Failure::new(format!("cannot start {threads} threads: {error}")))?;
    }
    let context = Context::new(program);
    let mut out = Guarded::new(stdout().lock());
    let exit = run(&cli.command, &context, &mut out)?;
    out.flush()?;
    Ok(exit)
}

fn run(command: &Command, context: &Context, out: &mut dyn Write) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => commands::run(args, context, out),
        Command::Stay(args) => commands::stay(args, context, out),
        Command::Compare(args) => commands::compare(args, context, out),
        Command::Sweep(args) => commands::sweep(args, context, out),
        Command::Reproduce(args) => commands::reproduce(args, context, out),
        Command::Export(args) => commands::export(args, out),
        Command::Solve(args) => commands::solve(args, context, out),
        Command::Ceiling(args) => commands::ceiling(args, context, out),
        Command::Audit(args) => commands::audit(args, context, out),
        Command::Choose(args) => commands::choose(args, out),
        Command::Report(args) => commands::report(args, out),
        Command::Watch(args) => commands::watch(args, context, out),
        Command::Verify(args) => commands::verify(args, out),
        Command::Summarise(args) => commands::summarise(args, out),
        Command::Answer(args) => commands::answer(args, out),
        Command::Attest(args) => commands::attest(args, out),
        #[cfg(feature = "node")]
        Command::Node(settings) => commands::node(settings, context),
        #[cfg(not(feature = "node"))]
        Command::Node { .. } => Err(left_out::left_out("join a SuperLink", "node")),
        Command::Keys(command) => commands::keys(command, out),
        Command::Predict(args) => commands::predict(args, out),
        Command::Data(command) => commands::data(command, out),
        Command::Schema { name } => commands::schema(name.as_deref(), out),
        Command::Completions { shell } => commands::completions(*shell, out),
        Command::Man { folder } => commands::man(folder),
    }
}
