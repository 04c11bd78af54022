//! Rounds of a hundred thousand agents: seconds against the size of the cohort, and memory.
//!
//! Two rows each, 99 features and an intercept, 100 classes: 10,000 parameters. Prints one line of JSON per
//! cohort size. `cargo run --release -p corefed-sim --example many_agents`

use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Instant;

use corefed_core::{Family, Weights};
use corefed_core::{Seed, uniform};
use corefed_data::Design;
use corefed_rules::{CoreStep, Rule};
use corefed_sim::{Engine, Federated, LinearFederation, Samples, Terms};
use corefed_spec::{Amount, Cohort, LocalWork, Participation, Record, Train};

const AGENTS: usize = 100_000;
const ROWS: usize = 2;
const FEATURES: usize = 99;
const CLASSES: usize = 100;
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut rng = Seed(1).rng();
    let rows = AGENTS * ROWS;
    let dense: Vec<f64> = (0..rows * FEATURES).map(|_| uniform(&mut rng) - 0.5).collect();
    let data_bytes = dense.len() * size_of::<f64>();
    let intercept = vec![u32::try_from(FEATURES)?; rows];
    let design = Design::new(rows, FEATURES + 1, (FEATURES, dense), (1, intercept))?;
    let target = (0..rows).map(|row| (row % CLASSES) as f64).collect();
    let owned: Vec<Range<usize>> = (0..AGENTS).map(|k| k * ROWS..(k + 1) * ROWS).collect();
    let samples = Samples { rows: &design, target, offsets: vec![], owned };
    let federation = LinearFederation::<_, f64>::new(Family::Softmax, CLASSES, 0.0, samples);
    let terms = Terms {
        names: (0..AGENTS).map(|k| format!("a{k}")).collect(),
        weights: Weights::equal(AGENTS),
        average: Weights::equal(AGENTS),
        ceilings: vec![10.0; AGENTS],
        radius: 1e3,
        premise: false,
        nonnegative: Some("a loss"),
    };
    let before = peak_kib();
    for cohort in [250, 500, 1000, 2000] {
        let count = NonZeroUsize::new(cohort).ok_or("a cohort")?;
        let train = Train {
            rule: Rule::corefed(CoreStep::Normalised),
            rounds: NonZeroUsize::new(ROUNDS + 2).ok_or("rounds")?,
            local: LocalWork { amount: Amount::Steps(1), batch: None, ..LocalWork::default() },
            participation: Participation {
                cohort: Cohort::Count(count),
                ..Participation::default()
            },
            record: Record { evaluate_every: None, ..Record::default() },
            ..Train::default()
        };
        let mut engine = Engine::new(&federation, None, &terms, &train, Seed(1))?;
        let (mut state, _) = engine.start()?;
        engine.round(&mut state)?;
        let begin = Instant::now();
        for _ in 0..ROUNDS {
            rayon::scope(|_| engine.round(&mut state))?;
        }
        let seconds = begin.elapsed().as_secs_f64() / ROUNDS as f64;
        writeln!(
            std::io::stdout(),
            "{{\"agents\": {AGENTS}, \"cohort\": {cohort}, \"parameters\": {}, \
             \"seconds_per_round\": {seconds:.5}, \"microseconds_per_agent\": {:.2}, \
             \"data_mb\": {:.1}, \"model_mb\": {:.3}, \"peak_before_mb\": {:.1}, \
             \"peak_mb\": {:.1}}}",
            federation.dim(),
            1e6 * seconds / cohort as f64,
            data_bytes as f64 / 1e6,
            federation.dim() as f64 * 8e-6,
            before / 1e3,
            peak_kib() / 1e3,
        )?;
    }
    Ok(())
}

/// The process's largest memory so far, as Linux counts it; zero elsewhere.
fn peak_kib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0.0)
}
