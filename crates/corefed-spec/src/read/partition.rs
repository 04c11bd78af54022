//! `[partition]` and `[corrupt]`.

use corefed_data::{Corruption, Corruptions, DivideBy, Method};

use super::text;
use crate::fields::{Fields, unfit};
use crate::key::Key;
use crate::keys::partition as keys;
use crate::takes::Whole;
use crate::value::Value;
use crate::{PartitionSpec, Problem};

/// How rows are divided, if the spec says so.
pub(super) fn read(top: &Fields) -> Option<PartitionSpec> {
    if !top.has("partition") {
        return None;
    }
    let fields = top.table("partition", &keys::SECTION);
    if fields.has("file") {
        let file = fields.free(&keys::FILE, |value| text(&keys::FILE, value));
        return file.map(|file| PartitionSpec::File(file.into()));
    }
    let count = |key: &Key<Whole>| fields.whole(key).map_or(1, |n| usize::try_from(n).unwrap_or(1));
    let how = fields.choice(&keys::METHOD);
    let agents = count(&keys::AGENTS);
    let (alpha, min_samples) = (fields.number(&keys::ALPHA), count(&keys::MIN_SAMPLES));
    let shards_per_agent = count(&keys::SHARDS);
    Some(PartitionSpec::Method(match how {
        DivideBy::Iid => Method::Iid { agents },
        DivideBy::LabelDirichlet => Method::LabelDirichlet { agents, alpha, min_samples },
        DivideBy::Shards => Method::Shards { agents, shards_per_agent },
        DivideBy::QuantitySkew => Method::QuantitySkew { agents, alpha, min_samples },
        DivideBy::Column => {
            let column = fields.free(&keys::COLUMN, |value| text(&keys::COLUMN, value));
            Method::Column { column: column.unwrap_or_default() }
        }
    }))
}

/// Who is made worse, and how.
pub(super) fn corrupt(top: &Fields) -> Corruptions {
    let fields = top.table("corrupt", &keys::CORRUPT);
    let mut corruptions = Corruptions::default();
    for (agent, at, value) in fields.entries() {
        let Value::List(items) = value else {
            fields.refuse(at, agent, unfit(keys::CORRUPTIONS.takes.wanted, value));
            continue;
        };
        for corruption in fields.items(agent, items, &mut |_, _, value| step(value)) {
            corruptions.add(agent, corruption);
        }
    }
    corruptions
}

fn step(value: Value) -> Result<Corruption, Problem> {
    let Value::Text(text) = value else {
        return Err(unfit("a corruption such as `\"noise:0.5\"`", value));
    };
    text.parse().map_err(|error: corefed_data::CorruptError| {
        let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        Problem::Refused { reason: format!("{error}{hint}") }
    })
}
