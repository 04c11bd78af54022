//! From which common scale of ceilings on everybody can be served at once.

use corefed_model::ConvexLosses;

use crate::Ball;
use crate::maximin::{Maximin, Until};

/// How well the scale is solved, relative to itself.
const GAP: f64 = 1e-9;
/// Interior-point steps before giving up; the bounds hold all the same.
const MAX_STEPS: usize = 200;

/// Bounds on the smallest scale `F` whose ceilings `F r_i` leave everybody something.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedFrom {
    /// At or below this no predictor in the ball serves everybody, as the multipliers prove.
    pub lo: f64,
    /// Above this `params` serve everybody.
    pub hi: f64,
    /// A predictor that serves everybody above `hi`.
    pub params: Vec<f64>,
    /// `p_i >= 0`, summing to one: `sum_i p_i L_i(x) / r_i >= lo` for every `x` in the ball.
    pub multipliers: Vec<f64>,
}

/// Bounds on `min_x max_i L_i(x) / r_i` over the ball, for references `r_i > 0` (ledger E64).
///
/// Requirements: convex losses, some loss positive at zero.
#[must_use]
pub fn served_from(losses: &dyn ConvexLosses, references: &[f64], ball: &Ball) -> ServedFrom {
    let members: Vec<usize> = (0..losses.agents()).collect();
    let zero = vec![0.0; losses.dim()];
    let mut at_zero = vec![0.0; members.len()];
    losses.losses(&zero, &members, &mut at_zero);
    // In units of what zero costs, so that accuracy does not depend on the unit of the losses.
    let unit = at_zero.iter().zip(references).map(|(loss, r)| loss / r).fold(0.0, f64::max);
    let unit = if unit > 0.0 { unit } else { 1.0 };
    let scales: Vec<f64> = references.iter().map(|r| unit * r).collect();
    let program = Maximin {
        losses,
        members: &members,
        ceilings: &vec![0.0; members.len()],
        scales: &scales,
        ball,
    };
    let found = program.solve(&zero, Until::Gap(GAP), MAX_STEPS);
    ServedFrom {
        lo: -found.upper * unit,
        hi: -found.lower * unit,
        params: found.params,
        multipliers: found.multipliers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Infeasible, Problem, Rule, solve};
    use corefed_core::{KnownLosses, Weights, headroom, headroom_ahead};
    use corefed_model::{Quadratic, QuadraticLosses};
    use proptest::prelude::{prop_assert, proptest};

    fn parabolas(at: [f64; 2], least: [f64; 2]) -> QuadraticLosses {
        let parabola = |k: usize| Quadratic {
            matrix: vec![1.0],
            linear: vec![at[k]],
            constant: at[k] * at[k] + least[k],
        };
        QuadraticLosses::new(1, vec![parabola(0), parabola(1)], 2.0)
    }

    #[test]
    fn two_parabolas_meet_where_both_are_served() {
        // (t - 1)^2 and (t + 1)^2 are both 1 at zero, and one of them is more elsewhere. With r = (1, 1/4)
        // the ratios (t - 1)^2 and 4 (t + 1)^2 meet at t = -1/3: 16/9.
        let losses = parabolas([1.0, -1.0], [0.0, 0.0]);
        for (references, expected) in [([1.0, 1.0], 1.0), ([1.0, 0.25], 16.0 / 9.0)] {
            let found = served_from(&losses, &references, &Ball::about_zero(1, 3.0));
            assert!(found.lo <= expected && expected <= found.hi, "{found:?}");
            assert!(found.hi - found.lo <= 1e-7, "{found:?}");
        }
    }

    proptest! {
        /// Phase one and the scale agree on both sides of it.
        #[test]
        fn below_the_scale_nobody_finds_a_model_and_above_it_everybody_does(
            at in proptest::array::uniform2(-2.0..2.0_f64),
            least in proptest::array::uniform2(0.01..1.0_f64),
            references in proptest::array::uniform2(0.1..3.0_f64),
        ) {
            let losses = parabolas(at, least);
            let found = served_from(&losses, &references, &Ball::about_zero(1, 3.0));
            let core = |scale: f64| {
                let ceilings = references.map(|r| scale * r).to_vec();
                let problem = Problem::new(&losses, ceilings, Weights::equal(2), 3.0);
                solve(&problem, Rule::Core, 1e-8)
            };
            prop_assert!(found.lo <= found.hi);
            prop_assert!(core(found.hi * (1.0 + 1e-6)).is_ok());
            let refused = core(found.lo * (1.0 - 1e-6));
            prop_assert!(matches!(refused, Err(Infeasible::Proven { .. })), "{refused:?}");
            // Brute force over the line.
            let worst = |t: f64| {
                let ratio = |k: usize| ((t - at[k]).powi(2) + least[k]) / references[k];
                ratio(0).max(ratio(1))
            };
            let best = (-3000..=3000).map(|k| worst(f64::from(k) / 1000.0)).fold(f64::INFINITY, f64::min);
            prop_assert!(found.lo <= best && best - found.hi <= 0.1, "{best} {found:?}");
        }

        /// What one predictor says about headroom holds for the core predictor under every larger ceiling.
        #[test]
        fn no_core_predictor_ahead_has_more_headroom_than_one_predictor_proves(
            at in proptest::array::uniform2(-2.0..2.0_f64),
            least in proptest::array::uniform2(0.0..1.0_f64),
            references in proptest::array::uniform2(0.1..3.0_f64),
            weights in proptest::array::uniform2(0.2..3.0_f64),
            known in -2.0..2.0_f64,
            (factor, further) in (1.0..40.0_f64, 1.0..10.0_f64),
        ) {
            let losses = parabolas(at, least);
            let weights = Weights::new(weights.to_vec()).unwrap();
            let ceilings = references.map(|r| factor * further * r).to_vec();
            let problem = Problem::new(&losses, ceilings.clone(), weights.clone(), 3.0);
            let at_known = problem.losses_at(&[known]);
            // The minima lie in the ball.
            let known = KnownLosses { at: &at_known, least: &least };
            let bound = headroom_ahead(known, &references, &weights, factor);
            if let Ok(core) = solve(&problem, Rule::Core, 1e-12) {
                let found = headroom(&core.utilities, &ceilings, &weights).kappa.value();
                prop_assert!(found <= bound * (1.0 + 1e-6), "{found} {bound}");
            }
        }
    }
}
