//! The exact audit of heterogeneous logistic agents, 500 rows and 20 features each.
//!
//! Agents belong to three clusters with ground truths of their own, so that coalitions disagree, and
//! ceilings are close to the loss of knowing nothing (ln 2 = 0.693), so that leaving can pay.

use std::hint::black_box;
use std::ops::ControlFlow;

use corefed_audit::{Audit, Progress, audit};
use corefed_core::{Family, Weights, WorstLoss};
use corefed_data::{Agent, Design, Federation};
use corefed_model::FederationLosses;
use corefed_solve::{Problem, Rule, solve};
use criterion::{Criterion, criterion_group, criterion_main};

const ROWS: usize = 500;
const FEATURES: usize = 20;

/// `SplitMix64`, then a sum of twelve uniforms: normal enough for a benchmark, and reproducible.
struct Normal(u64);

impl Normal {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn draw(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn federation(agents: usize, seed: u64) -> Federation {
    let mut normal = Normal(seed);
    let clusters: Vec<Vec<f64>> =
        (0..3).map(|_| (0..FEATURES).map(|_| 0.5 * normal.draw()).collect()).collect();
    let (mut dense, mut target) = (Vec::new(), Vec::new());
    for agent in 0..agents {
        let own: Vec<f64> = clusters[agent % 3].iter().map(|c| c + 0.3 * normal.draw()).collect();
        for _ in 0..ROWS {
            let row: Vec<f64> = (0..FEATURES).map(|_| normal.draw()).collect();
            let margin: f64 = row.iter().zip(&own).map(|(x, t)| x * t).sum();
            target.push(f64::from(normal.uniform() < 1.0 / (1.0 + (-margin).exp())));
            dense.extend(row);
        }
    }
    let rows = agents * ROWS;
    let intercept = vec![u32::try_from(FEATURES).expect("small"); rows];
    let design = Design::new(rows, FEATURES + 1, (FEATURES, dense), (1, intercept));
    let owners = (0..agents)
        .map(|k| Agent { name: format!("a{k}"), rows: k * ROWS..(k + 1) * ROWS })
        .collect();
    Federation::new(design.expect("shape"), target, owners)
}

fn run(problem: &Problem<'_>, incumbent: &[f64], limit: Option<std::time::Duration>) -> Audit {
    let begin = std::time::Instant::now();
    let mut observer = |_: &Progress| match limit {
        Some(limit) if begin.elapsed() > limit => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let worst = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; problem.agents()];
    audit(problem, incumbent, &worst, &[], 1e-6, &mut observer)
}

#[expect(clippy::print_stderr, reason = "verdicts belong beside the timings")]
fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("audit");
    group.sample_size(10);
    let few = [(12, 0.7), (12, 0.75), (12, 1.0), (20, 0.7), (20, 0.75), (20, 1.0)];
    let many = [(30, 0.7), (40, 0.7), (40, 1.0), (60, 0.75), (100, 1.0)];
    for (agents, ceiling) in few.into_iter().chain(many) {
        let federation = federation(agents, 1);
        let losses = FederationLosses::new(&federation, Family::Logistic, 0, 0.0);
        let problem = Problem::new(&losses, vec![ceiling; agents], Weights::equal(agents), 10.0);
        for rule in [Rule::Core, Rule::Utilitarian] {
            let found = solve(&problem, rule, 1e-10).expect("zero serves everybody");
            let limit = (agents > 12).then_some(std::time::Duration::from_secs(60));
            let begin = std::time::Instant::now();
            let audit = run(&problem, &found.params, limit);
            let name = format!("{rule}/agents={agents},ceiling={ceiling}");
            eprintln!(
                "{name}: {} in [{:.6}, {:.6}], headroom {:.3}, {:?}, {:.2} s",
                audit.verdict,
                audit.kappa.lo.0,
                audit.kappa.hi.0,
                audit.headroom,
                audit.progress,
                begin.elapsed().as_secs_f64()
            );
            if agents <= 12 {
                group.bench_function(name, |b| {
                    b.iter(|| black_box(run(&problem, &found.params, None)));
                });
            }
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
