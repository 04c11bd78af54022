//! Names in messages: kept short and printable, listed in backticks, guessed when misspelt.

pub(crate) use corefed_data::excerpt;

/// Longest name that is worth a guess, in characters.
const SHOWN: usize = 60;

/// Names in backticks, separated by commas.
pub(crate) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The known name a misspelt one most likely meant: at most a third of its characters differ.
pub(crate) fn nearest(
    meant: &str,
    known: impl IntoIterator<Item = &'static str>,
) -> Option<&'static str> {
    let length = meant.chars().count();
    if length > SHOWN {
        // Comparing it would cost more than the guess is worth.
        return None;
    }
    // A hyphen for an underscore, or the reverse, is the commonest slip of all.
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let meant = plain(meant);
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&meant, &plain(name)), name))
        .filter(|&(distance, _)| distance <= (length / 3).max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_neighbour_and_a_strange_one_finds_nothing() {
        let known = ["learning_rate", "momentum", "batch"];
        assert_eq!(nearest("learning_rte", known), Some("learning_rate"));
        assert_eq!(nearest("learning-rate", known), Some("learning_rate"));
        assert_eq!(nearest("Batch", known), Some("batch"));
        assert_eq!(nearest("lr", known), None);
        assert_eq!(nearest(&"batch".repeat(1000), known), None);
    }

    #[test]
    fn messages_stay_short_and_printable() {
        assert_eq!(excerpt("a\u{1b}[31mb"), "a\\u001b[31mb");
        assert_eq!(excerpt(&"x".repeat(100)).chars().count(), SHOWN + 1);
        assert_eq!(listed(&["a", "b"]), "`a`, `b`");
    }
}
