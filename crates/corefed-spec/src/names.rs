//! Which names may stand in a table, and which of them together.

use crate::Problem;
use crate::fields::Fields;
use crate::key::Section;
use crate::keys::{SECTIONS, tables_of};
use crate::words::{excerpt, nearest};

/// Guesses are for people, who make few mistakes.
const GUESSES: usize = 100;

impl Fields<'_> {
    /// Refuses knobs of other choices.
    pub(crate) fn check_knobs(&self, selector: &'static str, chosen: &str) {
        if self.section.selector != Some(selector) {
            return;
        }
        for key in self.section.keys {
            let to = key.only();
            if let (Some((at, _)), false) =
                (self.get(key.name()), to.is_empty() || to.contains(&chosen))
            {
                let chosen = chosen.to_owned();
                self.refuse(at, key.name(), Problem::Belongs { selector, to, chosen });
            }
        }
    }

    /// Refuses unknown keys, and keys that exclude each other.
    pub(crate) fn check_names(&self) {
        for &(a, b) in self.section.rivals {
            if let (Some((first, _)), Some((second, _))) = (self.get(a), self.get(b)) {
                let (at, name, other) = if first < second { (second, b, a) } else { (first, a, b) };
                self.refuse(at, name, Problem::Clash { other });
            }
        }
        let open = self.section.keys.iter().all(|key| key.name().starts_with(char::is_uppercase));
        for (name, value) in self.table.into_iter().flatten().filter(|_| !open) {
            let known =
                || self.section.keys.iter().map(|key| key.name()).chain(tables_of(self.section));
            let name = &**name.get_ref();
            if !known().any(|known| known == name) {
                let guess = self.mistakes.len() < GUESSES;
                let renamed = RENAMED.iter().find(|(old, _)| *old == name).map(|(_, new)| *new);
                let renamed = renamed.filter(|new| known().any(|known| known == *new));
                let nearest = renamed.or_else(|| if guess { nearest(name, known()) } else { None });
                let elsewhere = if guess { homes(name) } else { Vec::new() };
                let near = if guess { near(name) } else { None };
                let problem = Problem::UnknownKey { name: excerpt(name), nearest, elsewhere, near };
                self.refuse(value.span().start, name, problem);
            }
        }
    }
}

/// Keys of earlier versions, with their present names.
const RENAMED: [(&str, &str); 1] = [("epsilon", "tolerance")];

/// The path of the key that is spelt most like this one, wherever it is.
fn near(name: &str) -> Option<String> {
    let plain = || SECTIONS.into_iter().filter(|section| !section.path.contains('['));
    let found =
        nearest(name, plain().flat_map(|section| section.keys.iter().map(|key| key.name())))?;
    let home = plain().find(|section| section.key(found).is_some())?;
    Some(if home.path.is_empty() { found.to_owned() } else { format!("{}.{found}", home.path) })
}

/// The tables that have a key of this name.
fn homes(name: &str) -> Vec<&'static str> {
    let has = |section: &&Section| section.key(name).is_some() && !section.path.contains('[');
    let title = |section: &Section| if section.path.is_empty() { "the top" } else { section.path };
    SECTIONS.into_iter().filter(has).map(title).collect()
}
