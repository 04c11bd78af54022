//! Local work of one agent: images as sparse as MNIST, and dense rows.

use std::hint::black_box;
use std::ops::Range;

use corefed_core::Family;
use corefed_core::{Seed, uniform};
use corefed_data::{Design, Images};
use corefed_rules::{LocalObjective, Scalar};
use corefed_sim::{Federated, Job, Kernels, LinearFederation, Part, PixelRows, Samples};
use criterion::{Criterion, criterion_group, criterion_main};

const ROWS: usize = 60;

/// 28 x 28 pixels of which one in five is not black, as in MNIST.
fn pixels() -> Samples<PixelRows> {
    let mut rng = Seed(1).rng();
    let bytes: Vec<u8> =
        (0..ROWS * 784).map(|_| if uniform(&mut rng) < 0.191 { 137 } else { 0 }).collect();
    let labels: Vec<u8> = (0..10).cycle().take(ROWS).collect();
    let target = labels.iter().map(|label| f64::from(*label)).collect();
    let images = Images::new(28, 28, 1, bytes, labels, 10).expect("images");
    let rows = PixelRows::new(&images, (0..).take(ROWS)).expect("small images");
    Samples { rows, target, offsets: vec![], owned: everything() }
}

fn everything() -> Vec<Range<usize>> {
    std::iter::once(0..ROWS).collect()
}

fn dense(cols: usize) -> Design {
    let mut rng = Seed(2).rng();
    let values = (0..ROWS * cols).map(|_| uniform(&mut rng)).collect();
    Design::dense(ROWS, cols, values).expect("a design")
}

fn one_epoch<R: Kernels<T>, T: Scalar>(
    criterion: &mut Criterion,
    name: &str,
    federation: &LinearFederation<R, T>,
) {
    let model = federation.prepare(&federation.initial(Seed(1)));
    let mut workspace = federation.workspace();
    let mut update = vec![T::ZERO; federation.dim()];
    let job = Job {
        steps: ROWS / 10,
        batch: 10,
        learning_rate: 0.03,
        momentum: 0.0,
        weight_decay: 0.0,
        seed: Seed(3),
        objective: LocalObjective::Loss,
        drift: None,
    };
    criterion.bench_function(&format!("loss/{name},rows={ROWS}"), |bench| {
        bench.iter(|| black_box(federation.evaluate(&model, Part::Train, &[0])));
    });
    criterion.bench_function(&format!("epoch/{name},rows={ROWS},batch=10"), |bench| {
        bench.iter(|| federation.train(&model, 0, &job, &mut workspace, black_box(&mut update)));
    });
}

fn local(criterion: &mut Criterion) {
    let softmax = |samples| LinearFederation::<_, f32>::new(Family::Softmax, 10, 0.0, samples);
    one_epoch(criterion, "mnist-like,f32", &softmax(pixels()));
    let design = dense(100);
    let target: Vec<f64> = (0..ROWS).map(|row| (row % 2) as f64).collect();
    let samples = Samples { rows: &design, target, offsets: vec![], owned: everything() };
    let logistic = LinearFederation::<_, f64>::new(Family::Logistic, 2, 0.0, samples);
    one_epoch(criterion, "logistic,dense=100,f64", &logistic);
}

criterion_group!(benches, local);
criterion_main!(benches);
