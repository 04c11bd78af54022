//! Training steps: a gradient and an update.

use std::hint::black_box;

use corefed_core::Seed;
use corefed_nn::{Init, Network, Samples, Shape, preset, sgd_step};
use criterion::{Criterion, criterion_group, criterion_main};

const CIFAR: Shape = Shape { height: 32, width: 32, channels: 3 };
const MNIST: Shape = Shape { height: 28, width: 28, channels: 1 };

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    group.sample_size(10);
    for (name, input, batch) in [
        ("mlp", MNIST, 10),
        ("mlp", MNIST, 64),
        ("cnn", CIFAR, 1),
        ("cnn", CIFAR, 4),
        ("cnn", CIFAR, 6),
        ("cnn", CIFAR, 10),
        ("cnn", CIFAR, 64),
        ("cnn-smooth", CIFAR, 64),
        ("cnn-wide", CIFAR, 64),
    ] {
        let architecture = preset(name, input, 10).expect("a preset");
        let network = Network::new(architecture).expect("layers that fit");
        let mut params = network.initial(Seed(1), Init::Kaiming);
        let pixels: Vec<f32> =
            (0..batch * input.len()).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
        let labels: Vec<u8> = (0..10).cycle().take(batch).collect();
        let mut workspace = network.workspace(batch);
        let mut gradient = vec![0.0; network.dim()];
        group.bench_function(format!("{name},b={batch}"), |bencher| {
            bencher.iter(|| {
                let samples = Samples { pixels: black_box(&pixels), labels: &labels };
                network.gradient(&params, samples, None, &mut workspace, &mut gradient);
                sgd_step(&mut params, &mut [], &gradient, 0.01, 0.0, 0.0);
            });
        });
    }
}

fn hessian(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hessian-product");
    group.sample_size(10);
    for (name, input) in [("mlp-smooth", MNIST), ("cnn-smooth", CIFAR)] {
        let network =
            Network::new(preset(name, input, 10).expect("a preset")).expect("layers that fit");
        let params = network.initial(Seed(1), Init::Kaiming);
        let direction = network.initial(Seed(2), Init::Kaiming);
        let pixels: Vec<f32> =
            (0..64 * input.len()).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
        let labels: Vec<u8> = (0..10).cycle().take(64).collect();
        let mut workspace = network.workspace(64);
        let mut product = vec![0.0; network.dim()];
        group.bench_function(format!("{name},b=64"), |bencher| {
            bencher.iter(|| {
                let samples = Samples { pixels: black_box(&pixels), labels: &labels };
                network
                    .hessian_product(&params, samples, &direction, &mut workspace, &mut product)
                    .expect("a smooth network");
            });
        });
    }
}

criterion_group!(benches, step, hessian);
criterion_main!(benches);
