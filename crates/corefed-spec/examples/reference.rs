//! Prints `docs/spec.md`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(corefed_spec::Spec::reference().as_bytes())
}
