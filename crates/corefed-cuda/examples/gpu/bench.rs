//! Milliseconds per training step of all agents.

use std::error::Error;
use std::fmt::Write as _;
use std::time::Instant;

use corefed_cuda::{Device, Precision};

use crate::Outcome;
use crate::work::{Crew, network, operations, usual_batch};

/// What is measured unless something is named.
const USUAL: [(&str, &[usize]); 4] = [
    ("cnn", &[1, 3, 10]),
    ("cnn-pfl", &[50]),
    ("cnn-wide", &[1, 4, 16, 64, 128]),
    ("vgg11", &[1, 16]),
];

/// Steps whose time is taken, where they take less than [`ENOUGH`] seconds.
const STEPS: usize = 4000;
const ENOUGH: f64 = 0.3;

/// Times that the time is taken.
const RUNS: usize = 5;

/// Steps that both sides of the difference take.
const BEFORE: usize = 8;

pub(crate) fn bench(device: &Device, names: &[&str], precisions: &[Precision]) -> Outcome {
    let usual: Vec<&str> = USUAL.iter().map(|(name, _)| *name).collect();
    let mut rows = Vec::new();
    for name in if names.is_empty() { &usual } else { names } {
        rows.extend(sizes(name)?);
    }
    print!("| network | batch | agents | kernels |");
    for precision in precisions {
        print!(" {precision:?} ms per step | per agent | TFLOP/s |");
    }
    println!("\n|---|---:|---:|---:|{}", "---:|---:|---:|".repeat(precisions.len()));
    for (name, agents, batch) in rows {
        let work = operations(&network(name)?, batch) * agents as f64;
        let mut cells = String::new();
        let mut kernels = 0;
        for &precision in precisions {
            let mut crew = Crew::new(device, name, agents, batch, precision)?;
            let millis = step(&mut crew)?;
            kernels = crew.engine.kernels_per_step().unwrap_or(0);
            let each = millis / agents as f64;
            let _ = write!(cells, " {millis:.4} | {each:.4} | {:.1} |", work / millis / 1e9);
        }
        println!("| {name} | {batch} | {agents} | {kernels} |{cells}");
    }
    Ok(())
}

/// A network, agents and their batch.
type Row<'a> = (&'a str, usize, usize);

/// `NAME`, `NAME:AGENTS` or `NAME:AGENTS:BATCH` as rows of the table.
fn sizes(word: &str) -> Result<Vec<Row<'_>>, Box<dyn Error>> {
    let mut parts = word.split(':');
    let name = parts.next().unwrap_or_default();
    let numbers = parts.map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let batch = usual_batch(name);
    match numbers[..] {
        [] => {
            let known = USUAL.iter().find(|(known, _)| *known == name);
            let agents = known.map_or(&[1][..], |(_, agents)| agents);
            Ok(agents.iter().map(|agents| (name, *agents, batch)).collect())
        }
        [agents] => Ok(vec![(name, agents, batch)]),
        [agents, batch] => Ok(vec![(name, agents, batch)]),
        _ => Err(format!("`{word}` is not NAME:AGENTS:BATCH").into()),
    }
}

/// Milliseconds of a step: what more steps take longer, the median of [`RUNS`].
fn step(crew: &mut Crew) -> Result<f64, Box<dyn Error>> {
    // Compiles, and says how many steps are enough.
    seconds(crew, BEFORE)?;
    let (short, long) = (seconds(crew, BEFORE)?, seconds(crew, 5 * BEFORE)?);
    let guess = ((long - short) / (4 * BEFORE) as f64).max(1e-6);
    let mut more = 4 * BEFORE;
    while more < STEPS && guess * (more as f64) < ENOUGH {
        more += BEFORE;
    }
    let mut each = [0.0; RUNS];
    for each in &mut each {
        let (short, long) = (seconds(crew, BEFORE)?, seconds(crew, BEFORE + more)?);
        *each = (long - short) / more as f64 * 1e3;
    }
    each.sort_by(f64::total_cmp);
    Ok(each[RUNS / 2])
}

fn seconds(crew: &mut Crew, steps: usize) -> Result<f64, Box<dyn Error>> {
    let weights = vec![1.0; crew.agents];
    let mut sum = vec![0.0; crew.start.len()];
    let (engine, images, start, tasks) = crew.with(steps);
    let began = Instant::now();
    engine.train_folded(images, start, &tasks, &weights, &mut sum)?;
    Ok(began.elapsed().as_secs_f64())
}
