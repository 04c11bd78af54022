//! The `corefed` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    corefed_cli::main(std::env::args_os()).into()
}
