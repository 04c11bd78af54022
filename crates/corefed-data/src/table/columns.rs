//! Names of columns, found without looking at all of them: a table may have a million.

use std::ops::Deref;

/// Distinct names, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Columns {
    names: Vec<String>,
    /// Their places, in the order of the alphabet.
    sorted: Vec<usize>,
}

impl Columns {
    /// The place of a name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let at = self.sorted.binary_search_by(|&place| self.names[place].as_str().cmp(name));
        at.ok().map(|at| self.sorted[at])
    }
}

impl From<Vec<String>> for Columns {
    fn from(names: Vec<String>) -> Self {
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        sorted.sort_unstable_by(|&one, &other| names[one].cmp(&names[other]));
        Self { names, sorted }
    }
}

impl Deref for Columns {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_in_its_place() {
        let names: Vec<String> = ["b", "a", "z", "", "ab"].map(str::to_owned).to_vec();
        let columns = Columns::from(names.clone());
        for (place, name) in names.iter().enumerate() {
            assert_eq!(columns.find(name), Some(place));
        }
        assert_eq!(columns.find("c"), None);
        assert_eq!(&columns[..], &names[..]);
    }
}
