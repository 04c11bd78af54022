//! `changes.json` is read back as it was written, whatever it holds.

use corefed_documents::{Document, SpecChange, SpecChanges};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

prop_compose! {
    fn change()(after_round in 0..99_usize, key in ".*", then in of(".*"), now in of(".*")) -> SpecChange {
        SpecChange { after_round, key, then, now }
    }
}

proptest! {
    #[test]
    fn changes_read_back_as_they_were_written(changes in vec(change(), 0..4)) {
        let written = SpecChanges { changes };
        let text = written.to_json().unwrap();
        prop_assert_eq!(SpecChanges::parse("changes.json", &text).unwrap(), written);
    }
}
