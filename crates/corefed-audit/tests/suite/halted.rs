//! Programs that are ended in the middle: what is said of them stays true.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use corefed_audit::{Progress, audit};
use corefed_core::{Obstacle, Verdict, Weights, WorstLoss};
use corefed_model::{Quadratic, QuadraticLosses};
use corefed_solve::{Problem, Rule, solve};

const AGENTS: usize = 6;
const BLOCKED: f64 = -0.3;

/// Agents on a line that want different things.
fn losses() -> QuadraticLosses {
    let parabola = |at: f64| Quadratic { matrix: vec![1.0], linear: vec![at], constant: at * at };
    let wanted = [1.0, 0.9, 0.8, 0.7, -0.8, -1.0];
    QuadraticLosses::new(1, wanted.map(parabola).to_vec(), 2.0)
}

#[test]
fn an_audit_that_is_halted_after_any_step_is_honest() {
    let losses = losses();
    let problem = Problem::new(&losses, vec![2.0; AGENTS], Weights::equal(AGENTS), 3.0);
    let worst = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; AGENTS];
    let mut go = |_: &Progress| ControlFlow::Continue(());
    let core = solve(&problem, Rule::Core, 1e-10).expect("zero serves everybody").params;
    let mut undecided = 0;
    for (at, verdict) in [(core[0], Verdict::Stable), (BLOCKED, Verdict::Blocked)] {
        let whole = audit(&problem, &[at], &worst, &[], 1e-6, &mut go);
        assert_eq!(whole.verdict, verdict, "{:?}", whole.kappa);
        for steps in 0..200 {
            let asked = AtomicUsize::new(0);
            let halt = || asked.fetch_add(1, Ordering::Relaxed) >= steps;
            let halted = problem.halted_by(&halt);
            // As a clock does: what ends programs ends the search, too.
            let mut clock = |_: &Progress| {
                let over = asked.load(Ordering::Relaxed) >= steps;
                if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let cut = audit(&halted, &[at], &worst, &[], 1e-6, &mut clock);
            assert!(
                cut.kappa.lo.0 <= whole.kappa.hi.0,
                "{steps}: {:?} {:?}",
                cut.kappa,
                whole.kappa
            );
            assert!(
                cut.kappa.hi.0 >= whole.kappa.lo.0,
                "{steps}: {:?} {:?}",
                cut.kappa,
                whole.kappa
            );
            for (cut, whole) in cut.alone.iter().zip(&whole.alone) {
                let own = whole.expect("nobody halted it");
                assert!(
                    cut.is_none_or(|cut| (cut - own).abs() < 1e-6),
                    "{steps}: {cut:?} for {own}"
                );
            }
            if cut.verdict == Verdict::Undecided {
                undecided += 1;
                assert_eq!(cut.obstacle, Some(Obstacle::Time), "{steps}");
            } else {
                assert_eq!(cut.verdict, verdict, "{steps}");
            }
        }
    }
    assert!(undecided > 0, "nothing was halted before it was decided");
}
