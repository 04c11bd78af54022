//! A random federation with its terms: all families, scales, ceilings and weights.

use corefed_core::{CeilingPolicy, Encoding, Family, Feature, Predictor, Weights};
use corefed_data::{Agent, Design, Federation};
use corefed_model::{FederationLosses, check_margins, worst_losses};
use corefed_solve::{Rule, TableReferences};

use crate::draws::Draws;

/// Classes of a softmax model.
pub(crate) const CLASSES: usize = 3;

/// Everything an audit depends on.
pub(crate) struct Instance {
    pub(crate) federation: Federation,
    pub(crate) family: Family,
    pub(crate) l2: f64,
    pub(crate) radius: f64,
    pub(crate) ceilings: Vec<f64>,
    pub(crate) weights: Weights,
    pub(crate) subject: Subject,
    pub(crate) tolerance: f64,
}

/// Which model is audited.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    /// The optimum of a rule.
    Optimum(Rule),
    /// An optimum, moved by this much of its length.
    Moved(Rule, f64),
    /// The zero model.
    Zero,
    /// A random point of the ball.
    Random,
}

impl Instance {
    /// Draws one, of this family or of one that is drawn; `None` where the ceilings are not positive or
    /// losses could overflow.
    pub(crate) fn draw(draws: &mut Draws, family: Option<Family>) -> Option<Self> {
        let families = [Family::Linear, Family::Linear, Family::Logistic, Family::Softmax];
        let drawn = families[draws.count(0, 3)];
        let family = family.unwrap_or(drawn);
        let (agents, columns) = (draws.count(2, 5), draws.count(1, 4));
        let shape = Shape::draw(draws, family);
        let federation = shape.rows(draws, family, agents, columns);
        let l2 = if draws.chance(0.3) { draws.magnitude(-4.0, 0.5) } else { 0.0 };
        let model = FederationLosses::new(&federation, family, CLASSES, l2);
        let radius = shape.radius(draws, family);
        check_margins(&model, radius).ok()?;
        let policy = match draws.count(0, 5) {
            0 => CeilingPolicy::Worst,
            1 => CeilingPolicy::Initial(draws.between(0.3, 1.0)),
            2 | 3 => CeilingPolicy::Initial(draws.between(1.0, 3.0)),
            _ => CeilingPolicy::Constant(draws.between(0.7, 3.0)),
        };
        let worst = worst_losses(&model, radius);
        let weights = if draws.chance(0.5) {
            Weights::equal(agents)
        } else {
            let values = (0..agents).map(|_| draws.magnitude(-1.5, 1.5)).collect();
            Weights::new(values).ok()?
        };
        let known = TableReferences {
            model: &model,
            weights: &weights,
            radius,
            held_out: None,
            worst: &worst,
        };
        let ceilings = policy.resolve(&known).ok()?;
        let rule = [Rule::Core, Rule::Utilitarian, Rule::Egalitarian][draws.count(0, 2)];
        let subject = match draws.count(0, 9) {
            0..=4 => Subject::Optimum(Rule::Core),
            5 | 6 => Subject::Optimum(rule),
            7 => Subject::Moved(rule, draws.magnitude(-9.0, -1.0)),
            8 => Subject::Random,
            _ => Subject::Zero,
        };
        let tolerance = if draws.chance(0.7) { 1e-6 } else { draws.magnitude(-5.0, -2.0) };
        Some(Self { federation, family, l2, radius, ceilings, weights, subject, tolerance })
    }

    /// A predictor of this family with these parameters.
    pub(crate) fn predictor(&self, radius: f64, parameters: Vec<f64>) -> Predictor {
        let exposed = !self.federation.exposure(0..1).is_empty();
        let columns = self.federation.design().dim();
        bare_predictor((self.family, CLASSES), (self.l2, radius), (columns, exposed), parameters)
    }
}

