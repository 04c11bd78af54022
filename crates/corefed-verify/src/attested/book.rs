//! The answers of all agents, and what follows from them.

use corefed_core::{AgentStatement, AgreedModel, AttestedCertificate, Leaf, Tangent};

use crate::enclosed::Enclosed;
use crate::family::is_nonnegative;
use crate::place::Place;
use crate::sum::{Sum, norm};

/// A certificate's answers, in the arithmetic of the checker.
///
/// Every index must have been checked to exist.
#[derive(Clone, Copy)]
pub(crate) struct Book<'a> {
    certificate: &'a AttestedCertificate,
}

impl<'a> Book<'a> {
    pub(crate) fn of(certificate: &'a AttestedCertificate) -> Self {
        Self { certificate }
    }

    pub(crate) fn model(self) -> &'a AgreedModel {
        &self.certificate.terms.predictor
    }

    /// Whether no loss is below zero; of a model of the agents' own that is not known.
    pub(crate) fn nonnegative(self) -> bool {
        self.model().known().is_some_and(|predictor| is_nonnegative(predictor.family))
    }

    pub(crate) fn point(self, point: usize) -> &'a [f64] {
        &self.certificate.points[point]
    }

    /// What an agent answered at a point.
    pub(crate) fn leaf(self, agent: usize, point: usize) -> Option<&'a Leaf> {
        let leaves = &self.certificate.attestations.get(agent)?.leaves;
        leaves.binary_search_by_key(&point, |leaf| leaf.point).ok().map(|at| &leaves[at])
    }

    fn ceiling(self, agent: usize) -> Enclosed {
        Enclosed::exact(self.certificate.terms.agents[agent].ceiling)
    }

    /// `M_i - L_i` at a point; unknown where the agent did not answer.
    pub(crate) fn utility(self, agent: usize, point: usize) -> Enclosed {
        self.leaf(agent, point).map_or(Enclosed::UNKNOWN, |leaf| {
            self.ceiling(agent) - Enclosed::new(leaf.loss, leaf.margin)
        })
    }

    /// Utilities of all agents under the predictor.
    pub(crate) fn now(self) -> Vec<Enclosed> {
        (0..self.certificate.terms.agents.len()).map(|i| self.utility(i, 0)).collect()
    }

    /// Agents that did not answer.
    pub(crate) fn absent(self) -> Vec<usize> {
        let attestations = self.certificate.attestations.iter().enumerate();
        attestations.filter(|(_, a)| a.leaves.is_empty()).map(|(i, _)| i).collect()
    }

    /// The agents as other certificates state them; the utility of an absent one is any number.
    pub(crate) fn statements(self) -> Vec<AgentStatement> {
        let now = self.now();
        let parties = self.certificate.terms.agents.iter().zip(&self.certificate.attestations);
        let stated =
            |((party, own), now): ((&corefed_core::Party, &corefed_core::Attestation), _)| {
                let now: Enclosed = now;
                AgentStatement {
                    name: party.name.clone(),
                    samples: own.samples,
                    weight: party.weight,
                    ceiling: Some(party.ceiling),
                    utility: now.value(),
                    margin: now.error(),
                }
            };
        parties.zip(now).map(stated).collect()
    }

    /// At least `max_x sum_k p_k u_k(x)` over the ball, by several tangents of each agent (ledger E78, E85);
    /// infinite where nothing is proven. Every tangent must have a gradient.
    pub(crate) fn most(self, tangents: &[Tangent]) -> f64 {
        let model = self.model();
        let (radius, l2) = (Enclosed::exact(model.radius()), Enclosed::exact(model.l2()));
        let half = Enclosed::exact(0.5);
        let (mut constant, mut curvature) = (Sum::default(), Sum::default());
        let mut ceilings = Sum::default();
        let mut slope = vec![Sum::default(); model.parameters().len()];
        for &Tangent { agent, point, multiplier: p } in tangents {
            let Some((leaf, gradient)) =
                self.leaf(agent, point).and_then(|leaf| Some((leaf, leaf.gradient.as_ref()?)))
            else {
                return f64::INFINITY;
            };
            let y = self.point(point);
            let square = Place::from(y).square();
            // p (M - L + <g, y> - (l2/2)|y|^2), and what the gradient's margin may add.
            let mut value = Sum::from(self.ceiling(agent));
            value.add_enclosed(-Enclosed::new(leaf.loss, leaf.margin));
            for (g, x) in gradient.values.iter().zip(y) {
                value.add_product(*g, *x);
            }
            value.add_enclosed(-(half * l2 * square));
            let moved = Enclosed::exact(gradient.margin) * (radius + square.sqrt());
            value.add_enclosed(Enclosed::exact(moved.hi()));
            constant.add_multiple(value, p);
            ceilings.add_scaled(self.ceiling(agent), p);
            let bend = l2 * Enclosed::exact(p);
            curvature.add_enclosed(bend);
            for ((entry, g), x) in slope.iter_mut().zip(&gradient.values).zip(y) {
                entry.add_product(p, *g);
                entry.add_scaled(-bend, *x);
            }
        }
        let slope: Vec<Enclosed> = slope.into_iter().map(Sum::total).collect();
        // The largest value of `s t - (q/2) t^2` over `0 <= t <= R` grows with `s` and falls with `q`.
        let steep = Enclosed::exact(norm(&slope).hi());
        let bend = Enclosed::exact(curvature.total().lo().max(0.0));
        let above = if (steep - bend * radius).lo() >= 0.0 {
            steep * radius - half * bend * radius.square()
        } else {
            // Not below it for any `s`: the largest value over all `t`.
            half * steep.square().over(bend)
        };
        let most = (constant.total() + above).hi();
        if self.nonnegative() { most.min(ceilings.total().hi()) } else { most }
    }

    /// No rival in the ball gives every agent of the tangents a gain above this (ledger E78); `now` are the
    /// agents' utilities under the predictor.
    pub(crate) fn bound(self, tangents: &[Tangent], now: &[Enclosed]) -> f64 {
        let mut held = Sum::default();
        for tangent in tangents {
            held.add_scaled(now[tangent.agent], tangent.multiplier);
        }
        let most = self.most(tangents);
        let bound = Enclosed::exact(most).over(held.total()).hi();
        if most.is_finite() { bound } else { f64::INFINITY }
    }

    /// At least `R|G| - <G, theta>` with `G = -sum_i (w_i/u_i) grad L_i` (ledger E6), from the gradients at the
    /// predictor; infinite where one is missing.
    pub(crate) fn gap(self, now: &[Enclosed]) -> f64 {
        let theta = self.point(0);
        let radius = Enclosed::exact(self.model().radius());
        let reach = radius + Place::from(theta).square().sqrt();
        let mut descent = vec![Sum::default(); theta.len()];
        let mut moved = Sum::default();
        for (i, party) in self.certificate.terms.agents.iter().enumerate() {
            let Some(gradient) = self.leaf(i, 0).and_then(|leaf| leaf.gradient.as_ref()) else {
                return f64::INFINITY;
            };
            let pull = Enclosed::exact(party.weight).over(now[i]);
            for (entry, g) in descent.iter_mut().zip(&gradient.values) {
                entry.add_scaled(pull, *g);
            }
            moved.add_enclosed(pull * Enclosed::exact(gradient.margin) * reach);
        }
        let descent: Vec<Enclosed> = descent.into_iter().map(Sum::total).collect();
        let inner = Place::from(theta).dot(&descent);
        (radius * norm(&descent) + inner + moved.total()).hi().max(0.0)
    }
}
