//! Microseconds of each kernel of a step, alone.

use corefed_cuda::{Device, Precision};

use crate::Outcome;
use crate::work::{Crew, named};

pub(crate) fn profile(device: &Device, words: &[&str], precisions: &[Precision]) -> Outcome {
    let (name, agents, batch) = named(words)?;
    for &precision in precisions {
        let mut crew = Crew::new(device, name, agents, batch, precision)?;
        let (engine, images, start, tasks) = crew.with(1);
        let kernels = engine.profile(images, start, &tasks)?;
        println!(
            "{name}, batch {batch}, {agents} agents, {precision:?}: microseconds of each kernel alone"
        );
        for (label, micros) in &kernels {
            println!("{micros:10.1} {label}");
        }
        let all: f64 = kernels.iter().map(|(_, micros)| micros).sum();
        println!("{all:10.1} all, one after the other");
    }
    Ok(())
}
