//! The audit of a network: what is certified, what is estimated, and what was only searched.

use corefed_core::linalg::norm_l2;
use corefed_core::{Weights, nash_coefficients};
use corefed_data::Seed;
use corefed_evidence::{
    Ascent, Findings, LocalMap, LocalStatement, MOST_TRAINED_AGENTS, NonConvexAudit, Search,
    SearchError, SearchResult, Unavailable,
};
use corefed_sim::{Federated, NetworkFederation, Terms};
use corefed_spec::{NetworkAuditSpec, Train};
use serde::Serialize;

use super::held_out::HeldOutUtility;
use super::network_nearby::SpectrumLine;
use super::network_rivals::{NetworkRivals, unavailable};

/// The part of `audit.json` that only networks have.
#[derive(Debug, Serialize)]
pub(crate) struct NetworkAudit {
    /// Names of the agents that are counted below, from zero.
    pub(crate) agents: Vec<String>,
    #[serde(flatten)]
    pub(crate) audit: NonConvexAudit,
    /// Utilities on rows kept back, in the order of agents, each with an interval at the level that was
    /// asked for; `null` for an agent that kept none.
    pub(crate) held_out: Vec<Option<HeldOutUtility>>,
    /// `|grad F|` of log-welfare, and every agent's `|grad L_i|`; absent where somebody has no
    /// positive utility.
    pub(crate) gradients: Option<Gradients>,
    /// Ends of every agent's spectrum, as Lanczos' method estimates them; empty for networks with
    /// kinks, or where it was not asked for.
    pub(crate) spectrum: Vec<SpectrumLine>,
    /// Theorem 3 with those estimates in place of bounds: an estimate, not a certificate.
    pub(crate) local_estimate: LocalStatement,
}

/// Lengths of gradients at the model.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Gradients {
    pub(crate) log_welfare: f64,
    pub(crate) agents: Vec<f64>,
}

/// A network to be audited, and how.
pub(super) struct Audited<'a> {
    pub(super) federation: &'a NetworkFederation,
    pub(super) terms: &'a Terms,
    pub(super) train: &'a Train,
    pub(super) settings: &'a NetworkAuditSpec,
    pub(super) seed: Seed,
    pub(super) tolerance: f64,
}

impl Audited<'_> {
    /// Everything that can be said of a model, or why the search failed.
    pub(super) fn audit(&self, params: &[f32]) -> Result<NetworkAudit, String> {
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

#[cfg(test)]
mod tests {
    use corefed_log::RoundRecord;
    use corefed_spec::Spec;

    use super::*;
    use crate::commands::to_json;
    use crate::train::conclude::Finding;
    use crate::train::prepared::Prepared;
    use crate::train::{prepare, summary};

    #[test]
    fn a_search_that_fails_says_why_in_the_audit_the_summary_and_the_page() {
        let settings =
            [("data", "shapes"), ("test", "false"), ("sample", "0.05"), ("model", "mlp")];
        let spec = Spec::preset("table1-mnist").unwrap().with_all(&settings).unwrap();
        let Prepared::Network(run) = prepare(&spec).unwrap() else { panic!("a network") };
        let terms = run.case.terms(spec.radius);
        let audited = Audited {
            federation: &run.federation,
            terms: &terms,
            train: spec.train.as_ref().unwrap(),
            settings: &spec.model.network().unwrap().audit,
            seed: Seed(1),
            tolerance: spec.tolerance,
        };
        let failed = audited.audit(&vec![f32::NAN; run.federation.dim()]);
        let expected = format!("the loss of `{}` is `NaN`", terms.names[0]);
        assert_eq!(failed.as_ref().unwrap_err(), &expected);
        let finding = Finding::of_network(&RoundRecord::default(), &terms, spec.tolerance, failed);
        let said = summary::verdict(terms.weights.values(), &finding).join(" ");
        assert!(
            said.contains("The search for better rivals failed") && said.contains(&expected),
            "{said}"
        );
        let Finding::Bounds(found) = finding else { panic!("no exact audit") };
        let text = to_json(&*found).unwrap();
        assert!(text.contains(&format!("\"search_failed\": \"{expected}\"")), "{text}");
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.html");
        crate::report::write_answer(&text, None, &page).unwrap();
        let html = std::fs::read_to_string(page).unwrap();
        assert!(
            html.contains("the search failed: the loss of") && html.contains("violated"),
            "{html}"
        );
    }
}
