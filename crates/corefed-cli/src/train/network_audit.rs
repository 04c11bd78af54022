//! The audit of a network: what is certified, what is estimated, and what was only searched.

use corefed_core::linalg::norm_l2;
use corefed_core::{Weights, nash_coefficients};
use corefed_data::Seed;
use corefed_evidence::{
    Ascent, BlockClaim, Curvature, Findings, HeldOut, Lanczos, Level, LocalAgent, LocalMap,
    LocalStatement, LocalView, MOST_TRAINED_AGENTS, Method, NonConvexAudit, RowUtility, Search,
    SearchError, SearchResult, claim_block,
};
use corefed_sim::{Federated, NetworkFederation, Part, Terms};
use corefed_spec::{NetworkAuditSpec, Train};
use serde::Serialize;

use super::network_rivals::NetworkRivals;

/// Memory that a basis of Lanczos' method may take.
const LANCZOS_BYTES: usize = 1 << 30;

/// The part of `audit.json` that only networks have.
#[derive(Debug, Serialize)]
pub(crate) struct NetworkAudit {
    #[serde(flatten)]
    pub(crate) audit: NonConvexAudit,
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

/// One agent's spectrum.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SpectrumLine {
    pub(crate) agent: String,
    pub(crate) smallest: f64,
    pub(crate) smallest_residual: f64,
    pub(crate) largest: f64,
    pub(crate) largest_residual: f64,
    pub(crate) method: String,
}

/// A network to be audited, and how.
pub(super) struct Audited<'a> {
    pub(super) federation: &'a NetworkFederation,
    pub(super) terms: &'a Terms,
    pub(super) train: &'a Train,
    pub(super) settings: &'a NetworkAuditSpec,
    pub(super) seed: Seed,
    pub(super) epsilon: f64,
}

impl Audited<'_> {
    /// Everything that can be said of a model.
    pub(super) fn audit(&self, params: &[f32]) -> Result<NetworkAudit, SearchError> {
        let Terms { weights, ceilings, .. } = self.terms;
        let mut rivals = NetworkRivals::new(self.federation, self.train, self.seed);
        let (search, local_map) = self.search(&mut rivals, params)?;
        let gradients = self.gradients(params, &search.utilities, weights);
        let spectrum = self.spectrum(params);
        let block = self.held_out(params, &search);
        let findings = Findings {
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
            audit: findings.conclude(self.epsilon),
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

    fn gradients(&self, params: &[f32], utilities: &[f64], weights: &Weights) -> Option<Gradients> {
        if utilities.iter().any(|u| *u <= 0.0) {
            return None;
        }
        let coefficients = nash_coefficients(utilities, weights);
        let (agents, total) = self.federation.gradients(params, &coefficients)?;
        Some(Gradients { log_welfare: norm_l2(&total), agents })
    }

    /// Lanczos' method on every agent's Hessian.
    fn spectrum(&self, params: &[f32]) -> Vec<SpectrumLine> {
        let steps = self.settings.lanczos;
        if steps == 0 || !self.federation.network().is_smooth() {
            return Vec::new();
        }
        let lanczos = Lanczos { steps, memory_bytes: LANCZOS_BYTES, seed: self.seed };
        let one = |(agent, name): (usize, &String)| {
            let mut product = |x: &[f64], out: &mut [f64]| {
                let direction: Vec<f32> = x.iter().map(|x| single(*x)).collect();
                match self.federation.hessian_product(params, agent, &direction) {
                    Some(product) => out.copy_from_slice(&product),
                    None => out.fill(f64::NAN),
                }
            };
            let found = lanczos.run(params.len(), &mut product).ok()?;
            let (smallest, largest) = (found.smallest(), found.largest());
            Some(SpectrumLine {
                agent: name.clone(),
                smallest: smallest.value,
                smallest_residual: smallest.residual,
                largest: largest.value,
                largest_residual: largest.residual,
                method: smallest.method,
            })
        };
        self.terms.names.iter().enumerate().filter_map(one).collect()
    }

    /// Theorem 3: with curvature that is proven on the ball, or with estimates in its place.
    fn local(
        &self,
        params: &[f32],
        utilities: &[f64],
        gradients: Option<&Gradients>,
        estimates: Option<&[SpectrumLine]>,
    ) -> LocalStatement {
        let not_applicable =
            |reason: &str| LocalStatement::NotApplicable { reason: reason.to_owned() };
        let network = self.federation.network();
        if !network.is_smooth() {
            return not_applicable(
                "the network has kinks (ReLU or max-pooling), and Theorem 3 needs second derivatives",
            );
        }
        let Some(gradients) = gradients else {
            return not_applicable("somebody has no positive utility");
        };
        let longest = self.federation.longest_image();
        let proven = |radius: f64| {
            let bound = network.smoothness(params, radius, longest);
            bound.map_or(f64::INFINITY, |bound| bound.curvature)
        };
        let agents = (0..utilities.len()).map(|k| {
            let (down, up) = match estimates.map(|lines| lines.get(k)) {
                None => (Curvature::Proven(&proven), Curvature::Proven(&proven)),
                Some(Some(line)) => {
                    let estimated = |value: f64| Curvature::Estimated {
                        value: value.max(0.0),
                        method: &line.method,
                    };
                    let down = line.smallest_residual - line.smallest;
                    (estimated(down), estimated(line.largest + line.largest_residual))
                }
                Some(None) => {
                    let reason = "the spectrum was not estimated";
                    (Curvature::Infinite { reason }, Curvature::Infinite { reason })
                }
            };
            let (utility, gradient_norm) = (utilities[k], gradients.agents[k]);
            LocalAgent { utility, gradient_norm, loss_down: down, loss_up: up }
        });
        let agents: Vec<LocalAgent<'_>> = agents.collect();
        let view = LocalView {
            agents: &agents,
            weights: &self.terms.weights,
            gradient_norm: gradients.log_welfare,
        };
        view.largest_radius(self.settings.factor, self.terms.radius)
    }

    /// Whether held-out rows confirm the deviation that was found.
    fn held_out(&self, params: &[f32], search: &SearchResult) -> Option<BlockClaim> {
        let witness = search.witness.as_ref()?;
        let losses =
            |params: &[f32], agent| self.federation.sample_losses(params, Part::HeldOut, agent);
        let both: Vec<(Vec<f64>, Vec<f64>)> = witness
            .coalition
            .iter()
            .map(|&agent| (losses(params, agent), losses(&witness.params, agent)))
            .collect();
        let ceilings = &self.terms.ceilings;
        let rows: Vec<HeldOut<'_>> = witness
            .coalition
            .iter()
            .zip(&both)
            .map(|(&k, (incumbent, rival))| HeldOut { ceiling: ceilings[k], incumbent, rival })
            .collect();
        let level = Level::new(self.settings.level).ok()?;
        let (utility, weights) = (RowUtility::TruncatedUtility, &self.terms.weights);
        claim_block(&witness.coalition, &rows, weights, utility, level, Method::default()).ok()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "networks are single precision")]
fn single(x: f64) -> f32 {
    x as f32
}
