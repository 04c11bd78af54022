//! A whole round at once, for callers who hold all updates.

use corefed_core::Range;

use crate::error::What;
use crate::kernel::{add_terms, advance_block, each_block};
use crate::{
    Accepted, Applied, PartedUpdate, Plan, Rejected, Report, Scalar, Server, ServerError,
    ServerState, Update, gram,
};

impl Server {
    /// Plans, accepts, combines and advances. `eta` is the local learning rate of the round.
    ///
    /// Every update is read once (and once more where the rule needs inner products), and no memory
    /// of its size is allocated. Updates are taken in order of agents, whatever order they come in;
    /// folding them in that order by hand gives the same bits. After an error, parameters and state
    /// are as they were.
    ///
    /// ```
    /// use corefed_core::Weights;
    /// use corefed_rules::{CoreStep, Report, Rule, Safety, Server, ServerStep, Update};
    ///
    /// let rule = Rule::corefed(CoreStep::Normalised);
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
    pub fn apply<'a, T: Scalar>(
        &self,
        state: &mut ServerState<T>,
        params: &mut [T],
        updates: &[Update<'a, T>],
        eta: f64,
    ) -> Result<Applied, ServerError> {
        let parted = |update: &Update<'a, T>| PartedUpdate {
            report: update.report,
            deltas: vec![update.delta],
            norm_sqr: update.norm_sqr,
        };
        let updates: Vec<PartedUpdate<'a, T>> = updates.iter().map(parted).collect();
        self.apply_parts(state, &mut [params], &updates, eta, 1.0)
    }

    /// [`apply`](Server::apply) for parameters that lie in several places: the layers of a network,
    /// say. The velocity of the state is one list, part after part. Of the step only `part` is taken, in
    /// (0, 1].
    ///
    /// ```
    /// use corefed_core::Weights;
    /// use corefed_rules::{PartedUpdate, Report, Rule, Safety, Server, ServerStep};
    ///
    /// let weights = Weights::equal(2);
    /// let (safety, step) = (Safety::default(), ServerStep::default());
    /// let server = Server::new(Rule::Fedavg, safety, step, &weights, vec![3.0; 2])?;
    /// let (mut first, mut second) = ([0.0_f32; 2], [0.0_f32; 1]);
    /// let report = |agent| Report { agent, samples: 100, loss: 1.0 };
    /// let updates = [
    ///     PartedUpdate::measured(report(0), vec![&[2.0, 0.0], &[4.0]]),
    ///     PartedUpdate::measured(report(1), vec![&[0.0, 2.0], &[6.0]]),
    /// ];
    /// let mut params = [&mut first[..], &mut second];
    /// server.apply_parts(&mut server.init(), &mut params, &updates, 0.1, 0.5)?;
    /// // Half of the mean update.
    /// assert_eq!((first, second), ([0.5, 0.5], [2.5]));
    /// # Ok::<(), corefed_rules::ServerError>(())
    /// ```
    pub fn apply_parts<T: Scalar>(
        &self,
        state: &mut ServerState<T>,
        params: &mut [&mut [T]],
        updates: &[PartedUpdate<'_, T>],
        eta: f64,
        part: f64,
    ) -> Result<Applied, ServerError> {
        let range = Range::up_to(0.0, 1.0);
        if !range.contains(part) {
            return Err(ServerError::Setting { name: "part", value: part, range });
        }
        self.check_shapes(state, params, updates, eta)?;
        let mut updates: Vec<&PartedUpdate<'_, T>> = updates.iter().collect();
        updates.sort_by_key(|update| update.report.agent);
        let reports: Vec<Report> = updates.iter().map(|update| update.report).collect();
        let (mut multipliers, mut ceilings) = (state.multipliers.clone(), state.ceilings.clone());
        let mut utilities = state.utilities.clone();
        let plan = self.plan_on(&mut multipliers, &mut ceilings, &mut utilities, &reports);

        let (accepted, rejected) = self.sift(&plan, &updates);
        if accepted.is_empty() {
            return Err(ServerError::NobodyLeft { rejected });
        }
        let deltas: Vec<&[&[T]]> = accepted.iter().map(|a| &*updates[a.index].deltas).collect();
        let products = if self.needs_gram() { gram_of_parts(&deltas) } else { Vec::new() };
        let coefficients = self.gram_coefficients(&accepted, &products);
        let scale = part * self.scale(&plan, &accepted, eta);

        let motion = self.motion(state, params.iter().map(|part| part.len()).sum(), scale);
        let mut velocity = &mut *state.velocity;
        for (part, params) in params.iter_mut().enumerate() {
            let own;
            (own, velocity) = velocity.split_at_mut(params.len().min(velocity.len()));
            let parts = deltas.iter().map(|delta| delta[part]);
            let terms: Vec<(f64, &[T])> = coefficients.iter().copied().zip(parts).collect();
            each_block(own, params, |start, velocity, params| {
                let mut direction = vec![T::ZERO; params.len()];
                add_terms(&mut direction, &terms, start);
                advance_block(motion, velocity, params, &direction);
            });
        }
        (state.multipliers, state.ceilings) = (multipliers, ceilings);
        state.utilities = utilities;

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
        updates: &[&PartedUpdate<'_, T>],
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
        params: &[&mut [T]],
        updates: &[PartedUpdate<'_, T>],
        eta: f64,
    ) -> Result<(), ServerError> {
        if !(eta > 0.0 && eta.is_finite()) {
            let range = Range::POSITIVE;
            return Err(ServerError::Setting { name: "eta", value: eta, range });
        }
        let fresh = self.init::<T>();
        let dim = params.iter().map(|part| part.len()).sum();
        let velocity = if state.velocity.is_empty() { 0 } else { dim };
        let own = [
            (What::State, state.multipliers.len(), fresh.multipliers.len()),
            (What::State, state.ceilings.len(), fresh.ceilings.len()),
            (What::State, state.utilities.len(), fresh.utilities.len()),
            (What::Velocity, state.velocity.len(), velocity),
        ];
        let counts =
            updates.iter().map(|u| (What::Parts(u.report.agent), u.deltas.len(), params.len()));
        let lengths = updates.iter().flat_map(|update| {
            let what = What::Update(update.report.agent);
            let pairs = update.deltas.iter().zip(params);
            pairs.map(move |(delta, part)| (what, delta.len(), part.len()))
        });
        let all = own.into_iter().chain(counts).chain(lengths);
        match all.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(ServerError::Length { what, found, expected }),
            None => Ok(()),
        }
    }
}

/// Inner products of whole updates: those of their parts, added in order.
fn gram_of_parts<T: Scalar>(deltas: &[&[&[T]]]) -> Vec<f64> {
    let parts = deltas.first().map_or(0, |parts| parts.len());
    let mut total = vec![0.0; deltas.len() * deltas.len()];
    for part in 0..parts {
        let rows: Vec<&[T]> = deltas.iter().map(|delta| delta[part]).collect();
        total.iter_mut().zip(gram(&rows)).for_each(|(total, product)| *total += product);
    }
    total
}

#[cfg(test)]
mod tests;
