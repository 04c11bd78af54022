//! What a conflict proves: an upper bound of a weighted sum of utilities over the ball.

use corefed_core::{AgentStatement, Conflict, Hopeless};

use crate::curvature::Curvatures;
use crate::enclosed::Enclosed;
use crate::loss::Reading;
use crate::sum::{Sum, dot, dot_enclosed, norm, sum};

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

    pub(crate) fn curvatures(&self) -> &Curvatures<'a> {
        &self.curvatures
    }

    /// No rival in the ball gives every agent of the conflict a gain above this (ledger E10, E44);
    /// `now` are the agents' utilities under the incumbent. Infinite where nothing is proven.
    pub(crate) fn conflict(&self, conflict: &Conflict, now: &[Enclosed]) -> f64 {
        let mass = sum(conflict.multipliers.iter().copied());
        let lambdas: Vec<(usize, Enclosed)> = conflict
            .agents
            .iter()
            .zip(&conflict.multipliers)
            .map(|(&i, &p)| (i, Enclosed::exact(p).over(mass * now[i])))
            .collect();
        self.bound(&lambdas, &conflict.point, conflict.sphere)
    }

    /// No model in the ball gives the agent a utility above this.
    pub(crate) fn most(&self, hopeless: &Hopeless) -> f64 {
        self.bound(&[(hopeless.agent, Enclosed::exact(1.0))], &hopeless.point, hopeless.sphere)
    }

    /// At least `max_x sum_i lambda_i u_i(x)` over the ball, for positive `lambda_i`.
    fn bound(&self, lambdas: &[(usize, Enclosed)], point: &[f64], sphere: Option<f64>) -> f64 {
        // Losses are not negative, so no utility exceeds its ceiling: exact for agents with so few
        // rows that a model can fit them all.
        let mut ceilings = Sum::default();
        for &(i, lambda) in lambdas {
            ceilings.add_enclosed(lambda * self.ceiling(i));
        }
        self.bound_at(lambdas, point, sphere).min(ceilings.total().hi())
    }

    fn ceiling(&self, agent: usize) -> Enclosed {
        Enclosed::exact(self.agents[agent].ceiling.unwrap_or(f64::NAN))
    }

    /// The bound of the tangent at a point, or of the parabola.
    fn bound_at(&self, lambdas: &[(usize, Enclosed)], point: &[f64], sphere: Option<f64>) -> f64 {
        let mut value = Sum::default();
        let mut slope = vec![Sum::default(); point.len()];
        for &(i, lambda) in lambdas {
            let (loss, gradient) = self.reading.loss_and_gradient(i, point);
            value.add_enclosed(lambda * (self.ceiling(i) - loss));
            for (entry, g) in slope.iter_mut().zip(gradient) {
                entry.add_enclosed(lambda * g);
            }
        }
        let slope: Vec<Enclosed> = slope.into_iter().map(Sum::total).collect();
        let radius = Enclosed::exact(self.reading.predictor.radius);
        let Some(nu) = sphere else {
            // The tangent's maximum over the ball.
            return (value.total() + dot_enclosed(&slope, point) + radius * norm(&slope)).hi();
        };
        let (nu, half) = (Enclosed::exact(nu), Enclosed::exact(0.5));
        let h: Vec<Enclosed> =
            slope.iter().zip(point).map(|(g, y)| *g + nu * Enclosed::exact(*y)).collect();
        let two = Enclosed::exact(2.0);
        let coefficients: Vec<(usize, Enclosed)> = lambdas
            .iter()
            .map(|&(i, lambda)| (i, (two * lambda).over(self.reading.samples(i))))
            .collect();
        let l2 = Enclosed::exact(self.reading.predictor.l2);
        let mut shift = Sum::default();
        shift.add_enclosed(nu);
        for (_, lambda) in lambdas {
            shift.add_enclosed(l2 * *lambda);
        }
        let Some(form) = self.curvatures.inverse_form(&coefficients, shift.total(), &h) else {
            return f64::INFINITY;
        };
        let outside = half * nu * (radius.square() - dot(point, point));
        (value.total() + outside + half * Enclosed::exact(form)).hi()
    }
}
