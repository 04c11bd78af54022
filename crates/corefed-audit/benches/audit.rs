//! The exact audit of heterogeneous logistic agents, under ceilings that are close to the loss of knowing
//! nothing (ln 2 = 0.693), so that leaving can pay.

mod clusters;

use std::hint::black_box;
use std::ops::ControlFlow;

use corefed_audit::{Audit, Progress, audit};
use corefed_core::{Family, Weights, WorstLoss};
use corefed_model::FederationLosses;
use corefed_solve::{Problem, Rule, solve};
use criterion::{Criterion, criterion_group, criterion_main};

use clusters::federation;

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
