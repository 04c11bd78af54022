//! Some agents of a federation, as if the others did not exist.

use corefed_core::Seed;

use crate::{DeviceFailure, Evaluation, Federated, Job, Part};

/// The federation of a coalition: its agent `k` is agent `members[k]` of the whole. Nothing is copied.
///
/// It has no test set: what belongs to nobody is not a coalition's to choose by.
pub struct Coalition<'a, F> {
    federation: &'a F,
    members: &'a [usize],
}

impl<'a, F: Federated> Coalition<'a, F> {
    /// Takes the members by index.
    ///
    /// # Panics
    /// If one is not among the agents: a bug of the caller.
    #[must_use]
    pub fn new(federation: &'a F, members: &'a [usize]) -> Self {
        assert!(members.iter().all(|member| *member < federation.agents()), "members are agents");
        Self { federation, members }
    }

    fn whole(&self, agents: &[usize]) -> Vec<usize> {
        agents.iter().map(|&agent| self.members[agent]).collect()
    }
}

impl<F: Federated> Federated for Coalition<'_, F> {
    type Scalar = F::Scalar;
    type Model = F::Model;
    type Workspace = F::Workspace;

    fn dim(&self) -> usize {
        self.federation.dim()
    }

    fn agents(&self) -> usize {
        self.members.len()
    }

    fn samples(&self, part: Part, agent: usize) -> usize {
        self.federation.samples(part, self.members[agent])
    }

    fn initial(&self, seed: Seed) -> Vec<Self::Scalar> {
        self.federation.initial(seed)
    }

    fn prepare(&self, params: &[Self::Scalar]) -> Self::Model {
        self.federation.prepare(params)
    }

    fn workspace(&self) -> Self::Workspace {
        self.federation.workspace()
    }

    fn evaluate(
        &self,
        model: &Self::Model,
        part: Part,
        agents: &[usize],
    ) -> Result<Vec<Option<Evaluation>>, DeviceFailure> {
        self.federation.evaluate(model, part, &self.whole(agents))
    }

    fn test(&self, _model: &Self::Model) -> Result<Option<Evaluation>, DeviceFailure> {
        Ok(None)
    }

    fn train(
        &self,
        model: &Self::Model,
        agent: usize,
        job: &Job<'_, Self::Scalar>,
        workspace: &mut Self::Workspace,
        update: &mut [Self::Scalar],
    ) {
        self.federation.train(model, self.members[agent], job, workspace, update);
    }

    fn together(&self) -> Option<usize> {
        self.federation.together()
    }

    fn train_together(
        &self,
        model: &Self::Model,
        tasks: &[(usize, Job<'_, Self::Scalar>)],
        updates: &mut [Vec<Self::Scalar>],
    ) -> Result<(), DeviceFailure> {
        let tasks: Vec<(usize, Job<'_, Self::Scalar>)> =
            tasks.iter().map(|(agent, job)| (self.members[*agent], *job)).collect();
        self.federation.train_together(model, &tasks, updates)
    }

    fn exact_losses(&self, model: &Self::Model) -> Option<Vec<f64>> {
        let all = self.federation.exact_losses(model)?;
        Some(self.members.iter().map(|&member| all[member]).collect())
    }

    fn convex_gradient(&self, model: &Self::Model, coefficients: &[f64]) -> Option<Vec<f64>> {
        let mut all = vec![0.0; self.federation.agents()];
        for (&member, coefficient) in self.members.iter().zip(coefficients) {
            all[member] = *coefficient;
        }
        self.federation.convex_gradient(model, &all)
    }
}
