//! Keys of `[partition]` and `[corrupt]`.

use corefed_data::{DivideBy, MOST_AGENTS};

use crate::key::{Key, Section};
use crate::takes::{Choice, Free, MOST, Number, Whole, Without};
use corefed_core::Range;

pub(crate) static METHOD: Key<Choice<DivideBy>> = Key::new(
    "method",
    Choice {
        options: &[
            ("iid", DivideBy::Iid),
            ("label-dirichlet", DivideBy::LabelDirichlet),
            ("shards", DivideBy::Shards),
            ("quantity-skew", DivideBy::QuantitySkew),
            ("column", DivideBy::Column),
        ],
        default: None,
    },
    "Even random parts; each class in Dirichlet proportions; a few shards of rows sorted by label; \
     sizes in Dirichlet proportions; or by the names in a column.",
);
pub(crate) static AGENTS: Key<Whole> = Key::new(
    "agents",
    Whole { least: 1, most: MOST_AGENTS as u64, default: Some(3) },
    "Number of agents.",
)
.only(&["iid", "label-dirichlet", "shards", "quantity-skew"]);
pub(crate) static ALPHA: Key<Number> = Key::new(
    "alpha",
    Number { range: Range::from(1e-9, f64::INFINITY), default: 0.5 },
    "Concentration of the Dirichlet draw: small is skewed, large is even.",
)
.only(&["label-dirichlet", "quantity-skew"]);
pub(crate) static MIN_SAMPLES: Key<Whole> = Key::new(
    "min_samples",
    Whole { least: 1, most: MOST, default: Some(10) },
    "Fewest rows an agent may get; the draw is repeated until it holds.",
)
.only(&["label-dirichlet", "quantity-skew"]);
pub(crate) static SHARDS: Key<Whole> = Key::new(
    "shards_per_agent",
    Whole { least: 1, most: MOST, default: Some(2) },
    "Shards of sorted labels that every agent gets.",
)
.only(&["shards"]);
pub(crate) static COLUMN: Key<Free> = Key::new(
    "column",
    Free { wanted: "the name of a column", without: Without::Required },
    "Column that names the owner of a row.",
)
.only(&["column"]);
pub(crate) static FILE: Key<Free> = Key::new(
    "file",
    Free { wanted: "a file of `corefed data partition`", without: Without::Told("none") },
    "A partition that was drawn before, relative to the spec; in place of all other keys.",
);

pub(crate) static SECTION: Section = Section {
    path: "partition",
    meaning: "Who owns which row; without it, the `agent` column or the set's own says so.",
    keys: &[&METHOD, &AGENTS, &ALPHA, &MIN_SAMPLES, &SHARDS, &COLUMN, &FILE],
    selector: Some("method"),
    rivals: &[
        ("file", "method"),
        ("file", "agents"),
        ("file", "alpha"),
        ("file", "min_samples"),
        ("file", "shards_per_agent"),
        ("file", "column"),
    ],
};

pub(crate) static CORRUPTIONS: Key<Free> = Key::new(
    "AGENT",
    Free {
        wanted: "a list of corruptions such as `[\"noise:0.5\", \"labels:0.2\"]`",
        without: Without::Told("none"),
    },
    "What is done to the agent of this name, in order: `noise:STD` in deviations of each column, \
     `labels:RATE`, `drop:RATE`, `duplicate:RATE`.",
);

pub(crate) static CORRUPT: Section = Section {
    path: "corrupt",
    meaning: "Agents made worse on purpose, by name.",
    keys: &[&CORRUPTIONS],
    selector: None,
    rivals: &[],
};
