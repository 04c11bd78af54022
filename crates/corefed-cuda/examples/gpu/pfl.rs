//! pfl-research's CIFAR-10 benchmark: 1000 agents of 50 images, 50 of them in a round, one epoch of batches of 10.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::time::Instant;

use corefed_core::{Seed, shuffle};
use corefed_cuda::{Device, Engine, Images, Objective, Pixels, Precision, Task};
use corefed_data::source::cifar::read_batches;
use corefed_nn::Init;

use crate::Outcome;
use crate::work::network;

const AGENTS: usize = 1000;
const ROWS: usize = 50;
const COHORT: usize = 50;
const BATCH: usize = 10;
const RATE: f32 = 0.1;

/// Rounds between two looks at the test images.
const EVERY: usize = 100;

pub(crate) fn pfl(
    device: &Device,
    folder: &str,
    rounds: usize,
    precisions: &[Precision],
) -> Outcome {
    let train = read_batches(&files(Path::new(folder), "data_batch")?)?;
    let test = read_batches(&files(Path::new(folder), "test_batch")?)?;
    println!("{} images to train on, {} to test on", train.len(), test.len());
    if train.len() < AGENTS * ROWS {
        println!("fewer than 50,000: agents share images, and the accuracy is not the benchmark's");
    }
    let network = network("cnn-pfl")?;
    let (scale, shift) = standardised(&train);
    for &precision in precisions {
        let mut engine = Engine::new(device, &network, precision)?;
        let upload = |engine: &Engine, images: &corefed_data::Images| {
            let pixels = Pixels::Bytes { bytes: images.pixels(), scale: &scale, shift: &shift };
            engine.upload(pixels, images.labels())
        };
        let (seen, unseen) = (upload(&engine, &train)?, upload(&engine, &test)?);
        let start = network.initial(Seed(1), Init::Kaiming);
        run(&mut engine, &seen, &unseen, start, rounds)?;
    }
    Ok(())
}

/// Trains; prints the accuracy now and then, and the time at the end.
fn run(
    engine: &mut Engine,
    train: &Images,
    test: &Images,
    mut params: Vec<f32>,
    rounds: usize,
) -> Outcome {
    let seed = Seed(1);
    let mut deal: Vec<u32> =
        (0..AGENTS * ROWS).map(|at| u32::try_from(at % train.len()).unwrap_or(u32::MAX)).collect();
    shuffle(&mut deal, &mut seed.derive("deal").rng());
    let mut rng = seed.derive("rounds").rng();
    let mut agents: Vec<usize> = (0..AGENTS).collect();
    let weights = [1.0 / COHORT as f32; COHORT];
    let mut change = vec![0.0; params.len()];
    let (mut first, mut evaluating) = (0.0, 0.0);
    let began = Instant::now();
    for round in 1..=rounds {
        shuffle(&mut agents, &mut rng);
        let orders: Vec<Vec<u32>> = agents[..COHORT]
            .iter()
            .map(|agent| {
                let mut order = deal[agent * ROWS..(agent + 1) * ROWS].to_vec();
                shuffle(&mut order, &mut rng);
                order
            })
            .collect();
        let tasks: Vec<Task<'_>> = orders
            .iter()
            .map(|order| Task {
                order,
                epoch_rows: ROWS,
                batch: BATCH,
                steps: ROWS / BATCH,
                learning_rate: RATE,
                momentum: 0.0,
                weight_decay: 0.0,
                objective: Objective::Loss,
                dropout_seed: 0,
                drift: None,
            })
            .collect();
        engine.train_folded(train, &params, &tasks, &weights, &mut change)?;
        params.iter_mut().zip(&change).for_each(|(param, change)| *param += change);
        if round == 1 {
            first = began.elapsed().as_secs_f64();
        }
        if round % EVERY == 0 || round == rounds {
            let looked = Instant::now();
            let sums = engine.measure(test, &params, from_ref(&(0..test.len())))?[0];
            let count = test.len() as f64;
            let (loss, accuracy) = (sums.loss / count, sums.correct as f64 / count);
            evaluating += looked.elapsed().as_secs_f64();
            let so_far = began.elapsed().as_secs_f64();
            println!("  round {round}: {so_far:.2} s, test loss {loss:.4}, accuracy {accuracy:.4}");
        }
    }
    let all = began.elapsed().as_secs_f64();
    let each = (all - first - evaluating) * 1e3 / rounds.saturating_sub(1).max(1) as f64;
    println!(
        "{:?}: {rounds} rounds in {all:.2} s, of which {first:.2} s until the first round had ended and {evaluating:.2} s \
         evaluating; {each:.2} ms per round",
        engine.precision()
    );
    Ok(())
}

/// Batches of a folder whose names begin like this, in the order of their names.
fn files(folder: &Path, begins: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(begins) {
            found.push(entry.path());
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(format!("{} has no {begins}*.bin of CIFAR-10", folder.display()).into());
    }
    Ok(found)
}

/// By channel, what makes the mean 0 and the deviation 1.
fn standardised(images: &corefed_data::Images) -> (Vec<f32>, Vec<f32>) {
    let channels = images.channels();
    let count = (images.pixels().len() / channels) as f64;
    let moments = (0..channels).map(|channel| {
        let bytes =
            images.pixels().iter().skip(channel).step_by(channels).map(|byte| f64::from(*byte));
        let (sum, squares) = bytes.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        let mean = sum / count;
        (mean, (squares / count - mean * mean).max(1e-12).sqrt())
    });
    #[expect(clippy::cast_possible_truncation, reason = "pixels are `f32`")]
    moments.map(|(mean, deviation)| ((1.0 / deviation) as f32, (-mean / deviation) as f32)).unzip()
}
