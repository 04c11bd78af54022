use proptest::prelude::*;

use super::*;
use crate::testing;

fn marks() -> Marks {
    let mark = |bytes| Mark { bytes, sha256: "ab".repeat(32) };
    Marks { rounds: mark(123), agents: mark(u64::MAX), spec: Some("rounds = \"é\"\n".to_owned()) }
}

/// A small checkpoint on disk.
fn written(folder: &Path) -> (Checkpoint, PathBuf) {
    let checkpoint = testing::checkpoint(7, [0.1, f64::INFINITY]);
    checkpoint.write(folder, &marks()).unwrap();
    (checkpoint, folder.join("00000007.checkpoint"))
}

#[test]
fn a_checkpoint_reads_back_and_its_digest_is_where_the_format_says() {
    let folder = tempfile::tempdir().unwrap();
    let (checkpoint, path) = written(folder.path());
    assert_eq!(Checkpoint::read(&path).unwrap().unwrap(), (checkpoint, marks()));

    let mut bytes = fs::read(&path).unwrap();
    let recorded = String::from_utf8(bytes[35..99].to_vec()).unwrap();
    bytes[35..99].fill(b'0');
    assert_eq!(corefed_core::digest_bytes(&bytes), recorded);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing partial is left");
}

#[test]
fn no_single_byte_can_be_altered() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = written(folder.path());
    let bytes = fs::read(&path).unwrap();
    for place in 0..bytes.len() {
        for flip in [0x01, 0x20, 0x80, 0xff] {
            let mut altered = bytes.clone();
            altered[place] ^= flip;
            fs::write(&path, &altered).unwrap();
            assert!(Checkpoint::read(&path).unwrap().is_err(), "byte {place} ^ {flip:#x}");
        }
    }
}

#[test]
fn no_byte_can_be_missing_or_added() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = written(folder.path());
    let mut bytes = fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        assert!(Checkpoint::read(&path).unwrap().is_err(), "{length} bytes");
        // After a power cut a file may have its length but not its contents.
        let mut zeros = bytes[..length].to_vec();
        zeros.resize(bytes.len(), 0);
        if zeros != bytes {
            fs::write(&path, &zeros).unwrap();
            assert!(Checkpoint::read(&path).unwrap().is_err(), "zeros from {length}");
        }
    }
    bytes.push(0);
    fs::write(&path, &bytes).unwrap();
    assert!(Checkpoint::read(&path).unwrap().is_err());
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_not_damage() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("00000001.checkpoint");
    assert!(matches!(Checkpoint::read(&absent), Err(LogError::Read { .. })));
}

#[test]
fn only_checkpoints_are_listed_and_by_round() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["00000010.checkpoint", "00000009.checkpoint", "x.checkpoint", "00000011.txt"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    fs::write(folder.path().join("123456789.checkpoint"), "").unwrap();
    let rounds: Vec<_> = list(folder.path()).unwrap().into_iter().map(|(n, _)| n).collect();
    assert_eq!(rounds, [9, 10, 123_456_789]);
    assert!(list(&folder.path().join("absent")).unwrap().is_empty());
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_never_a_checkpoint(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("00000001.checkpoint");
        fs::write(&path, &bytes).unwrap();
        prop_assert!(Checkpoint::read(&path).unwrap().is_err());
    }

    #[test]
    fn several_altered_bytes_are_noticed(changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..6)) {
        let folder = tempfile::tempdir().unwrap();
        let (_, path) = written(folder.path());
        let original = fs::read(&path).unwrap();
        let mut bytes = original.clone();
        for (place, flip) in changes {
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
        }
        prop_assume!(bytes != original);
        fs::write(&path, &bytes).unwrap();
        prop_assert!(Checkpoint::read(&path).unwrap().is_err());
    }
}
