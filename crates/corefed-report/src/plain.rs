//! Documents with nothing hidden in them, for every text that a person reads.
//!
//! Names and sentences of a document may come from files that nobody has checked. Texts are made of documents whose
//! every string is [shown](corefed_core::shown), so that no sentence has to think of it.

use std::borrow::Cow;
use std::path::Path;

use corefed_core::{needs_care, shell_word, shown};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A value whose strings, and names of fields, can all be shown; itself where nothing is hidden in it.
pub(crate) fn plain<T: Clone + Serialize + DeserializeOwned>(value: &T) -> Cow<'_, T> {
    let Ok(mut json) = serde_json::to_value(value) else { return Cow::Borrowed(value) };
    if !clean(&mut json) {
        return Cow::Borrowed(value);
    }
    // What a type wrote it reads, so this is the shown one; the console guards itself once more.
    serde_json::from_value(json).map_or(Cow::Borrowed(value), Cow::Owned)
}

/// Shows every string; says whether one was changed.
pub(crate) fn clean(json: &mut Value) -> bool {
    match json {
        Value::String(text) if needs_care(text) => {
            *text = shown(text).into_owned();
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| clean(item) | changed),
        Value::Object(fields) => {
            let renamed = fields.keys().any(|name| needs_care(name));
            if renamed {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(k, v)| (shown(&k).into_owned(), v)));
            }
            fields.values_mut().fold(renamed, |changed, item| clean(item) | changed)
        }
        _ => false,
    }
}

/// A path in a sentence.
#[must_use]
pub fn shown_path(path: &Path) -> String {
    shown(&path.display().to_string()).into_owned()
}

/// A path in a command that can be copied into a shell.
#[must_use]
pub fn word(path: &Path) -> String {
    shell_word(&path.display().to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_string_and_every_key_is_shown_and_nothing_else_changes() {
        let harmless = vec![("a".to_owned(), 0.1 + 0.2)];
        assert!(matches!(plain(&harmless), Cow::Borrowed(_)));
        let hostile = BTreeMap::from([("a\n".to_owned(), vec![Some("\u{202e}".to_owned()), None])]);
        let expected =
            BTreeMap::from([("a\\u000a".to_owned(), vec![Some("\\u202e".to_owned()), None])]);
        assert_eq!(*plain(&hostile), expected);
    }
}
