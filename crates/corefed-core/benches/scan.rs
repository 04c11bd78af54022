//! The kappa scan for many agents.

use corefed_core::{Weights, scan};
use criterion::{Criterion, criterion_group, criterion_main};

/// A fixed, scattered sequence in (0, 1): multiples of the golden ratio, modulo one.
fn scattered(n: usize, start: f64) -> Vec<f64> {
    (0..n).map(|i| 0.01 + (start + i as f64 * 0.618_033_988_749_895).fract()).collect()
}

fn bench(c: &mut Criterion) {
    for n in [1_000, 1_000_000] {
        let (now, then) = (scattered(n, 0.2), scattered(n, 0.7));
        let weights = Weights::equal(n);
        c.bench_function(&format!("scan/agents={n}"), |b| {
            b.iter(|| scan(&now, &then, weights.values(), &weights.total()));
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
