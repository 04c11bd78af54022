//! Times the combination of many updates beside a plain reading of them: one line of JSON.
//!
//! `aggregate [UPDATES] [PARAMS] [REPEAT]`; threads as `RAYON_NUM_THREADS` says.

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use corefed_rules::{combine, norm_sqr};
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let mut next = |default| numbers.next().unwrap_or(Ok(default));
    let (updates, params, repeat) = (next(100)?, next(10_000_000)?, next(5)?);

    let data: Vec<Vec<f32>> = (0..updates).map(|s| update(s, params)).collect();
    let coefficient = 1.0 / updates as f64;
    let terms: Vec<(f64, &[f32])> = data.iter().map(|d| (coefficient, d.as_slice())).collect();
    let mut out = vec![0.0_f32; params];

    // Interleaved, so that a neighbour's load hits all of them alike.
    let [mut stream, mut combined, mut norms] = [f64::INFINITY; 3];
    for _ in 0..repeat {
        stream = stream.min(seconds(|| read(black_box(&data))));
        combined = combined.min(seconds(|| combine(&mut out, black_box(&terms))));
        norms = norms.min(seconds(|| data.iter().map(|d| norm_sqr(d)).sum::<f64>()));
    }
    let bytes = (updates * params * size_of::<f32>()) as f64;
    let answer = serde_json::json!({
        "updates": updates,
        "params": params,
        "threads": rayon::current_num_threads(),
        "seconds": combined,
        "norm_seconds": norms,
        "stream_seconds": stream,
        "bytes": bytes,
        "stream_bytes_per_second": bytes / stream,
        "bytes_per_second": bytes / combined,
        "fraction_of_stream": stream / combined,
        "peak_bytes": peak_bytes(),
        "check": out[params / 2],
    });
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}

/// Numbers in [-1, 1) that differ between updates.
fn update(seed: usize, params: usize) -> Vec<f32> {
    let number = |i: usize| {
        let mixed = ((i + 1) * (2 * seed + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        mixed as f32 / (1 << 23) as f32 - 1.0
    };
    (0..params).into_par_iter().map(number).collect()
}

/// The sum of everything: as fast as memory can be read.
fn read(data: &[Vec<f32>]) -> f32 {
    let sum = |chunk: &[f32]| {
        let mut lanes = [0.0_f32; 64];
        let (groups, _) = chunk.as_chunks::<64>();
        for group in groups {
            lanes.iter_mut().zip(group).for_each(|(lane, value)| *lane += value);
        }
        lanes.iter().sum::<f32>()
    };
    data.iter()
        .map(|d| d.par_chunks(1 << 18).map(|c| pulp::Arch::new().dispatch(|| sum(c))).sum::<f32>())
        .sum()
}

fn seconds<R>(run: impl FnOnce() -> R) -> f64 {
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_secs_f64()
}

/// The most memory this process has held, where the system says so.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}
