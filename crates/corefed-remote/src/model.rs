//! The coordinator's model of every agent's loss: quadratic, about the nearest answer.

use corefed_core::linalg::{axpy, dot};
use corefed_model::ConvexLosses;

use crate::bundle::{Bundle, Taylor};

/// Losses to second order. They propose points; nothing that is proven rests on them.
pub(crate) struct Model<'a> {
    dim: usize,
    /// By agent; absent for one that never answered.
    agents: Vec<Option<Taylor<'a>>>,
}

impl<'a> Model<'a> {
    /// Every agent about its answer nearest to `x`.
    pub(crate) fn about(bundle: &'a Bundle, agents: usize, x: &[f64]) -> Self {
        let agents = (0..agents).map(|agent| bundle.nearest(agent, x)).collect();
        Self { dim: x.len(), agents }
    }

    /// Whether it expands some agents at the same points as another.
    pub(crate) fn same(&self, other: &Self, members: &[usize]) -> bool {
        let place = |model: &Self, agent: usize| model.agents[agent].map(|taylor| taylor.place);
        members.iter().all(|&agent| place(self, agent) == place(other, agent))
    }

    /// The loss of an agent at `x`; infinite for one that never answered.
    pub(crate) fn loss(&self, agent: usize, x: &[f64]) -> f64 {
        self.agents[agent].map_or(f64::INFINITY, |taylor| taylor.evaluate(x).0)
    }

    fn taylor(&self, agent: usize) -> &Taylor<'a> {
        self.agents[agent].as_ref().unwrap_or_else(|| unreachable!("members have answered"))
    }
}

impl ConvexLosses for Model<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn agents(&self) -> usize {
        self.agents.len()
    }

    fn strong_convexity(&self) -> f64 {
        0.0
    }

    /// What is proposed here has to be proven by tangents, so programs are solved until tangents would
    /// prove them, not only curvature.
    fn constant_hessians(&self) -> bool {
        false
    }

    fn losses(&self, params: &[f64], members: &[usize], losses: &mut [f64]) {
        for (&member, loss) in members.iter().zip(losses) {
            *loss = self.taylor(member).evaluate(params).0;
        }
    }

    fn gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        let rows = gradients.chunks_exact_mut(self.dim);
        for ((&member, loss), row) in members.iter().zip(losses).zip(rows) {
            let (value, gradient, _) = self.taylor(member).evaluate(params);
            *loss = value;
            row.copy_from_slice(&gradient);
        }
    }

    fn add_hessian(
        &self,
        _params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        for (&member, coefficient) in members.iter().zip(coefficients) {
            let Some(own) = self.taylor(member).hessian else { continue };
            let rows = hessian.chunks_exact_mut(self.dim).zip(own.chunks_exact(self.dim));
            for (row, (out, own)) in rows.enumerate() {
                axpy(*coefficient, &own[..=row], &mut out[..=row]);
            }
        }
    }

    fn hessian_vector(
        &self,
        _params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) {
        product.fill(0.0);
        for (&member, coefficient) in members.iter().zip(coefficients) {
            let Some(own) = self.taylor(member).hessian else { continue };
            for (out, row) in product.iter_mut().zip(own.chunks_exact(self.dim)) {
                *out += coefficient * dot(row, direction);
            }
        }
    }
}
