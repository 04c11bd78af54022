//! Microseconds of products that are cut in other ways.

use corefed_cuda::{Device, Precision};

use crate::Outcome;
use crate::work::{Crew, named};

/// Cuts of each product, those first that should be fastest.
const CUTS: usize = 16;

pub(crate) fn rivals(device: &Device, words: &[&str], precisions: &[Precision]) -> Outcome {
    let (name, agents, batch) = named(words)?;
    for &precision in precisions {
        let mut crew = Crew::new(device, name, agents, batch, precision)?;
        let (engine, images, start, tasks) = crew.with(1);
        println!("{name}, batch {batch}, {agents} agents, {precision:?}");
        for (label, micros) in engine.rivals(images, start, &tasks, CUTS)? {
            println!("{micros:10.1} {label}");
        }
    }
    Ok(())
}
