//! A file's claims cost nothing: memory follows its bytes. One test, as the allocator counts
//! for the whole program.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::Write as _;

use corefed_data::source::{cifar, idx};
use flate2::Compression;
use flate2::write::GzEncoder;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes at the peak beyond those held before.
fn peak(work: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    work();
    MEMORY.peak_usage() - before
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn memory_follows_the_bytes_of_a_file_and_not_its_claims() {
    // An inflater needs tables and a window; nothing else is constant.
    const INFLATER: usize = 200_000;
    let labels = [0, 0, 8, 1, 0, 0, 0, 1, 0];
    // Every pair of sizes at the limits of 32 bits, with a thousand bytes behind the header.
    let sizes = [0, 1, 28, 0xffff, 0x7fff_ffff, 0xffff_ffff_u32];
    for (count, side) in sizes.iter().flat_map(|&a| sizes.map(|b| (a, b))) {
        let mut file = vec![0, 0, 8, 3];
        file.extend([count, side, side].map(u32::to_be_bytes).concat());
        file.extend([0; 1000]);
        for bytes in [gzip(&file), file] {
            let used = peak(|| drop(idx::parse(("i", &bytes), ("l", &labels), 10)));
            assert!(used < INFLATER + 64 * bytes.len(), "{count} x {side}: {used}");
        }
    }
    // Labels: four thousand million are claimed, in a file of a few bytes.
    let many = [0, 0, 8, 1, 0xff, 0xff, 0xff, 0xff, 0];
    for bytes in [gzip(&many), many.to_vec()] {
        let used = peak(|| drop(idx::parse(("i", &[]), ("l", &bytes), 10)));
        assert!(used < INFLATER + 64 * bytes.len(), "{used}");
    }
    // A bomb: 1 MB of zeros in 1 kB behind a header that claims 16 bytes. Nothing is inflated
    // beyond what the header calls for.
    let mut bomb = vec![0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 4];
    bomb.extend(vec![0; 1 << 20]);
    let bomb = gzip(&bomb);
    let used = peak(|| drop(idx::parse(("i", &bomb), ("l", &labels), 10)));
    assert!(used < INFLATER, "{used}");
    // CIFAR-10 has no claims: pixels and labels are as large as the file.
    let batch = vec![1; 100 * 3073];
    let used = peak(|| drop(cifar::parse("c", &batch)));
    assert!(used < batch.len() + 10_000, "{used}");
}
