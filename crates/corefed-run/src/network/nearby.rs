//! What second derivatives say about rivals near a network.

use corefed_documents::{Gradients, SpectrumLine};
use corefed_evidence::{Curvature, Lanczos, LocalAgent, LocalStatement, LocalView};

use super::audit::AuditedNetwork;

/// Memory that a basis of Lanczos' method may take.
const LANCZOS_BYTES: usize = 1 << 30;

impl AuditedNetwork<'_> {
    /// Lanczos' method on every agent's Hessian.
    pub(crate) fn spectrum(&self, params: &[f32]) -> Vec<SpectrumLine> {
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
    pub(crate) fn local(
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
}

#[expect(clippy::cast_possible_truncation, reason = "networks are single precision")]
fn single(x: f64) -> f32 {
    x as f32
}
