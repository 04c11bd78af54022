//! Bounds on a weighted sum of utilities from several tangents of each agent.

use crate::linalg::{axpy, dot, norm_l2};

/// What is known of one agent's utility at one point, with a multiplier on it.
#[derive(Clone, Copy, Debug)]
pub struct KnownTangent<'a> {
    /// `p >= 0`.
    pub multiplier: f64,
    /// `M - L(y)`.
    pub utility: f64,
    /// The gradient of the loss at `y`.
    pub gradient: &'a [f64],
    /// `y`.
    pub point: &'a [f64],
}

/// At least `max { sum_k p_k u_k(x) : |x| <= R }` for losses whose curvature is at least `l2`, where tangent
/// `k` is of agent `u_k` (ledger E78). The same agent may come several times.
///
/// Each tangent lies above its utility, less `(l2/2)|x - y_k|^2`; their sum is a parabola with the
/// same curvature in every direction, whose largest value over the ball has a closed form.
#[must_use]
pub fn tangents_bound(tangents: &[KnownTangent<'_>], l2: f64, radius: f64) -> f64 {
    let dim = tangents.first().map_or(0, |tangent| tangent.point.len());
    let (mut constant, mut curvature, mut slope) = (0.0, 0.0, vec![0.0; dim]);
    for KnownTangent { multiplier, utility, gradient, point } in tangents.iter().copied() {
        constant += multiplier * (utility + dot(gradient, point) - 0.5 * l2 * dot(point, point));
        curvature += multiplier * l2;
        axpy(multiplier, gradient, &mut slope);
        axpy(-multiplier * l2, point, &mut slope);
    }
    let steepness = norm_l2(&slope);
    if steepness >= curvature * radius {
        constant + radius * steepness - 0.5 * curvature * radius * radius
    } else {
        constant + 0.5 * steepness * steepness / curvature
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::conflict::dual_bound;
    use proptest::prelude::*;

    #[test]
    fn two_tangents_of_one_agent_beat_either() {
        // u = 1 - t^2 on |t| <= 2: tangents at 1/2 and -1/2 meet at 0 with 5/4; each alone gives 3.25.
        let known = |t: f64| (1.0 - t * t, [2.0 * t], [t]);
        let (right, left) = (known(0.5), known(-0.5));
        let tangent = |p: f64, (utility, gradient, point): &(f64, [f64; 1], [f64; 1])| {
            let (utility, gradient, point) = (*utility, *gradient, *point);
            (p, utility, gradient, point)
        };
        let bound = |parts: &[(f64, f64, [f64; 1], [f64; 1])], l2| {
            let known: Vec<_> = parts
                .iter()
                .map(|(multiplier, utility, gradient, point)| KnownTangent {
                    multiplier: *multiplier,
                    utility: *utility,
                    gradient,
                    point,
                })
                .collect();
            tangents_bound(&known, l2, 2.0)
        };
        assert!((bound(&[tangent(1.0, &right)], 0.0) - 3.25).abs() < 1e-15);
        assert!((bound(&[tangent(0.5, &right), tangent(0.5, &left)], 0.0) - 1.25).abs() < 1e-15);
        // With its curvature a parabola is known from one tangent.
        assert!((bound(&[tangent(1.0, &right)], 2.0) - 1.0).abs() < 1e-15);
    }

    proptest! {
        /// `L_k = |x - a_k|^2 c_k / 2 + b_k . x`, against every point of a fine grid on the disc.
        #[test]
        fn no_point_of_the_ball_is_above_the_bound(
            agents in prop::collection::vec((0.2..3.0_f64, -2.0..2.0_f64, -2.0..2.0_f64), 1..4),
            at in prop::collection::vec((0.1..2.0_f64, -1.5..1.5_f64, -1.5..1.5_f64, 0..4_usize), 1..7),
            share in 0.0..1.0_f64,
            radius in 0.5..3.0_f64,
        ) {
            let loss = |k: usize, x: &[f64]| {
                let (c, a, b) = agents[k];
                let (u, v) = (x[0] - a, x[1] - b);
                (0.5 * c * (u * u + v * v), vec![c * u, c * v])
            };
            let l2 = share * agents.iter().map(|agent| agent.0).fold(f64::INFINITY, f64::min);
            let known: Vec<_> = at
                .iter()
                .map(|&(p, x, y, k)| {
                    let (k, point) = (k % agents.len(), vec![x, y]);
                    let (value, gradient) = loss(k, &point);
                    (k, p, 5.0 - value, gradient, point)
                })
                .collect();
            let tangents: Vec<_> = known
                .iter()
                .map(|(_, multiplier, utility, gradient, point)| KnownTangent {
                    multiplier: *multiplier,
                    utility: *utility,
                    gradient,
                    point,
                })
                .collect();
            let bound = tangents_bound(&tangents, l2, radius);
            for step in 0..400 {
                let (turn, out) = (f64::from(step % 20) / 20.0, f64::from(step / 20) / 19.0);
                let angle = turn * std::f64::consts::TAU;
                let x = [radius * out * angle.cos(), radius * out * angle.sin()];
                let sum: f64 = known.iter().map(|(k, p, ..)| p * (5.0 - loss(*k, &x).0)).sum();
                prop_assert!(sum <= bound + 1e-9 * bound.abs().max(1.0));
            }
            if let [only] = tangents.as_slice() {
                let plain = dual_bound(only.utility, only.gradient, only.point, radius);
                prop_assert!(bound <= only.multiplier * plain + 1e-9 * bound.abs().max(1.0));
            }
        }
    }
}
