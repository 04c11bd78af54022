//! Reading published sets from the page cache, in the folder that `COREFED_DATA` names.

use std::hint::black_box;
use std::path::PathBuf;

use corefed_data::source::catalogue::find;
use corefed_data::source::{Depth, State, adult, cifar, idx, locate};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// The folder of a set and its bytes, or a word on why it is skipped.
#[expect(clippy::print_stderr, reason = "a benchmark that does not run must say so")]
fn folder(name: &str) -> Option<(PathBuf, u64)> {
    let Some(root) = std::env::var_os("COREFED_DATA").map(PathBuf::from) else {
        eprintln!("skipped `{name}`: COREFED_DATA is not set");
        return None;
    };
    let entry = find(name).ok()?;
    match locate(entry, &root, Depth::Sizes) {
        Ok(State::Present { .. }) => Some((root.join(name), entry.size())),
        other => {
            eprintln!("skipped `{name}` in `{}`: {other:?}", root.display());
            None
        }
    }
}

/// Times the reader of one set, in bytes of its files.
fn bench(c: &mut Criterion, id: &str, name: &str, read: impl Fn(&PathBuf)) {
    let Some((folder, bytes)) = folder(name) else { return };
    let mut group = c.benchmark_group("sources");
    group.sample_size(10).throughput(Throughput::Bytes(bytes));
    group.bench_function(id, |b| b.iter(|| read(&folder)));
    group.finish();
}

fn sources(c: &mut Criterion) {
    bench(c, "mnist/format=gz,images=70000", "mnist", |folder| {
        let _ = black_box(idx::read(folder, "mnist"));
    });
    bench(c, "cifar10/images=60000", "cifar10", |folder| {
        let _ = black_box(cifar::read(folder));
    });
    bench(c, "adult/rows=48842", "adult", |folder| {
        let _ = black_box(adult::read(folder));
    });
}

criterion_group!(benches, sources);
criterion_main!(benches);
