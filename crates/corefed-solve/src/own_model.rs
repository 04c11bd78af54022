//! The model that every agent would fit alone.

use corefed_model::{CoalitionLosses, ConvexLosses};
use rayon::prelude::*;

use crate::newton::{Minimum, NewtonSettings, minimise};
use crate::{Ball, Objective};

/// Every agent's own model: the minimiser of its loss over the ball, ridge included, as everybody's is.
#[must_use]
pub fn own_models(losses: &dyn ConvexLosses, ball: &Ball) -> Vec<Minimum> {
    let zero = vec![0.0; losses.dim()];
    let fit = |agent: usize| {
        let objective = Objective::Average { weights: vec![1.0] };
        let alone = CoalitionLosses::new(losses, std::slice::from_ref(&agent));
        minimise(&alone, &objective, ball, &zero, NewtonSettings::default(), &|| false)
    };
    (0..losses.agents()).into_par_iter().map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_model::{Quadratic, QuadraticLosses};

    #[test]
    fn everybody_alone_has_its_own_minimum_in_the_ball() {
        // (t - 1)^2 + 1/2, and (t + 5)^2, whose minimum lies outside the ball of radius 3: (3 - 5)^2 = 4.
        let parabola = |at: f64, extra: f64| Quadratic {
            matrix: vec![1.0],
            linear: vec![at],
            constant: at * at + extra,
        };
        let losses = QuadraticLosses::new(1, vec![parabola(1.0, 0.5), parabola(-5.0, 0.0)], 2.0);
        let found = own_models(&losses, &Ball::about_zero(1, 3.0));
        for (own, (at, loss)) in found.iter().zip([(1.0, 0.5), (-3.0, 4.0)]) {
            assert!((own.params[0] - at).abs() < 1e-7, "{own:?}");
            assert!((own.losses[0] - loss).abs() < 1e-9, "{own:?}");
            assert_eq!(own.losses.len(), 1);
        }
    }
}
