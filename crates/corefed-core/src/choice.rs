//! Values that people choose by a word.

/// A type of few values, each with the word that is typed for it and what it means.
///
/// Whatever owns the type owns its words, too: commands, specs and documents read one list.
///
/// ```
/// use corefed_core::Choice;
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Size {
///     Small,
///     Large,
/// }
///
/// impl Choice for Size {
///     const WORDS: &'static [(Self, &'static str, &'static str)] =
///         &[(Self::Small, "small", "Fits in a pocket"), (Self::Large, "large", "Does not")];
/// }
///
/// assert_eq!(Size::of_word("large"), Some(Size::Large));
/// assert_eq!(Size::of_word("huge"), None);
/// assert_eq!(Size::Small.word(), "small");
/// ```
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// Every value, its word, and what it means, in the order in which help lists them.
    const WORDS: &'static [(Self, &'static str, &'static str)];

    /// The value of a word.
    #[must_use]
    fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, own, _)| *own == word).map(|(value, ..)| *value)
    }

    /// The word of a value.
    #[must_use]
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(value, ..)| *value == self).map_or("", |(_, word, _)| word)
    }
}
