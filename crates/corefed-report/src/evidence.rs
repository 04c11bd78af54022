//! What is known of a model whose losses are not convex, and how well it is known.

/// Statements with what they are worth, and intervals from held-out rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// In reading order.
    pub statements: Vec<Stated>,
    /// How often an interval made this way holds, in (0, 1).
    pub level: f64,
    /// Utilities on held-out rows.
    pub held_out: Vec<HeldOutLine>,
    /// What members of the coalition that was found would gain, row by row.
    pub paired: Vec<PairedLine>,
    /// What follows from all of the latter.
    pub conclusion: Option<String>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// What it is about.
    pub about: String,
    /// What it is worth.
    pub worth: Worth,
    /// What was found; empty where nothing is said.
    pub finding: String,
    /// What it rests on, or why nothing is said.
    pub rests_on: String,
}

/// What a statement is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// Proven from what it rests on.
    Certified,
    /// Computed without a proof, or from a sample.
    Estimated,
    /// What was found is a fact; what was not found may still exist.
    SearchedOnly,
    /// Nothing is said.
    NotApplicable,
}

/// The utility of an agent on held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOutLine {
    /// Its name.
    pub agent: String,
    /// How many rows it kept.
    pub rows: usize,
    /// Mean utility.
    pub mean: f64,
    /// Interval of the mean of `max(0, M - loss)`.
    pub interval: (f64, f64),
}

/// What a member gains by its share of the rival, over what it has: `(w(S)/W) u' - u`.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedLine {
    /// Its name.
    pub agent: String,
    /// How many rows it kept.
    pub rows: usize,
    /// Mean difference.
    pub mean: f64,
    /// Lower bound of the mean.
    pub at_least: f64,
}

impl Worth {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Estimated => "estimated",
            Self::SearchedOnly => "searched only",
            Self::NotApplicable => "nothing said",
        }
    }

    /// A class of the style and a sign, which say the same as the word.
    pub(crate) fn look(self) -> (&'static str, &'static str) {
        match self {
            Self::Certified => ("good", "✓"),
            Self::Estimated => ("open", "≈"),
            Self::SearchedOnly => ("open", "○"),
            Self::NotApplicable => ("none", "–"),
        }
    }
}
