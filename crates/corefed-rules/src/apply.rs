//! A whole round at once, for callers who hold all updates.

use crate::error::What;
use crate::kernel::{add_terms, advance_block, each_block};
use crate::{
    Accepted, Applied, Plan, Rejected, Report, Scalar, Server, ServerError, ServerState, Update,
    gram,
};

impl Server {
    /// Plans, accepts, combines and advances. `eta` is the local learning rate of the round.
    ///
    /// Every update is read once (FedMGDA+ reads it once more for inner products), and no memory
    /// of its size is allocated. Updates are taken in order of agents, whatever order they come in;
    /// folding them in that order by hand gives the same bits. After an error, parameters and state
    /// are as they were.
    ///
    /// ```
    /// use corefed_core::Weights;
    /// use corefed_rules::{CoreStep, Report, Rule, Safety, Server, ServerStep, Update};
    ///
    /// let rule = Rule::Corefed { step: CoreStep::Normalised };
    /// let weights = Weights::equal(2);
    /// let server = Server::new(rule, Safety::default(), ServerStep::default(), &weights, vec![3.0; 2])?;
    /// let mut state = server.init();
    /// let mut params = [1.0_f32, 1.0];
    /// let report = |agent, loss| Report { agent, samples: 100, loss };
    /// let updates = [
    ///     Update::measured(report(0, 1.0), &[5.0, 0.0]),
    ///     Update::measured(report(1, 2.5), &[0.0, 5.0]),
    /// ];
    /// let applied = server.apply(&mut state, &mut params, &updates, 0.1)?;
    /// // Utilities 2 and 1/2, so coefficients 1/5 and 4/5.
    /// assert_eq!(applied.coefficients, [(0, 0.2), (1, 0.8)]);
    /// assert_eq!(params, [2.0, 5.0]);
    /// # Ok::<(), corefed_rules::ServerError>(())
    /// ```
    pub fn apply<T: Scalar>(
        &self,
        state: &mut ServerState<T>,
        params: &mut [T],
        updates: &[Update<'_, T>],
        eta: f64,
    ) -> Result<Applied, ServerError> {
        self.check_shapes(state, params.len(), updates, eta)?;
        let mut updates: Vec<&Update<'_, T>> = updates.iter().collect();
        updates.sort_by_key(|update| update.report.agent);
        let reports: Vec<Report> = updates.iter().map(|update| update.report).collect();
        let (mut multipliers, mut ceilings) = (state.multipliers.clone(), state.ceilings.clone());
        let plan = self.plan_on(&mut multipliers, &mut ceilings, &reports);

        let (accepted, rejected) = self.sift(&plan, &updates);
        if accepted.is_empty() {
            return Err(ServerError::NobodyLeft { rejected });
        }
        let deltas: Vec<&[T]> = accepted.iter().map(|a| updates[a.index].delta).collect();
        let products = if self.needs_gram() { gram(&deltas) } else { Vec::new() };
        let coefficients = self.gram_coefficients(&accepted, &products);
        let scale = self.scale(&plan, &accepted, eta);

        let terms: Vec<(f64, &[T])> = coefficients.iter().copied().zip(deltas).collect();
        let motion = self.motion(state, params.len(), scale);
        each_block(&mut state.velocity, params, |start, velocity, params| {
            let mut direction = vec![T::ZERO; params.len()];
            add_terms(&mut direction, &terms, start);
            advance_block(motion, velocity, params, &direction);
        });
        (state.multipliers, state.ceilings) = (multipliers, ceilings);

        let agents = accepted.iter().map(|a| a.pull.agent);
        let clipped = accepted.iter().filter(|a| a.clipped).map(|a| a.pull.agent).collect();
        let coefficients: Vec<(usize, f64)> =
            agents.zip(coefficients.iter().map(|coefficient| scale * coefficient)).collect();
        let mut interventions = plan.interventions;
        interventions.clipped = clipped;
        let no_pull = coefficients.iter().all(|&(_, coefficient)| coefficient == 0.0);
        Ok(Applied { coefficients, rejected, interventions, no_pull })
    }

    /// Who takes part and who does not, in order of agents.
    fn sift<T: Scalar>(
        &self,
        plan: &Plan,
        updates: &[&Update<'_, T>],
    ) -> (Vec<Accepted>, Vec<Rejected>) {
        let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
        for (index, update) in updates.iter().enumerate() {
            match self.accept::<T>(plan, index, update.norm_sqr) {
                Ok(taken) => accepted.push(taken),
                Err(left_out) => rejected.push(left_out),
            }
        }
        (accepted, rejected)
    }

    fn check_shapes<T: Scalar>(
        &self,
        state: &ServerState<T>,
        dim: usize,
        updates: &[Update<'_, T>],
        eta: f64,
    ) -> Result<(), ServerError> {
        if !(eta > 0.0 && eta.is_finite()) {
            let range = "positive and finite";
            return Err(ServerError::Setting { name: "eta", value: eta, range });
        }
        let fresh = self.init::<T>();
        let velocity = if state.velocity.is_empty() { 0 } else { dim };
        let own = [
            (What::State, state.multipliers.len(), fresh.multipliers.len()),
            (What::State, state.ceilings.len(), fresh.ceilings.len()),
            (What::Velocity, state.velocity.len(), velocity),
        ];
        let theirs = updates.iter().map(|u| (What::Update(u.report.agent), u.delta.len(), dim));
        match own.into_iter().chain(theirs).find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(ServerError::Length { what, found, expected }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
