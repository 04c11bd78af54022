//! Ranges of numbers, with the words for them: what a setting may be is checked and told alike.

use std::fmt;

/// Cells, weights and radii beyond this are refused, whatever their sign: solvers square them, and
/// square those.
pub const LARGEST: f64 = 1e50;

/// Numbers between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    /// Whether the bounds themselves are inside.
    closed: (bool, bool),
}

impl Range {
    /// Any finite number.
    pub const FINITE: Self = Self::open(f64::NEG_INFINITY, f64::INFINITY);
    /// Above zero.
    pub const POSITIVE: Self = Self::open(0.0, f64::INFINITY);
    /// Zero or more.
    pub const NOT_NEGATIVE: Self = Self::from(0.0, f64::INFINITY);
    /// Zero or more, and for ever.
    pub const DURATION: Self = Self::closed(0.0, f64::INFINITY);
    /// A probability.
    pub const CHANCE: Self = Self::closed(0.0, 1.0);
    /// A part that is never the whole.
    pub const PART: Self = Self::from(0.0, 1.0);

    /// Without its bounds.
    #[must_use]
    pub const fn open(low: f64, high: f64) -> Self {
        Self { low, high, closed: (false, false) }
    }

    /// With the lower bound only.
    #[must_use]
    pub const fn from(low: f64, high: f64) -> Self {
        Self { low, high, closed: (true, false) }
    }

    /// With the upper bound only.
    #[must_use]
    pub const fn up_to(low: f64, high: f64) -> Self {
        Self { low, high, closed: (false, true) }
    }

    /// With both bounds.
    #[must_use]
    pub const fn closed(low: f64, high: f64) -> Self {
        Self { low, high, closed: (true, true) }
    }

    /// Whether a number is inside; not-a-number never is.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        let above = value > self.low || (self.closed.0 && value == self.low);
        let below = value < self.high || (self.closed.1 && value == self.high);
        above && below
    }

    /// The bounds, and whether each is inside.
    #[must_use]
    pub const fn bounds(self) -> (f64, f64, (bool, bool)) {
        (self.low, self.high, self.closed)
    }

    /// To follow "must be".
    #[must_use]
    pub fn wanted(self) -> String {
        let Self { low, high, closed } = self;
        let from = if closed.0 { ">=" } else { ">" };
        let [low, high] = [low, high].map(digits);
        match (self.low.is_finite(), self.high.is_finite()) {
            (false, _) => "a number".to_owned(),
            (true, false) if closed.1 => format!("a number {from} {low}, or `inf`"),
            (true, false) => format!("a number {from} {low}"),
            (true, true) => {
                let open = if closed.0 { '[' } else { '(' };
                let close = if closed.1 { ']' } else { ')' };
                format!("a number in {open}{low}, {high}{close}")
            }
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.wanted())
    }
}

/// Nobody counts zeros.
fn digits(bound: f64) -> String {
    if bound == 0.0 || (1e-3..1e6).contains(&bound) {
        bound.to_string()
    } else {
        format!("{bound:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_inside_only_where_the_words_say_so() {
        for (range, words, inside, outside) in [
            (Range::POSITIVE, "a number > 0", [1e-300, 1e300], [0.0, f64::INFINITY]),
            (Range::NOT_NEGATIVE, "a number >= 0", [0.0, 7.0], [-1e-300, f64::INFINITY]),
            (Range::DURATION, "a number >= 0, or `inf`", [0.0, f64::INFINITY], [-1.0, f64::NAN]),
            (Range::PART, "a number in [0, 1)", [0.0, 0.99], [1.0, -0.1]),
            (Range::CHANCE, "a number in [0, 1]", [0.0, 1.0], [1.01, -0.1]),
            (Range::closed(1e-9, 1e50), "a number in [1e-9, 1e50]", [1e-9, 1e50], [0.0, 1e51]),
            (Range::up_to(0.0, 1.0), "a number in (0, 1]", [0.1, 1.0], [0.0, f64::NAN]),
            (Range::FINITE, "a number", [-3.0, 3.0], [f64::NAN, f64::NEG_INFINITY]),
        ] {
            assert_eq!(range.wanted(), words);
            assert!(inside.iter().all(|&value| range.contains(value)), "{words}");
            assert!(!outside.iter().any(|&value| range.contains(value)), "{words}");
        }
    }
}
