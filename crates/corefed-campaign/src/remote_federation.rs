//! Random federations whose predictors a real audit would see: clusters of agents that disagree.

use corefed_core::{CeilingPolicy, Family, Predictor, Weights};
use corefed_data::{Agent, Design, Federation};
use corefed_solve::Rule;

use crate::draws::Draws;
use crate::instance::bare_predictor;

/// Classes of a softmax model.
pub(crate) const CLASSES: usize = 3;

/// A federation, its terms, and which predictor is audited.
pub(crate) struct Drawn {
    pub(crate) federation: Federation,
    pub(crate) family: Family,
    pub(crate) l2: f64,
    pub(crate) radius: f64,
    pub(crate) policy: CeilingPolicy,
    pub(crate) weights: Weights,
    /// The optimum of a rule, or zero.
    pub(crate) rule: Option<Rule>,
}

impl Drawn {
    pub(crate) fn draw(draws: &mut Draws) -> Option<Self> {
        let families = [Family::Logistic, Family::Logistic, Family::Softmax, Family::Linear];
        let family = match draws.count(0, 4) {
            4 => Family::Poisson,
            k => families[k],
        };
        let most = if family == Family::Softmax { 8 } else { 12 };
        let (agents, columns) = (draws.count(3, most), draws.count(2, 8));
        let clusters = Clusters::draw(draws, agents, columns);
        let federation = rows(draws, family, &clusters);
        let l2 = if draws.chance(0.4) { draws.magnitude(-4.0, -1.0) } else { 0.0 };
        let radius = draws.magnitude(0.0, 1.3);
        let policy = match draws.count(0, 5) {
            0 => CeilingPolicy::Constant(draws.between(0.8, 1.5)),
            1 => CeilingPolicy::Worst,
            2 => CeilingPolicy::Initial(draws.between(1.2, 3.0)),
            _ => CeilingPolicy::Initial(draws.between(0.9, 1.2)),
        };
        let weights = if draws.chance(0.5) {
            Weights::equal(agents)
        } else {
            Weights::new((0..agents).map(|_| draws.magnitude(-0.7, 0.7)).collect()).ok()?
        };
        let rule = match draws.count(0, 6) {
            0 => Some(Rule::Utilitarian),
            1 => Some(Rule::Egalitarian),
            2 => None,
            _ => Some(Rule::Core),
        };
        Some(Self { federation, family, l2, radius, policy, weights, rule })
    }

    pub(crate) fn predictor(&self, radius: f64, parameters: Vec<f64>) -> Predictor {
        let exposed = !self.federation.exposure(0..1).is_empty();
        let columns = self.federation.design().dim();
        bare_predictor((self.family, CLASSES), (self.l2, radius), (columns, exposed), parameters)
    }

    /// What a reader needs to find it again.
    pub(crate) fn describe(&self) -> String {
        format!(
            "{} n={} d={} l2={:.1e} R={:.2} {:?} {}",
            self.family,
            self.federation.agents().len(),
            self.federation.design().dim(),
            self.l2,
            self.radius,
            self.policy,
            self.rule.map_or("zero".to_owned(), |rule| rule.to_string()),
        )
    }
}

/// How agents differ.
#[derive(Clone, Copy)]
pub(crate) struct Clusters {
    /// Ground truths; agents take turns.
    pub(crate) count: usize,
    pub(crate) agents: usize,
    /// Features, without the intercept.
    pub(crate) columns: usize,
    /// Rows of an agent, at least and at most.
    pub(crate) samples: (usize, usize),
    /// How far agents are from their cluster's truth.
    pub(crate) spread: f64,
    /// How large truths are.
    pub(crate) strength: f64,
}

impl Clusters {
    fn draw(draws: &mut Draws, agents: usize, columns: usize) -> Self {
        let count = draws.count(1, 4);
        let strength = draws.between(0.2, 1.5);
        Self { count, agents, columns, samples: (20, 120), spread: 0.3, strength }
    }
}

/// Rows of agents in clusters.
pub(crate) fn rows(draws: &mut Draws, family: Family, clusters: &Clusters) -> Federation {
    let Clusters { count, agents, columns, samples: (fewest, most), spread, strength } = *clusters;
    let normals = |draws: &mut Draws, scale: f64| -> Vec<f64> {
        (0..columns).map(|_| scale * draws.normal()).collect()
    };
    let truths: Vec<Vec<f64>> = (0..count).map(|_| normals(draws, strength)).collect();
    let (mut values, mut target, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    for agent in 0..agents {
        let shift = spread * draws.normal();
        let other = normals(draws, spread);
        let own: Vec<f64> = truths[agent % count].iter().zip(other).map(|(a, b)| a + b).collect();
        let samples = draws.count(fewest, most);
        for _ in 0..samples {
            let x = normals(draws, 1.0);
            let score = x.iter().zip(&own).map(|(x, t)| x * t).sum::<f64>() + shift;
            values.extend(x);
            values.push(1.0);
            target.push(match family {
                Family::Linear => score + 0.5 * draws.normal(),
                Family::Logistic => {
                    f64::from(u8::from(draws.unit() < 1.0 / (1.0 + (-score).exp())))
                }
                Family::Poisson => (score.clamp(-2.0, 1.5).exp() * draws.between(0.5, 1.5)).round(),
                Family::Softmax => (score + 1.5 + 0.5 * draws.normal()).floor().clamp(0.0, 2.0),
            });
        }
        let start = target.len() - samples;
        owners.push(Agent { name: format!("agent-{agent}"), rows: start..target.len() });
    }
    let rows = target.len();
    let design =
        Design::dense(rows, columns + 1, values).unwrap_or_else(|_| unreachable!("finite"));
    Federation::new(design, target, owners)
}
