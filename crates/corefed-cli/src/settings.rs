//! What the command line changes about a spec.

use std::path::Path;

use corefed_run::{Limits, find_spec, table_spec};
use corefed_spec::Spec;

use crate::args::{AuditLimits, EncodingArgs, Setting, TableArgs};
use crate::failure::Failure;

/// The spec with some keys changed, all at once, so that keys which need each other may come in any
/// order; with the tolerance of the command line, if there is one.
pub(crate) fn spec(
    what: &str,
    settings: &[Setting],
    tolerance: Option<f64>,
) -> Result<Spec, Failure> {
    changed(find_spec(what)?, settings, tolerance)
}

/// As [`spec`], of a table where `what` is one: a file whose name does not end in `.toml`.
pub(crate) fn table_or_spec(
    what: &str,
    (table, encoding): (&TableArgs, &EncodingArgs),
    settings: &[Setting],
    tolerance: Option<f64>,
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
        return spec(what, settings, tolerance);
    }
    let (Some(agent), Some(target), Some(model)) = (agent, target, *model) else {
        return Err(Failure::new(format!("what do the columns of `{what}` mean?"))
            .hint("say it with `--agent COLUMN`, `--target COLUMN` and `--model MODEL`"));
    };
    let own =
        table_spec(Path::new(what), &encoding.options((agent, target), model, written.told()))?;
    changed(own, settings, tolerance)
}

/// As [`spec`], for one that is there already.
fn changed(spec: Spec, settings: &[Setting], tolerance: Option<f64>) -> Result<Spec, Failure> {
    let tolerance = tolerance.map(|tolerance| format!("{tolerance:?}"));
    let mut pairs: Vec<(&str, &str)> =
        settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    pairs.extend(tolerance.as_deref().map(|value| ("tolerance", value)));
    if pairs.is_empty() { Ok(spec) } else { Ok(spec.with_all(&pairs)?) }
}

/// A tolerance that `stable` still means something with; zero only where arithmetic is exact.
pub(crate) fn check_tolerance(tolerance: f64, exact: bool) -> Result<(), Failure> {
    corefed_run::check_tolerance(tolerance, exact).map_err(|error| {
        let hint = error.hint().unwrap_or_default();
        Failure::new(format!("`--tolerance` is `{tolerance}`")).hint(hint)
    })
}

/// How far an audit goes; `usual` is its tolerance unless told.
pub(crate) fn limits(asked: &AuditLimits, usual: f64, exact: bool) -> Result<Limits, Failure> {
    let limits = Limits {
        tolerance: asked.tolerance.unwrap_or(usual),
        time_limit: asked.time_limit.unwrap_or(60.0),
    };
    check_time_limit(limits.time_limit)?;
    check_tolerance(limits.tolerance, exact).map(|()| limits)
}

/// A time that makes no sense is better refused than obeyed.
pub(crate) fn check_time_limit(seconds: f64) -> Result<(), Failure> {
    if seconds.is_nan() || seconds < 0.0 {
        return Err(Failure::new(format!("`--time-limit` is `{seconds}`"))
            .hint("give seconds, zero or more"));
    }
    Ok(())
}
