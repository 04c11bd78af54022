//! How fast a hundred updates become one, beside how fast they can be read at all.
//!
//! `AGGREGATE_PARAMS` sets the length of an update; the default of a million is beyond all caches.

use std::hint::black_box;

use corefed_rules::{combine, fold, gram, norm_sqr};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rayon::prelude::*;

const UPDATES: usize = 100;

fn aggregate(criterion: &mut Criterion) {
    let params = std::env::var("AGGREGATE_PARAMS").ok().and_then(|p| p.parse().ok());
    let params: usize = params.unwrap_or(1_000_000);
    let data: Vec<Vec<f32>> = (0..UPDATES).map(|s| update(s, params)).collect();
    let rows: Vec<&[f32]> = data.iter().map(Vec::as_slice).collect();
    let terms: Vec<(f64, &[f32])> = rows.iter().map(|row| (0.01, *row)).collect();
    let mut out = vec![0.0_f32; params];
    let threads = rayon::current_num_threads();
    let id = format!("updates={UPDATES},params={params},threads={threads}");

    let mut group = criterion.benchmark_group("aggregate");
    group.sample_size(20);
    group.throughput(Throughput::Bytes((UPDATES * params * size_of::<f32>()) as u64));
    group.bench_function(format!("stream/{id}"), |b| b.iter(|| read(black_box(&rows))));
    group.bench_function(format!("combine/{id}"), |b| {
        b.iter(|| combine(&mut out, black_box(&terms)));
    });
    group.bench_function(format!("fold/{id}"), |b| {
        b.iter(|| {
            for (coefficient, delta) in &terms {
                fold(&mut out, *coefficient, black_box(delta));
            }
        });
    });
    group.bench_function(format!("norms/{id}"), |b| {
        b.iter(|| rows.iter().map(|row| norm_sqr(black_box(row))).sum::<f64>());
    });
    group.sample_size(10);
    let few = &rows[..10];
    group.throughput(Throughput::Elements((55 * params) as u64));
    group.bench_function(format!("gram/updates=10,params={params},threads={threads}"), |b| {
        b.iter(|| gram(black_box(few)));
    });
    group.finish();
}

/// Numbers in [-1, 1) that differ between updates.
fn update(seed: usize, params: usize) -> Vec<f32> {
    let number = |i: usize| {
        let mixed = ((i + 1) * (2 * seed + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        mixed as f32 / (1 << 23) as f32 - 1.0
    };
    (0..params).map(number).collect()
}

/// The sum of everything: as fast as memory can be read.
fn read(rows: &[&[f32]]) -> f32 {
    let sum = |chunk: &[f32]| {
        let mut lanes = [0.0_f32; 64];
        for group in chunk.as_chunks::<64>().0 {
            for (lane, value) in lanes.iter_mut().zip(group) {
                *lane += value;
            }
        }
        lanes.iter().sum::<f32>()
    };
    let read = |row: &&[f32]| -> f32 {
        row.par_chunks(1 << 18).map(|chunk| pulp::Arch::new().dispatch(|| sum(chunk))).sum()
    };
    rows.iter().map(read).sum()
}

criterion_group!(benches, aggregate);
criterion_main!(benches);
