//! Keys at the top: data and terms, the same for exact runs and trainings.

use corefed_core::{DecimalMark, Family, LARGEST_TOLERANCE, OPTIMUM_TOLERANCE, Separator};
use corefed_data::{ColumnType, LARGEST, Missing};

use crate::key::{Key, Section};
use crate::takes::{Choice, Flag, Free, Number, Whole, Without};
use crate::{Ceiling, WeightsBy};
use corefed_core::Range;

pub(crate) static NAME: Key<Free> = Key::new(
    "name",
    Free {
        wanted: "text for the name of a folder, without slashes",
        without: Without::Told("the name of the file or preset"),
    },
    "Name of the run, and of its folder.",
);
pub(crate) static DATA: Key<Free> = Key::new(
    "data",
    Free { wanted: "a known set or a file", without: Without::Required },
    "The rows: a set of `corefed data list`, or a CSV or Parquet file, relative to the spec.",
);
pub(crate) static SEED: Key<Whole> = Key::new(
    "seed",
    Whole { least: 0, most: u64::MAX, default: Some(8) },
    "Decides everything that is drawn: generated data, partitions, corruptions, cohorts, batches.",
);
pub(crate) static AGENT: Key<Free> = Key::new(
    "agent",
    Free {
        wanted: "the name of a column",
        without: Without::Told("the set's own; required for a file without `[partition]`"),
    },
    "Column that names the owner of a row.",
);
pub(crate) static TARGET: Key<Free> = Key::new(
    "target",
    Free {
        wanted: "the name of a column",
        without: Without::Told("the set's own; required for a file"),
    },
    "Column to predict.",
);
pub(crate) static EXPOSURE: Key<Free> = Key::new(
    "exposure",
    Free { wanted: "the name of a column", without: Without::Told("every row counts as one") },
    "Column that says for how long, or how many, a row was observed: its log is added to the margin. For \
     models of counts.",
);
/// What `model` can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fitted {
    Family(Family),
    /// A network by name.
    Preset(&'static str),
    /// A network whose layers are listed.
    Layers,
}

const NETWORKS: [(&str, Fitted); 11] = [
    ("cnn", Fitted::Preset("cnn")),
    ("cnn-smooth", Fitted::Preset("cnn-smooth")),
    ("cnn-wide", Fitted::Preset("cnn-wide")),
    ("cnn-wide-smooth", Fitted::Preset("cnn-wide-smooth")),
    ("cnn-pfl", Fitted::Preset("cnn-pfl")),
    ("cnn-pfl-smooth", Fitted::Preset("cnn-pfl-smooth")),
    ("vgg11", Fitted::Preset("vgg11")),
    ("vgg11-smooth", Fitted::Preset("vgg11-smooth")),
    ("mlp", Fitted::Preset("mlp")),
    ("mlp-smooth", Fitted::Preset("mlp-smooth")),
    ("network", Fitted::Layers),
];

/// All families, then all networks.
static FITTED: [(&str, Fitted); Family::ALL.len() + NETWORKS.len()] = {
    let mut all = [("", Fitted::Layers); Family::ALL.len() + NETWORKS.len()];
    let mut k = 0;
    while k < all.len() {
        all[k] = if k < Family::ALL.len() {
            (Family::ALL[k].name(), Fitted::Family(Family::ALL[k]))
        } else {
            NETWORKS[k - Family::ALL.len()]
        };
        k += 1;
    }
    all
};

pub(crate) static MODEL: Key<Choice<Fitted>> = Key::new(
    "model",
    Choice { options: &FITTED, default: None },
    "A linear predictor with one of the convex losses; for images also a network: a known one, its twin \
     without kinks, or `network` with the layers of `[network]`.",
);
pub(crate) static CEILING: Key<Free> = Key::new(
    "ceiling",
    Free {
        wanted: Ceiling::WANTED,
        without: Without::Told("`\"initial:1.5\"`; for `linear` without `raw`, `\"baseline:1.5\"`"),
    },
    "Loss at which an agent gets nothing: a number; F times its loss under the zero predictor (`initial`), \
     under its own best constant (`constant`), under the best constant for everybody together \
     (`pooled-constant`), that or its average over everybody, whichever is larger (`baseline`), or under the model that it would fit alone, measured on its held-out rows \
     (`alone`; without `held_out` on its training rows, and F must be above one); the provable worst loss \
     on the ball; or a file with columns `agent,ceiling`.",
);
pub(crate) static RADIUS: Key<Number> = Key::new(
    "radius",
    Number { range: Range::up_to(0.0, LARGEST), default: 10.0 },
    "Radius of the ball that parameters and rivals lie in. Without it, networks have `1e9`: their \
     parameters are not held back.",
);
pub(crate) static WEIGHTS: Key<Free> = Key::new(
    "weights",
    Free { wanted: WeightsBy::WANTED, without: Without::Is("\"equal\"") },
    "The say of each agent; a file has columns `agent,weight`.",
);
pub(crate) static AVERAGE: Key<Free> = Key::new(
    "average",
    Free { wanted: WeightsBy::WANTED, without: Without::Is("\"samples\"") },
    "Weights of rules that average, as FedAvg does.",
);
pub(crate) static L2: Key<Number> = Key::new(
    "l2",
    Number { range: Range::closed(0.0, LARGEST), default: 0.0 },
    "Ridge: `(l2/2) |parameters|^2` in every agent's loss, intercept included.",
);
pub(crate) static INTERCEPT: Key<Flag> =
    Key::new("intercept", Flag { default: true }, "Whether to fit an intercept.");
