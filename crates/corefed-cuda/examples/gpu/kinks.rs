//! Compares gradients image by image with the definitions in double precision, and counts kinks near by.
//!
//! Where an engine rounds a number across a kink of ReLU or of a maximum, the gradient of that image jumps, and nothing is
//! wrong. Images without a kink near by leave no such excuse.

use std::error::Error;
use std::thread;

use corefed_cuda::{Device, Engine, Images, Precision};
use corefed_nn::oracle;

use crate::Outcome;
use crate::check::{Case, distance};
use crate::work::upload;

/// How near kinks are, in root mean squares of a layer's numbers. Sums in single precision are off by about a tenth of the last.
const REACHES: [f64; 3] = [1e-7, 1e-6, 1e-5];

/// Kinks farther away than this are not crossed by rounding.
pub(crate) const REACH: f64 = REACHES[2];

/// The gradient of one image, beside the definitions.
pub(crate) struct Row {
    /// Kinks within each of [`REACHES`].
    kinks: [usize; 3],
    /// Relative distances from the definitions.
    pub(crate) gpu: f64,
    cpu: f64,
}

impl Row {
    /// Whether rounding crosses no kink.
    pub(crate) fn is_clear(&self) -> bool {
        self.kinks[2] == 0
    }
}

/// Every image of a case. The oracle is slow, so images are shared among all cores.
pub(crate) fn rows(
    case: &Case,
    engine: &mut Engine,
    images: &Images,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let cores = thread::available_parallelism()?.get();
    let all: Vec<usize> = (0..case.labels.len()).collect();
    let mut rows = Vec::new();
    for group in all.chunks(cores) {
        let on_gpu = group.iter().map(|&row| {
            engine.gradient(images, &case.start, row..row + 1).map(|(_, gradient)| (row, gradient))
        });
        let on_gpu: Vec<(usize, Vec<f32>)> = on_gpu.collect::<Result<_, _>>()?;
        rows.extend(thread::scope(|scope| {
            let begun: Vec<_> = on_gpu
                .into_iter()
                .map(|(row, gradient)| scope.spawn(move || compare(case, row, &gradient)))
                .collect();
            begun
                .into_iter()
                .map(|row| row.join().map_err(|_| "a comparison panicked"))
                .collect::<Result<Vec<Row>, _>>()
        })?);
    }
    Ok(rows)
}

fn compare(case: &Case, row: usize, on_gpu: &[f32]) -> Row {
    let (network, samples) = (&case.network, case.samples(row..row + 1));
    let (_, exact) = oracle::gradient(network, &case.start, samples);
    #[expect(clippy::cast_possible_truncation, reason = "compared with gradients that are `f32`")]
    let exact: Vec<f32> = exact.into_iter().map(|slope| slope as f32).collect();
    let mut on_cpu = vec![0.0; network.dim()];
    network.gradient(&case.start, samples, None, &mut network.workspace(1), &mut on_cpu);
    let kinks =
        REACHES.map(|reach| oracle::kinks_within(network, &case.start, samples, None, reach)[0]);
    Row { kinks, gpu: distance(on_gpu, &exact), cpu: distance(&on_cpu, &exact) }
}

/// Prints every image's distance from the definitions, on the GPU and on the CPU.
pub(crate) fn kinks(device: &Device, name: &str, precisions: &[Precision]) -> Outcome {
    let case = Case::new(name)?;
    for &precision in precisions {
        println!("\n{name} in {precision:?}: kinks near by, and distances from the definitions");
        println!("| image | within 1e-7 | 1e-6 | 1e-5 | GPU | CPU |");
        println!("|---:|---:|---:|---:|---:|---:|");
        let mut engine = Engine::new(device, &case.network, precision)?;
        let images = upload(&engine, &case.bytes, &case.labels)?;
        for (image, row) in rows(&case, &mut engine, &images)?.iter().enumerate() {
            let [a, b, c] = row.kinks;
            println!("| {image} | {a} | {b} | {c} | {:.1e} | {:.1e} |", row.gpu, row.cpu);
        }
    }
    Ok(())
}
