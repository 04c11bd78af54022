use std::collections::BTreeSet;

use super::*;

#[test]
fn names_are_unique_and_found() {
    let names: BTreeSet<_> = ENTRIES.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), ENTRIES.len());
    for name in names {
        assert_eq!(find(name).unwrap().name, name);
    }
}

#[test]
fn an_unknown_name_lists_the_known_and_guesses() {
    let error = find("cifar-10").unwrap_err();
    assert!(error.to_string().starts_with("no data set is called `cifar-10`; known are `hosp"));
    assert_eq!(error.hint(), "did you mean `cifar10`?");
    assert_eq!(find("imagenet").unwrap_err().hint(), "`corefed data list` shows what is known");
}

/// A slip in a table of digests would make every download fail.
#[test]
fn entries_are_well_formed() {
    let hex = |text: &str, digits| {
        text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    for entry in ENTRIES {
        let Origin::Published(published) = entry.origin else { continue };
        let archive = published.archive.map(|archive| archive.file);
        for file in published.files.iter().chain(&archive) {
            assert!(hex(file.sha256, 64), "{}: {}", file.name, file.sha256);
            assert!(hex(file.md5, 32), "{}: {}", file.name, file.md5);
            assert!(file.size > 0 && !file.name.contains(['/', '\\']), "{}", file.name);
        }
        assert!(published.addresses.iter().all(|address| address.ends_with('/')), "{}", entry.name);
    }
    let digests: Vec<_> = ENTRIES.iter().flat_map(Entry::files).map(|f| f.sha256).collect();
    assert_eq!(digests.iter().collect::<BTreeSet<_>>().len(), digests.len());
}

#[test]
fn sizes_add_up() {
    // 3,974,305 bytes of adult.data and 2,003,153 of adult.test.
    assert_eq!(find("adult").unwrap().size(), 5_977_458);
    // 60,000 records of 3,073 bytes.
    assert_eq!(find("cifar10").unwrap().size(), 60_000 * 3_073);
    assert_eq!(find("shapes").unwrap().size(), 0);
}