pub(crate) static RAW: Key<Flag> = Key::new(
    "raw",
    Flag { default: false },
    "Take numbers as they are: no standardisation, no text columns.",
);
pub(crate) static ALLOW: Key<Free> = Key::new(
    "allow",
    Free {
        wanted: "a list of `one-sample`, `one-class`, `constant`, `wide`, `damaged`",
        without: Without::Is("[]"),
    },
    "Accept data that look like a mistake.",
);
pub(crate) static SEPARATOR: Key<Choice<Option<Separator>>> = Key::new(
    "separator",
    Choice {
        options: &[
            ("auto", None),
            ("comma", Some(Separator::Comma)),
            ("semicolon", Some(Separator::Semicolon)),
            ("tab", Some(Separator::Tab)),
            ("pipe", Some(Separator::Pipe)),
        ],
        default: Some("auto"),
    },
    "What separates the cells of a text file, where recognising it goes wrong.",
);
pub(crate) static DECIMAL: Key<Choice<Option<DecimalMark>>> = Key::new(
    "decimal",
    Choice {
        options: &[
            ("auto", None),
            ("point", Some(DecimalMark::Point)),
            ("comma", Some(DecimalMark::Comma)),
        ],
        default: Some("auto"),
    },
    "What separates decimals in a text file, where recognising it goes wrong; with `comma`, points separate \
     thousands.",
);
pub(crate) static MISSING: Key<Choice<Missing>> = Key::new(
    "missing",
    Choice {
        options: &[
            ("error", Missing::Error),
            ("category", Missing::Category),
            ("mean", Missing::Mean),
            ("drop", Missing::Drop),
            ("auto", Missing::Auto),
        ],
        default: Some("auto"),
    },
    "What a cell means that is empty, `?`, `NA`, `NaN`, `null`, `.` or `-`: an error; a level of a text \
     column; that and the mean of a column of numbers; that its row is left out; or, `auto`, as `mean`, and \
     rows without target are left out. What was done is said.",
);
pub(crate) static NA: Key<Free> = Key::new(
    "na",
    Free { wanted: "a list of words or numbers", without: Without::Is("[]") },
    "Further words for a missing value, such as `-9999`.",
);
pub(crate) static TOLERANCE: Key<Number> = Key::new(
    "tolerance",
    Number { range: Range::up_to(0.0, LARGEST_TOLERANCE), default: OPTIMUM_TOLERANCE },
    "Gains up to this do not count in a verdict: stable means at most `1 + tolerance`, for every group \
     and for everybody at once. Without it, trainings have `0.01`.",
);
pub(crate) static TIME_LIMIT: Key<Number> = Key::new(
    "time_limit",
    Number { range: Range::DURATION, default: crate::TIME_LIMIT },
    "Seconds an audit may search before it answers with an interval.",
);
pub(crate) static SAMPLE: Key<Number> = Key::new(
    "sample",
    Number { range: Range::up_to(0.0, 1.0), default: 1.0 },
    "Fraction of each agent's rows that is used at all, for a first look at large data.",
);
pub(crate) static HELD_OUT: Key<Number> = Key::new(
    "held_out",
    Number { range: Range::PART, default: 0.0 },
    "Fraction of each agent's rows that is held out for evaluation.",
);
pub(crate) static VALIDATION: Key<Number> = Key::new(
    "validation",
    Number { range: Range::PART, default: 0.0 },
    "Fraction of each agent's rows that is held out, beside `held_out`, to choose the round whose model is kept; \
     nothing else is said about them.",
);
pub(crate) static TEST: Key<Flag> = Key::new(
    "test",
    Flag { default: false },
    "Also evaluate on the set's published test part; not for sets without one.",
);

pub(crate) static SECTION: Section = Section {
    path: "",
    meaning: "Data and terms. Without `[train]` the run solves exactly; with it, it trains by rounds.",
    keys: &[
        &NAME,
        &DATA,
        &SEED,
        &AGENT,
        &TARGET,
        &EXPOSURE,
        &MODEL,
        &CEILING,
        &RADIUS,
        &WEIGHTS,
        &AVERAGE,
        &L2,
        &INTERCEPT,
        &RAW,
        &ALLOW,
        &SEPARATOR,
        &DECIMAL,
        &MISSING,
        &NA,
        &TOLERANCE,
        &TIME_LIMIT,
        &SAMPLE,
        &HELD_OUT,
        &VALIDATION,
        &TEST,
    ],
    selector: None,
    rivals: &[("agent", "partition")],
};

pub(crate) static COLUMN: Key<Choice<ColumnType>> = Key::new(
    "COLUMN",
    Choice {
        options: &[
            ("number", ColumnType::Number),
            ("text", ColumnType::Text),
            ("ignore", ColumnType::Ignore),
            ("date", ColumnType::Date),
            ("parts", ColumnType::Parts),
        ],
        default: None,
    },
    "What the column of this name holds; `ignore` keeps it out of the features.",
);

pub(crate) static COLUMNS: Section = Section {
    path: "columns",
    meaning: "Overrides the detected type of the named columns.",
    keys: &[&COLUMN],
    selector: None,
    rivals: &[],
};
