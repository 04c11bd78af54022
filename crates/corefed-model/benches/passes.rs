//! Passes over a federation, beside what the machine can do at most on the same bytes.
//!
//! `stream` reads the dense columns once; its ratio to `gradient` of the same shape is the
//! efficiency of the pass. `bench/dense` has Hessians beside a library's products. Every id ends in
//! the number of threads.
#![expect(clippy::unwrap_used, reason = "shapes are constants")]

use std::{hint::black_box, time::Instant};

use corefed_core::Family;
use corefed_data::{Agent, Design, Federation};
use corefed_model::{ConvexLosses, FederationLosses};
use criterion::{Criterion, criterion_group, criterion_main};
use pulp::{Simd, WithSimd};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// One agent, `dense` numeric columns, and indicators that each pick one of `levels` columns.
fn federation(rows: usize, dense: usize, levels: &[u32], intercept: bool) -> Federation {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let values = (0..rows * dense).map(|_| 2.0 * uniform(&mut rng) - 1.0).collect();
    let dim = dense + levels.iter().sum::<u32>() as usize + usize::from(intercept);
    let mut hot = Vec::new();
    for _ in 0..rows {
        let mut first = u32::try_from(dense).unwrap();
        for &level in levels {
            // The smaller of two draws, as real categories are far from even.
            hot.push(first + (rng.next_u32() % level).min(rng.next_u32() % level));
            first += level;
        }
        hot.extend(intercept.then_some(first));
    }
    let hot_cols = levels.len() + usize::from(intercept);
    let design = Design::new(rows, dim, (dense, values), (hot_cols, hot)).unwrap();
    let target = (0..rows).map(|_| f64::from(rng.next_u32() & 1)).collect();
    Federation::new(design, target, vec![Agent { name: "all".to_owned(), rows: 0..rows }])
}

fn params(dim: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    (0..dim).map(|_| uniform(&mut rng) - 0.5).collect()
}

/// The passes of one model.
fn passes(criterion: &mut Criterion, id: &str, losses: &FederationLosses<'_>, pool: &ThreadPool) {
    let dim = losses.dim();
    let at = params(dim);
    let (mut loss, mut gradient, mut hessian) = ([0.0], vec![0.0; dim], vec![0.0; dim * dim]);
    let mut time = |name: &str, run: &mut (dyn FnMut() + Send)| {
        criterion.bench_function(&format!("{name}/{id}"), |b| {
            // Criterion cannot enter the pool, so the loop does.
            b.iter_custom(|times| {
                pool.install(|| {
                    let start = Instant::now();
                    (0..times).for_each(|_| run());
                    start.elapsed()
                })
            });
        });
    };
    time("losses", &mut || losses.losses(&at, &[0], &mut loss));
    time("gradient", &mut || losses.gradients(&at, &[0], &mut loss, &mut gradient));
    time("hessian", &mut || losses.add_hessian(&at, &[0], &[1.0], &mut hessian));
    time("product", &mut || losses.hessian_vector(&at, &[0], &[1.0], &at, &mut gradient));
    time("gradient+hessian", &mut || {
        losses.gradients(&at, &[0], &mut loss, &mut gradient);
        losses.add_hessian(&at, &[0], &[1.0], &mut hessian);
    });
}

/// What the machine can do with the dense columns.
fn limits(criterion: &mut Criterion, id: &str, design: &Design) {
    let x = design.dense_rows(0..design.rows());
    criterion.bench_function(&format!("stream/{id}"), |b| {
        b.iter(|| pulp::Arch::new().dispatch(Sum(black_box(x))));
    });
}

/// A plain sum, eight vectors at a time.
struct Sum<'a>(&'a [f64]);

impl WithSimd for Sum<'_> {
    type Output = f64;

    #[expect(clippy::inline_always, reason = "vector features reach only what is inlined")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let mut parts = [simd.splat_f64s(0.0); 8];
        for chunk in S::as_simd_f64s(self.0).0.chunks_exact(8) {
            for (part, &value) in parts.iter_mut().zip(chunk) {
                *part = simd.add_f64s(*part, value);
            }
        }
        let mut sum = parts[0];
        for &part in &parts[1..] {
            sum = simd.add_f64s(sum, part);
        }
        simd.reduce_sum_f64s(sum)
    }
}

/// Ten times the rows no longer fit any cache: here `stream` is the bandwidth of the memory.
fn beyond_caches(criterion: &mut Criterion, pools: &[(usize, ThreadPool); 2]) {
    let long = federation(325_610, 105, &[], false);
    let x = long.design().dense_rows(0..long.design().rows());
    criterion.bench_function("stream/rows=325610,dense=105,threads=1", |b| {
        b.iter(|| pulp::Arch::new().dispatch(Sum(black_box(x))));
    });
    let losses = FederationLosses::new(&long, Family::Logistic, 2, 1e-3);
    let (at, mut loss, mut gradient) = (params(losses.dim()), [0.0], vec![0.0; losses.dim()]);
    for (n, pool) in pools {
        let id = format!("gradient/rows=325610,dense=105,threads={n}");
        criterion.bench_function(&id, |b| {
            b.iter(|| pool.install(|| losses.gradients(&at, &[0], &mut loss, &mut gradient)));
        });
    }
}

fn shapes(criterion: &mut Criterion) {
    let pools = [1, 2].map(|n| (n, ThreadPoolBuilder::new().num_threads(n).build().unwrap()));
    let wide = federation(32_561, 105, &[], false);
    let adult = federation(32_561, 6, &[8, 16, 7, 14, 6, 5, 2, 43], true);
    let small = federation(500, 20, &[], true);
    limits(criterion, "rows=32561,dense=105,threads=1", wide.design());
    limits(criterion, "rows=500,dense=20,threads=1", small.design());
    beyond_caches(criterion, &pools);
    for (n, pool) in &pools {
        for (federation, id) in [
            (&wide, "rows=32561,dense=105"),
            (&adult, "rows=32561,dense=6,indicators=8,intercept,dim=108"),
            (&small, "rows=500,dense=20,intercept"),
        ] {
            let losses = FederationLosses::new(federation, Family::Logistic, 2, 1e-3);
            passes(criterion, &format!("{id},threads={n}"), &losses, pool);
        }
        let softmax = FederationLosses::new(&small, Family::Softmax, 3, 1e-3);
        let id = format!("softmax,classes=3,rows=500,dense=20,intercept,threads={n}");
        passes(criterion, &id, &softmax, pool);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = shapes
}
criterion_main!(benches);
