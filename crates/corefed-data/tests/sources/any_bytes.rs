//! No bytes make a reader panic, and what a reader accepts is what the bytes say.

use std::io::Write as _;

use corefed_data::source::{adult, cifar, heart, idx};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

/// Gives the bytes to every reader.
fn read_all(bytes: &[u8]) {
    let _ = idx::parse(("i", bytes), ("l", &labels(&[0])), 10);
    let _ = idx::parse(("i", &images(1, 1, 1)), ("l", bytes), 10);
    let _ = cifar::parse("c", bytes);
    let _ = adult::parse("a", bytes);
    let _ = heart::parse("h", [("h", bytes); 4]);
}

fn images(count: u32, height: u32, width: u32) -> Vec<u8> {
    let mut file = vec![0, 0, 8, 3];
    file.extend([count, height, width].map(u32::to_be_bytes).concat());
    let size = count.saturating_mul(height).saturating_mul(width).min(4096);
    file.extend((0..size).map(|i| (i % 251) as u8));
    file
}

fn labels(labels: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, 8, 1];
    file.extend(u32::try_from(labels.len()).unwrap().to_be_bytes());
    file.extend(labels);
    file
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A well-formed file of each kind.
fn whole() -> impl Strategy<Value = Vec<u8>> {
    let adult = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, \
                 White, Male, 2174, 0, 40, United-States, <=50K\n";
    let heart = "63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n";
    prop_oneof![
        Just(images(3, 4, 5)),
        Just(gzip(&images(3, 4, 5))),
        Just(labels(&[1, 2, 3])),
        Just(gzip(&labels(&[1, 2, 3]))),
        Just(vec![3; 2 * 3073]),
        Just(adult.repeat(2).into_bytes()),
        Just(heart.repeat(2).into_bytes()),
    ]
}

/// One thing that goes wrong with a file.
#[derive(Clone, Debug)]
enum Damage {
    Set(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Insert(prop::sample::Index, Vec<u8>),
    /// Dimensions at their limits are where sizes overflow.
    Header(prop::sample::Index, u32),
}

fn damage() -> impl Strategy<Value = Damage> {
    let sizes = prop::sample::select(vec![0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 16]);
    prop_oneof![
        4 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        1 => any::<prop::sample::Index>().prop_map(Damage::Cut),
        1 => (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 1..9))
            .prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        2 => (any::<prop::sample::Index>(), sizes).prop_map(|(at, size)| Damage::Header(at, size)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    if bytes.is_empty() {
        return;
    }
    let len = bytes.len();
    match damage {
        Damage::Set(at, byte) => bytes[at.index(len)] = *byte,
        Damage::Cut(at) => bytes.truncate(at.index(len)),
        Damage::Insert(at, more) => {
            let at = at.index(len);
            bytes.splice(at..at, more.iter().copied());
        }
        Damage::Header(at, size) => {
            let at = 4 * at.index(4);
            if at + 4 <= len {
                bytes[at..at + 4].copy_from_slice(&size.to_be_bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
        read_all(&[&[0x1f, 0x8b, 8, 0][..], &bytes].concat());
        read_all(&gzip(&bytes));
        read_all(&[&[0, 0, 8, 3][..], &bytes].concat());
        read_all(&[&[0, 0, 8, 1][..], &bytes].concat());
    }

    #[test]
    fn damaged_files_never_panic(
        mut bytes in whole(),
        damages in prop::collection::vec(damage(), 1..4),
        packed in any::<bool>(),
    ) {
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        // Compressed after the damage, so that it gets past the checksum.
        read_all(&if packed { gzip(&bytes) } else { bytes });
    }

    /// Whatever is written is read back, compressed or not.
    #[test]
    fn idx_files_are_read_as_written(
        (count, height, width) in (1..5_u32, 1..7_u32, 1..7_u32),
        classes in prop::collection::vec(0..10_u8, 4),
        packed in any::<bool>(),
    ) {
        let labels_expected = &classes[..count as usize];
        let (mut images, mut labels) = (images(count, height, width), labels(labels_expected));
        let pixels = images[16..].to_vec();
        if packed {
            (images, labels) = (gzip(&images), gzip(&labels));
        }
        let read = idx::parse(("i", &images), ("l", &labels), 10).unwrap();
        prop_assert_eq!(read.pixels(), &pixels[..]);
        prop_assert_eq!(read.labels(), labels_expected);
    }

    /// Pixel `p` of colour `c` lies at `1 + 1024 c + p` of a record and at `3 p + c` of an image.
    #[test]
    fn cifar_records_are_transposed(seed in any::<u8>(), label in 0..10_u8) {
        let mut record = vec![label];
        record.extend((0..3072_u32).map(|i| i.wrapping_mul(2_654_435_761).to_be_bytes()[0] ^ seed));
        let read = cifar::parse("c", &record).unwrap();
        for (at, &byte) in read.image(0).iter().enumerate() {
            prop_assert_eq!(byte, record[1 + 1024 * (at % 3) + at / 3]);
        }
    }
}
