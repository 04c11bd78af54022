//! Whose rows these are, in the word of those who own them.

use corefed_data::source::catalogue;
use corefed_spec::Spec;

/// The column of owners, such as `hospital`; empty where rows were divided among agents.
pub(crate) fn owner(spec: &Spec) -> String {
    let known = spec.data.known().and_then(|name| catalogue::find(name).ok());
    let own = known.and_then(|entry| entry.agent).map(str::to_owned);
    let column = spec.agent.clone().or(own).filter(|_| spec.partition.is_none());
    column.unwrap_or_default()
}
