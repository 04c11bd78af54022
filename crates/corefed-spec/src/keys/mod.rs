//! Every key there is.

pub(crate) mod audit;
pub(crate) mod compare;
pub(crate) mod network;
pub(crate) mod partition;
pub(crate) mod root;
pub(crate) mod train;

use crate::key::Section;

/// All tables, in the order they are written. `compare.rules[]` stands for the tables in a list.
pub(crate) static SECTIONS: [&Section; 16] = [
    &root::SECTION,
    &root::COLUMNS,
    &network::SECTION,
    &audit::SECTION,
    &partition::SECTION,
    &partition::CORRUPT,
    &train::SECTION,
    &train::local::SECTION,
    &train::participation::SECTION,
    &train::SAFETY,
    &train::STOP,
    &train::RECORD,
    &compare::SECTION,
    &compare::RULE,
    &compare::TUNE,
    &compare::GRID,
];

/// The table of this path.
pub(crate) fn section(path: &str) -> Option<&'static Section> {
    SECTIONS.into_iter().find(|section| section.path == path)
}

/// Names of the tables directly inside one.
pub(crate) fn tables_of(parent: &Section) -> impl Iterator<Item = &'static str> {
    SECTIONS.into_iter().filter_map(move |section| {
        let inner = match parent.path {
            "" => section.path,
            path => section.path.strip_prefix(path)?.strip_prefix('.')?,
        };
        (!inner.is_empty() && !inner.contains(['.', '['])).then_some(inner)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tables_are_found_by_path_and_by_parent() {
        let inner: Vec<_> = tables_of(&root::SECTION).collect();
        assert_eq!(
            inner,
            ["columns", "network", "audit", "partition", "corrupt", "train", "compare"]
        );
        let inner: Vec<_> = tables_of(&train::SECTION).collect();
        assert_eq!(inner, ["local", "participation", "safety", "stop", "record"]);
        assert_eq!(tables_of(&train::STOP).count(), 0);
        assert!(SECTIONS.iter().all(|known| section(known.path).unwrap().path == known.path));
    }

    #[test]
    fn descriptions_hold_together() {
        for section in SECTIONS {
            let mut names = BTreeSet::new();
            for key in section.keys {
                let place = format!("{}.{}", section.path, key.name());
                assert!(names.insert(key.name()), "{place} is there twice");
                assert!(key.meaning().len() > 5 && !key.wanted().is_empty(), "{place}");
                assert!(key.only().is_empty() || section.selector.is_some(), "{place}");
            }
            names.extend(tables_of(section));
            let pairs = section.rivals.iter().flat_map(|(a, b)| [a, b]);
            assert!(pairs.chain(&section.selector).all(|name| names.contains(name)));
        }
    }
}
