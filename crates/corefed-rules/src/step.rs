//! From updates to a step, for callers who fold updates one by one.

use crate::kernel::{Motion, advance_block, each_block};
use crate::rule::Products;
use crate::safety::shrinkage;
use crate::{Accepted, Plan, Reason, Rejected, Scalar, Server, ServerState, ServerStep};

impl Server {
    /// Takes the update behind the report at `index`, whose squared norm is given, or says why not.
    ///
    /// # Panics
    ///
    /// If there is no such report.
    pub fn accept<T: Scalar>(
        &self,
        plan: &Plan,
        index: usize,
        norm_sqr: f64,
    ) -> Result<Accepted, Rejected> {
        let pull = plan.verdicts[index]?;
        // Not-a-number is in no range. In `f32`, what passes can be multiplied by any coefficient a
        // rule gives without overflow.
        if !(0.0..=T::LARGEST).contains(&norm_sqr) {
            return Err(Rejected { agent: pull.agent, reason: Reason::UpdateNotFinite });
        }
        let shrink = shrinkage(self.safety.clip, norm_sqr);
        Ok(Accepted {
            index,
            pull,
            coefficient: pull.value / plan.unit * shrink,
            norm_sqr: norm_sqr * shrink * shrink,
            clipped: shrink < 1.0,
        })
    }

    /// The factor common to all updates, once it is known who was accepted; `eta > 0` is the local
    /// learning rate of the round. Zero when nobody has any pull.
    #[must_use]
    pub fn scale(&self, plan: &Plan, accepted: &[Accepted], eta: f64) -> f64 {
        plan.scale(accepted, eta)
    }

    /// Whether coefficients come from [`gram`](crate::gram), for which all updates must be there.
    #[must_use]
    pub fn needs_gram(&self) -> bool {
        self.rule.info().needs_gram
    }

    /// What each accepted update is folded with, given all inner products of the accepted updates
    /// as they came, in the same order. Rules that do not need the matrix ignore it.
    ///
    /// # Panics
    ///
    /// If the matrix is needed and of another size.
    #[must_use]
    pub fn gram_coefficients(&self, accepted: &[Accepted], gram: &[f64]) -> Vec<f64> {
        let folded = || accepted.iter().map(|accepted| accepted.coefficient).collect();
        if !self.needs_gram() {
            return folded();
        }
        assert_eq!(gram.len(), accepted.len() * accepted.len(), "one product per pair");
        let norms: Vec<f64> = accepted.iter().map(|a| a.norm_sqr.sqrt()).collect();
        let pulls: Vec<f64> = accepted.iter().map(|a| a.pull.value).collect();
        let products = Products { pulls: &pulls, norms: &norms, gram };
        self.rule.by_products(&products).unwrap_or_else(folded)
    }

    /// `velocity <- momentum velocity + scale direction; params += step velocity`, in one pass.
    ///
    /// # Panics
    ///
    /// If lengths differ.
    pub fn advance<T: Scalar>(
        &self,
        state: &mut ServerState<T>,
        params: &mut [T],
        direction: &[T],
        scale: f64,
    ) {
        assert_eq!(params.len(), direction.len(), "a direction for every parameter");
        let motion = self.motion(state, params.len(), scale);
        each_block(&mut state.velocity, params, |start, velocity, params| {
            advance_block(motion, velocity, params, &direction[start..start + params.len()]);
        });
    }

    /// The constants of a step; makes room for the velocity where there is momentum.
    pub(crate) fn motion<T: Scalar>(
        &self,
        state: &mut ServerState<T>,
        dim: usize,
        scale: f64,
    ) -> Motion {
        let ServerStep { step, momentum } = self.step;
        if momentum > 0.0 && state.velocity.is_empty() {
            state.velocity = vec![T::ZERO; dim];
        }
        Motion { scale, step, momentum }
    }
}