/// A predictor on columns that are taken as they are.
pub(crate) fn bare_predictor(
    (family, classes): (Family, usize),
    (l2, radius): (f64, f64),
    (columns, exposed): (usize, bool),
    parameters: Vec<f64>,
) -> Predictor {
    let classes = match family {
        Family::Linear | Family::Poisson => 0,
        Family::Logistic => 2,
        Family::Softmax => classes,
    };
    let feature = |k: usize| Feature::Numeric {
        column: format!("x{k}"),
        mean: 0.0,
        scale: 1.0,
        missing: None,
    };
    Predictor {
        family,
        l2,
        radius,
        encoding: Encoding {
            agent_column: "agent".to_owned(),
            target_column: "y".to_owned(),
            exposure_column: exposed.then(|| "exposure".to_owned()),
            classes: (0..classes).map(|k| k.to_string()).collect(),
            target_scale: None,
            intake: corefed_core::Intake::default(),
            features: (0..columns).map(feature).collect(),
        },
        parameters,
    }
}

/// How large the numbers of a federation are.
struct Shape {
    /// Of every feature.
    feature: f64,
    /// Of what a least-squares target varies by, and what is added to all of them.
    target: f64,
    offset: f64,
    /// Of what the features do not explain, relative to what they do.
    noise: f64,
    intercept: bool,
    /// How much agents differ.
    spread: f64,
}

impl Shape {
    fn draw(draws: &mut Draws, family: Family) -> Self {
        let target = if draws.chance(0.5) { 1.0 } else { draws.magnitude(-6.0, 6.0) };
        let shifted = family == Family::Linear && draws.chance(0.4);
        Self {
            feature: if draws.chance(0.6) { 1.0 } else { draws.magnitude(-2.0, 2.0) },
            target,
            offset: if shifted { target * draws.magnitude(0.0, 12.0) } else { 0.0 },
            noise: if draws.chance(0.15) { 0.0 } else { draws.magnitude(-2.0, 0.3) },
            intercept: shifted || draws.chance(0.7),
            spread: draws.magnitude(-2.0, 0.5),
        }
    }

    fn rows(&self, draws: &mut Draws, family: Family, agents: usize, columns: usize) -> Federation {
        let common: Vec<f64> = (0..columns).map(|_| draws.normal()).collect();
        let dim = columns + usize::from(self.intercept);
        let (mut values, mut target, mut owners) = (Vec::new(), Vec::new(), Vec::new());
        for agent in 0..agents {
            let own: Vec<f64> = common.iter().map(|c| c + self.spread * draws.normal()).collect();
            let shift = self.spread * draws.normal();
            let samples = draws.count(1, 12);
            for _ in 0..samples {
                let x: Vec<f64> = (0..columns).map(|_| draws.normal()).collect();
                let score = x.iter().zip(&own).map(|(x, t)| x * t).sum::<f64>() + shift;
                let score = score + self.noise * draws.normal();
                values.extend(x.iter().map(|x| x * self.feature));
                if self.intercept {
                    values.push(1.0);
                }
                target.push(match family {
                    Family::Linear => self.offset + self.target * score,
                    Family::Logistic => f64::from(u8::from(score > draws.normal())),
                    // Within reason: rates of up to exp(2), counts with noise.
                    Family::Poisson => {
                        (score.clamp(-2.0, 2.0).exp() + draws.normal()).round().max(0.0)
                    }
                    Family::Softmax => (score.abs() * 1.5).floor().min(CLASSES as f64 - 1.0),
                });
            }
            let start = target.len() - samples;
            owners.push(Agent { name: format!("agent-{agent}"), rows: start..target.len() });
        }
        let rows = values.len() / dim;
        let design = Design::dense(rows, dim, values).unwrap_or_else(|_| unreachable!("finite"));
        let exposed = family.takes_exposure() && draws.chance(0.6);
        let exposure = (0..if exposed { rows } else { 0 }).map(|_| draws.magnitude(-1.0, 1.0));
        let exposure = exposure.collect();
        Federation::new(design, target, owners).with_exposure(exposure)
    }

    /// Usually room for the optimum, sometimes not.
    fn radius(&self, draws: &mut Draws, family: Family) -> f64 {
        let natural = match family {
            Family::Linear => self.target / self.feature + self.target + self.offset,
            Family::Logistic | Family::Softmax | Family::Poisson => 1.0 + 1.0 / self.feature,
        };
        natural * draws.magnitude(-0.5, 1.5)
    }
}
