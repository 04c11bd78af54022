//! The audit of a network: what is certified, what is estimated, and what was only searched.

use corefed_core::Seed;
use corefed_core::linalg::norm_l2;
use corefed_core::{Weights, nash_coefficients};
use corefed_documents::{Gradients, NetworkAudit};
use corefed_evidence::{
    Ascent, Findings, LocalMap, MOST_TRAINED_AGENTS, Search, SearchError, SearchResult, Unavailable,
};
use corefed_sim::{Federated, NetworkFederation, Terms};
use corefed_spec::{NetworkAuditSpec, Train};

use super::rivals::{NetworkRivals, unavailable};

/// A network to be audited, and how.
pub(crate) struct AuditedNetwork<'a> {
    pub(crate) federation: &'a NetworkFederation,
    pub(crate) terms: &'a Terms,
    pub(crate) train: &'a Train,
    pub(crate) settings: &'a NetworkAuditSpec,
    pub(crate) seed: Seed,
    pub(crate) tolerance: f64,
}

impl AuditedNetwork<'_> {
    /// Everything that can be said of a model, or why the search failed.
    pub(crate) fn audit(&self, params: &[f32]) -> Result<NetworkAudit, String> {
        self.audited(params).map_err(|error| self.reason(&error))
    }

    /// Agents by their names.
    fn reason(&self, error: &SearchError) -> String {
        let name = |agent: usize| &self.terms.names[agent];
        match *error {
            SearchError::Incumbent { agent, loss } => {
                format!("the loss of `{}` is `{loss}`", name(agent))
            }
            SearchError::NotPositive { agent, utility } => {
                format!("the utility of `{}` is `{utility}`", name(agent))
            }
            _ => error.to_string(),
        }
    }

    fn audited(&self, params: &[f32]) -> Result<NetworkAudit, SearchError> {
        let Terms { weights, ceilings, .. } = self.terms;
        let names = &self.terms.names;
        let mut rivals = NetworkRivals::new(self.federation, names, self.train, self.seed);
        let (search, local_map) = self.search(&mut rivals, params)?;
        let gradients = self.gradients(params, &search.utilities, weights)?;
        let spectrum = self.spectrum(params);
        let block = self.held_out_block(params, &search)?;
        let findings = Findings {
            names,
            ceilings,
            weights,
            nonnegative_losses: true,
            local: Some(self.local(params, &search.utilities, gradients.as_ref(), None)),
            local_map,
            block,
            no_block: None,
            search: &search,
        };
        Ok(NetworkAudit {
            agents: names.clone(),
            held_out: self.held_out_utilities(params)?,
            audit: findings.conclude(self.tolerance),
            local_estimate: self.local(
                params,
                &search.utilities,
                gradients.as_ref(),
                Some(&spectrum),
            ),
            gradients,
            spectrum,
        })
    }

    /// Candidates, coalitions on their own, then climbing.
    fn search(
        &self,
        rivals: &mut NetworkRivals<'_>,
        params: &[f32],
    ) -> Result<(SearchResult, Option<LocalMap>), SearchError> {
        let Terms { weights, ceilings, .. } = self.terms;
        let NetworkAuditSpec { bursts, climbs, .. } = *self.settings;
        let initial = self.federation.initial(self.seed.derive("initial"));
        let mut search = Search::new(rivals, params, ceilings, weights, climbs)?;
        search.offer("zero", &vec![0.0; params.len()])?;
        search.offer("untrained", &initial)?;
        if bursts > 0 && ceilings.len() <= MOST_TRAINED_AGENTS.min(4) {
            search.train_coalitions(params, bursts)?;
        }
        if climbs > 0 && bursts > 0 {
            let seed = self.seed.derive("audit");
            search.climb(&Ascent { bursts, changes: 2, random: climbs, seed })?;
        }
        let map = if bursts > 0 && search.utilities().iter().all(|u| *u > 0.0) {
            Some(search.local_map(self.settings.radius, bursts)?)
        } else {
            None
        };
        Ok((search.finish(), map))
    }

    fn gradients(
        &self,
        params: &[f32],
        utilities: &[f64],
        weights: &Weights,
    ) -> Result<Option<Gradients>, Unavailable> {
        if utilities.iter().any(|u| *u <= 0.0) {
            return Ok(None);
        }
        let coefficients = nash_coefficients(utilities, weights);
        let (agents, total) =
            self.federation.gradients(params, &coefficients).map_err(unavailable)?;
        Ok(Some(Gradients { log_welfare: norm_l2(&total), agents }))
    }
}
