//! Dividing a million rows.

use corefed_core::Seed;
use corefed_data::{iid, label_dirichlet, quantity_skew, shards};
use criterion::{Criterion, criterion_group, criterion_main};

const ROWS: usize = 1_000_000;

fn bench(c: &mut Criterion) {
    let seed = Seed(1);
    // Ten classes in scattered order: multiples of the golden ratio, in tenths.
    let labels: Vec<u32> =
        (0..ROWS as u64).map(|i| ((i * 618_034 % 1_000_000) / 100_000) as u32).collect();
    let mut group = c.benchmark_group("partition");
    group.sample_size(10);
    for agents in [10, 1_000] {
        let id = |method: &str| format!("{method}/rows={ROWS},agents={agents}");
        group.bench_function(id("iid"), |b| b.iter(|| iid(ROWS, agents, seed)));
        // At 0.1 a minimum of one row already takes several attempts among a thousand agents.
        for (alpha, min) in [(0.1, 1), (0.5, 10)] {
            let id = id(&format!("label-dirichlet/alpha={alpha},min={min}"));
            group.bench_function(id, |b| {
                b.iter(|| {
                    label_dirichlet(&labels, 10, agents, alpha, min, seed).expect("possible")
                });
            });
        }
        group.bench_function(id("shards/each=2"), |b| b.iter(|| shards(&labels, agents, 2, seed)));
        group.bench_function(id("quantity-skew/alpha=5"), |b| {
            b.iter(|| quantity_skew(ROWS, agents, 5.0, 1, seed).expect("possible"));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
