//! What a family predicts.

/// What the target of a row may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Any finite number.
    Number,
    /// A count, or a mean of counts: a finite number that is not negative.
    Count,
    /// The index of a class.
    Class {
        /// Fewest classes.
        least: usize,
        /// Most classes, if there is a limit.
        most: Option<usize>,
    },
}

impl Targets {
    /// Whether targets are indices of classes.
    #[must_use]
    pub const fn is_class(self) -> bool {
        matches!(self, Self::Class { .. })
    }

    /// How many classes there must be; numbers have none.
    #[must_use]
    pub const fn most_classes(self) -> Option<usize> {
        match self {
            Self::Number | Self::Count => Some(0),
            Self::Class { most, .. } => most,
        }
    }

    /// Whether an encoding may list this many classes.
    #[must_use]
    pub fn fits(self, classes: usize) -> bool {
        let least = match self {
            Self::Number | Self::Count => 0,
            Self::Class { least, .. } => least,
        };
        classes >= least && self.most_classes().is_none_or(|most| classes <= most)
    }

    /// Whether an encoded target can be one, given the number of classes.
    #[must_use]
    pub fn admits(self, value: f64, classes: usize) -> bool {
        match self {
            Self::Number => value.is_finite(),
            Self::Count => value >= 0.0 && value.is_finite(),
            Self::Class { most, .. } => {
                let classes = most.unwrap_or(classes);
                value.fract() == 0.0 && (0.0..classes as f64).contains(&value)
            }
        }
    }

    /// What a target must be, for messages.
    #[must_use]
    pub const fn wanted(self) -> &'static str {
        match self {
            Self::Number => "a finite number",
            Self::Count => "a count, zero or more",
            Self::Class { .. } => "the index of a class",
        }
    }
}
