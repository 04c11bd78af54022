//! A maximin program solved along its central path: centre, tighten the bounds, shrink the barrier.

use crate::Halt;
use crate::interior_point::Iterate;
use crate::maximin::{Maximin, MaximinBounds, Until};

/// An iterate counts as centred when its gap is at most this many times that of the centre.
const NEAR_CENTRE: f64 = 10.0;
/// How fast the barrier shrinks from centre to centre.
const SHRINK: f64 = 0.05;
/// Bounds that have not come closer for this many steps are as close as rounding lets them.
const STALLED: usize = 20;
/// Coming closer by less than this share is noise.
const PROGRESS: f64 = 0.01;

impl Maximin<'_> {
    /// Solves by a primal-dual interior-point method (ledger E10, E19, E44).
    ///
    /// Requirements: convex losses; `start` finite. Guarantee: `lower <= value <= upper` at any
    /// moment, since the bounds use only the iterate and its multipliers, not convergence.
    /// Cost: one gradient and one Hessian pass of the members per step, 10 to 20 steps.
    /// Reference: Boyd and Vandenberghe (2004), section 11.7.
    #[must_use]
    pub fn solve(&self, start: &[f64], until: Until, max_steps: usize) -> MaximinBounds {
        self.solve_unless(&|| false, start, until, max_steps)
    }

    /// As [`Maximin::solve`], until somebody asks to end it: then with the bounds of the steps so far.
    #[must_use]
    pub fn solve_unless(
        &self,
        halt: Halt<'_>,
        start: &[f64],
        until: Until,
        max_steps: usize,
    ) -> MaximinBounds {
        let (mut here, mut mu) = Iterate::start(self, start);
        let mut best = MaximinBounds {
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            params: self.ball.project(start),
            // Good for a bound, if not for a tight one, should no iterate ever prove any.
            multipliers: vec![1.0 / self.members.len() as f64; self.members.len()],
            point: self.ball.project(start),
            sphere: None,
            steps: 0,
        };
        let (mut width, mut since) = (f64::INFINITY, 0);
        loop {
            let gap = here.tighten(self, &mut best);
            let closer = best.upper - best.lower;
            if closer < (1.0 - PROGRESS) * width {
                (width, since) = (closer, best.steps);
            }
            let stalled = best.steps - since >= STALLED;
            if until.reached(&best) || stalled || best.steps >= max_steps || halt() {
                return best;
            }
            // On the central path the gap is `mu` per member. Until it is about that, another
            // step at the same `mu` is better than a smaller `mu` with stale multipliers.
            if gap <= NEAR_CENTRE * mu * self.members.len() as f64 {
                mu *= SHRINK;
            }
            best.steps += 1;
            let Some(next) = here.step(self, mu) else { return best };
            here = next;
        }
    }
}
