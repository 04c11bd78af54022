//! A loss of the user's own, audited exactly: robust regression with `log cosh` of the residual.
//!
//! Four plants fit one line through the origin. Anything convex with two derivatives works: say what
//! the losses are, and how large they can become on the ball.

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;
use std::ops::ControlFlow;

use corefed::audit::{Premise, Progress, audit};
use corefed::model::ConvexLosses;
use corefed::solve::{Problem, Rule, solve};
use corefed::{OPTIMUM_TOLERANCE, Verdict, Weights, WorstLoss};

/// Readings of one plant: two features and a target each.
type Plant = Vec<([f64; 2], f64)>;

/// Mean `log cosh(x . theta - y)` of every plant.
struct LogCosh {
    plants: Vec<Plant>,
}

impl LogCosh {
    /// Loss, slope and curvature in the residual, averaged with what `visit` makes of them.
    fn each(&self, params: &[f64], agent: usize, mut visit: impl FnMut([f64; 2], [f64; 3], f64)) {
        let rows = &self.plants[agent];
        for (x, y) in rows {
            let r = x[0] * params[0] + x[1] * params[1] - y;
            // log cosh r = |r| + log((1 + exp(-2|r|))/2), which does not overflow.
            let loss = r.abs() + (-2.0 * r.abs()).exp().ln_1p() - 2_f64.ln();
            let slope = r.tanh();
            visit(*x, [loss, slope, 1.0 - slope * slope], 1.0 / rows.len() as f64);
        }
    }

    /// `log cosh r <= |r| <= |x| R + |y|`.
    fn worst(&self, radius: f64) -> Vec<WorstLoss> {
        let row = |(x, y): &([f64; 2], f64)| x[0].hypot(x[1]) * radius + y.abs();
        let mean = |rows: &Plant| rows.iter().map(row).sum::<f64>() / rows.len() as f64;
        let bound = |rows| WorstLoss { bound: mean(rows) * (1.0 + 1e-10), multiplier: None };
        self.plants.iter().map(bound).collect()
    }
}

impl ConvexLosses for LogCosh {
    fn dim(&self) -> usize {
        2
    }

    fn agents(&self) -> usize {
        self.plants.len()
    }

    fn strong_convexity(&self) -> f64 {
        0.0
    }

    fn losses(&self, params: &[f64], members: &[usize], losses: &mut [f64]) {
        for (&agent, total) in members.iter().zip(losses) {
            *total = 0.0;
            self.each(params, agent, |_, [loss, ..], share| *total += share * loss);
        }
    }

    fn gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        self.losses(params, members, losses);
        for (&agent, gradient) in members.iter().zip(gradients.chunks_exact_mut(2)) {
            gradient.fill(0.0);
            self.each(params, agent, |x, [_, slope, _], share| {
                gradient[0] += share * slope * x[0];
                gradient[1] += share * slope * x[1];
            });
        }
    }

    fn add_hessian(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        for (&agent, coefficient) in members.iter().zip(coefficients) {
            self.each(params, agent, |x, [.., curvature], share| {
                let factor = coefficient * share * curvature;
                hessian[0] += factor * x[0] * x[0];
                hessian[2] += factor * x[1] * x[0];
                hessian[3] += factor * x[1] * x[1];
            });
        }
    }

    fn hessian_vector(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) {
        product.fill(0.0);
        for (&agent, coefficient) in members.iter().zip(coefficients) {
            self.each(params, agent, |x, [.., curvature], share| {
                let along = x[0] * direction[0] + x[1] * direction[1];
                let factor = coefficient * share * curvature * along;
                product[0] += factor * x[0];
                product[1] += factor * x[1];
            });
        }
    }
}

/// Plant `k` reads along a line of its own, with one outlier.
fn plant(k: u32) -> Plant {
    let slope = 0.5 + 0.2 * f64::from(k);
    let row = |i: u32| {
        let x = [f64::from(i) / 10.0, f64::from((i * 7 + k) % 5) / 5.0];
        let outlier = if i == 3 { 4.0 } else { 0.0 };
        (x, slope * x[0] - 0.3 * x[1] + outlier)
    };
    (1..20).map(row).collect()
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let losses = LogCosh { plants: (0..4).map(plant).collect() };
    let radius = 5.0;
    let worst = losses.worst(radius);
    let ceilings = vec![1.0; losses.agents()];
    let problem = Problem::new(&losses, ceilings, Weights::equal(losses.agents()), radius);
    let mut watch = |_: &Progress| ControlFlow::Continue(());

    let optimum = solve(&problem, Rule::Core, 1e-10)?;
    let found = audit(&problem, &optimum.params, &worst, &[], OPTIMUM_TOLERANCE, &mut watch);
    println!("the core optimum {:?}: {}, kappa in {}", optimum.params, found.verdict, found.kappa);
    assert_eq!(found.verdict, Verdict::Stable);
    // Ceilings are far below the worst loss, so the paper's theorem does not apply: the search decides.
    assert_ne!(found.premise, Premise::Holds);

    let found = audit(&problem, &[1.5, 1.0], &worst, &[], OPTIMUM_TOLERANCE, &mut watch);
    println!("another model: {}, kappa in {}", found.verdict, found.kappa);
    assert_eq!(found.verdict, Verdict::Blocked);
    Ok(())
}
