//! `corefed node`.

use corefed_node::{Event, Settings, clock, serve};

use super::attest::random;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Serves until Ctrl-C or SIGTERM.
pub(crate) fn node(settings: &Settings, context: &Context) -> Result<Exit, Failure> {
    context.listen();
    let say = |event: &Event<'_>| context.say(&event.to_string());
    serve(settings, (random()?, random()?), &clock, &context.stop, &say)?;
    Ok(Exit::Stable)
}
