//! What a conflict proves: an upper bound of a weighted sum of utilities over the ball.

use corefed_core::{AgentStatement, Conflict, Hopeless};

use crate::curvature::Curvatures;
use crate::enclosed::Enclosed;
use crate::family::is_nonnegative;
use crate::loss::Reading;
use crate::place::Place;
use crate::sum::{Sum, norm};

/// Proves bounds on sums of utilities from the rows of a federation.
pub(crate) struct Prover<'a> {
    reading: Reading<'a>,
    agents: &'a [AgentStatement],
    curvatures: Curvatures<'a>,
}

impl<'a> Prover<'a> {
    pub(crate) fn new(reading: Reading<'a>, agents: &'a [AgentStatement]) -> Self {
        Self { reading, agents, curvatures: Curvatures::new(reading) }
    }

    pub(crate) fn reading(&self) -> &Reading<'a> {
        &self.reading
    }

    pub(crate) fn curvatures(&self) -> &Curvatures<'a> {
        &self.curvatures
    }

    /// No rival in the ball gives every agent of the conflict a gain above this (ledger E10, E44);
    /// `now` are the agents' utilities under the incumbent. Infinite where nothing is proven.
    pub(crate) fn conflict(&self, conflict: &Conflict, now: &[Enclosed]) -> f64 {
        let factors = factors(conflict);
        let mut held = Sum::default();
        for &(i, p) in &factors {
            held.add_scaled(now[i], p);
        }
        let place = Place::corrected(&conflict.point, conflict.correction.as_deref());
        let most = self.bound(&factors, place, conflict.sphere);
        // A minimum of gains is at most their mean with weights p_i u_i(theta).
        let bound = Enclosed::exact(most).over(held.total()).hi();
        if most.is_finite() { bound } else { f64::INFINITY }
    }

    /// No model in the ball gives the agent a utility above this.
    pub(crate) fn most(&self, hopeless: &Hopeless) -> f64 {
        let place = Place::corrected(&hopeless.point, hopeless.correction.as_deref());
        self.bound(&[(hopeless.agent, 1.0)], place, hopeless.sphere)
    }

    /// At least `max_x sum_i p_i u_i(x)` over the ball, for positive `p_i`.
    fn bound(&self, factors: &[(usize, f64)], place: Place<'_>, sphere: Option<f64>) -> f64 {
        let most = self.bound_at(factors, place, sphere);
        if !is_nonnegative(self.reading.predictor.family) {
            return most;
        }
        // Where losses are not negative, no utility exceeds its ceiling: exact for agents with so few
        // rows that a model can fit them all.
        let mut ceilings = Sum::default();
        for &(i, p) in factors {
            ceilings.add_scaled(self.ceiling(i), p);
        }
        most.min(ceilings.total().hi())
    }

    fn ceiling(&self, agent: usize) -> Enclosed {
        Enclosed::exact(self.agents[agent].ceiling.unwrap_or(f64::NAN))
    }

    /// `sum_i p_i u_i` at a place, and the gradient of `sum_i p_i L_i`. The multipliers are exact, so
    /// that nothing but the rows' own rounding is left where gradients cancel.
    pub(crate) fn tangent(
        &self,
        factors: &[(usize, f64)],
        place: Place<'_>,
    ) -> (Enclosed, Vec<Enclosed>) {
        let mut value = Sum::default();
        let mut slope = vec![Sum::default(); place.len()];
        for &(i, p) in factors {
            let (loss, gradient) = self.reading.loss_and_gradient(i, place);
            value.add_scaled(self.ceiling(i) - loss, p);
            for (entry, g) in slope.iter_mut().zip(gradient) {
                entry.add_multiple(g, p);
            }
        }
        (value.total(), slope.into_iter().map(Sum::total).collect())
    }

    /// The bound of the tangent at a place, or of the parabola.
    fn bound_at(&self, factors: &[(usize, f64)], place: Place<'_>, sphere: Option<f64>) -> f64 {
        let (value, slope) = self.tangent(factors, place);
        let radius = Enclosed::exact(self.reading.predictor.radius);
        let Some(nu) = sphere else {
            // The tangent's maximum over the ball.
            return (value + place.dot(&slope) + radius * norm(&slope)).hi();
        };
        let (nu, half) = (Enclosed::exact(nu), Enclosed::exact(0.5));
        let mut h = slope;
        for part in place.parts() {
            for (entry, y) in h.iter_mut().zip(part) {
                *entry = *entry + nu * Enclosed::exact(*y);
            }
        }
        let coefficients: Vec<(usize, Enclosed)> = factors
            .iter()
            .map(|&(i, p)| (i, Enclosed::exact(2.0 * p).over(self.reading.samples(i))))
            .collect();
        let l2 = Enclosed::exact(self.reading.predictor.l2);
        let mut shift = Sum::default();
        shift.add_enclosed(nu);
        for (_, p) in factors {
            shift.add_scaled(l2, *p);
        }
        let Some(form) = self.curvatures.inverse_form(&coefficients, shift.total(), &h) else {
            return f64::INFINITY;
        };
        let outside = half * nu * (radius.square() - place.square());
        (value + outside + half * Enclosed::exact(form)).hi()
    }
}

/// Agents of a conflict with their multipliers.
pub(crate) fn factors(conflict: &Conflict) -> Vec<(usize, f64)> {
    conflict.agents.iter().copied().zip(conflict.multipliers.iter().copied()).collect()
}
