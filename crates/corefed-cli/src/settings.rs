//! What the command line changes about a spec.

use std::path::Path;

use corefed_run::{Limits, RunError, find_spec, overridden, table_spec};
use corefed_spec::{Overrides, Spec};

use crate::args::{AuditLimits, EncodingArgs, SpecArgs, TableArgs};
use crate::failure::Failure;

/// The spec that a command runs several times.
pub(crate) fn spec(what: &str, asked: &SpecArgs) -> Result<Spec, Failure> {
    Ok(overridden(&find_spec(what)?, &asked.overrides())?)
}

/// What was named, changed: a spec, or the spec of a table, a file whose name does not end in `.toml`.
pub(crate) fn table_or_spec(
    what: &str,
    (table, encoding): (&TableArgs, &EncodingArgs),
    by: &Overrides<'_>,
) -> Result<Spec, Failure> {
    let TableArgs { agent, target, model, written } = table;
    if Path::new(what).extension().is_none_or(|ending| ending == "toml") {
        if agent.is_some() || target.is_some() || model.is_some() {
            let said =
                format!("`--agent`, `--target` and `--model` are for tables; `{what}` is a spec");
            return Err(
                Failure::new(said).hint("a spec has its own; change them with `--set agent=...`")
            );
        }
        if !encoding.is_empty() || !written.told().is_recognised() {
            return Err(Failure::new("a spec says itself how rows become numbers")
                .hint("change it with `--set`, such as `--set l2=0.01` or `--set missing=mean`"));
        }
        return Ok(overridden(&find_spec(what)?, by)?);
    }
    let (Some(agent), Some(target), Some(model)) = (agent, target, *model) else {
        return Err(Failure::new(format!("what do the columns of `{what}` mean?"))
            .hint("say it with `--agent COLUMN`, `--target COLUMN` and `--model MODEL`"));
    };
    let own =
        table_spec(Path::new(what), &encoding.options((agent, target), model, written.told()))?;
    Ok(overridden(&own, by)?)
}

/// How far an audit goes; `usual` is its tolerance unless told.
pub(crate) fn limits(asked: &AuditLimits, usual: f64, exact: bool) -> Result<Limits, RunError> {
    Limits::asked((asked.tolerance, asked.time_limit), usual, exact)
}
