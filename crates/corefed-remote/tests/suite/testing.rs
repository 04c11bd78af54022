//! Federations drawn from a seed, and sessions about them.

use std::ops::ControlFlow;

use corefed_core::{Encoding, Family, Feature, Intake, Predictor, Weights};
use corefed_data::{Agent, Design, Federation};
use corefed_model::{ConvexLosses, convex_losses};
use corefed_remote::{
    Account, Ceiling, Options, Oracle, Outcome, Participant, RowOracle, Session, Setup, Task,
    conduct,
};

/// Classes of a softmax model.
pub(crate) const CLASSES: usize = 3;

/// `SplitMix64`.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A sum of twelve uniforms: normal enough.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// Agents in two clusters that disagree, 60 rows each.
pub(crate) fn federation(seed: u64, family: Family, agents: usize, columns: usize) -> Federation {
    let mut draws = Draws(seed);
    let normals = |draws: &mut Draws, scale: f64| -> Vec<f64> {
        (0..columns).map(|_| scale * draws.normal()).collect()
    };
    let truths = [normals(&mut draws, 0.8), normals(&mut draws, 0.8)];
    let (mut values, mut target, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    for agent in 0..agents {
        let other = normals(&mut draws, 0.3);
        let own: Vec<f64> = truths[agent % 2].iter().zip(other).map(|(a, b)| a + b).collect();
        for _ in 0..60 {
            let x = normals(&mut draws, 1.0);
            let score: f64 = x.iter().zip(&own).map(|(x, t)| x * t).sum();
            values.extend(x);
            values.push(1.0);
            target.push(match family {
                Family::Linear => score + 0.5 * draws.normal(),
                Family::Logistic => {
                    f64::from(u8::from(draws.unit() < 1.0 / (1.0 + (-score).exp())))
                }
                Family::Poisson => (score.clamp(-2.0, 1.5).exp() * (0.5 + draws.unit())).round(),
                Family::Softmax => (score + 1.5 + 0.5 * draws.normal()).floor().clamp(0.0, 2.0),
            });
        }
        owners.push(Agent { name: format!("a{agent}"), rows: agent * 60..(agent + 1) * 60 });
    }
    let design = Design::dense(agents * 60, columns + 1, values).expect("finite");
    Federation::new(design, target, owners)
}

/// A predictor on columns as they are.
pub(crate) fn predictor(
    family: Family,
    columns: usize,
    (l2, radius): (f64, f64),
    parameters: Vec<f64>,
) -> Predictor {
    let classes = family.targets().most_classes().unwrap_or(CLASSES);
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
            exposure_column: None,
            classes: (0..classes).map(|k| k.to_string()).collect(),
            target_scale: None,
            intake: Intake::default(),
            features: (0..columns).map(feature).collect(),
        },
        parameters,
    }
}

/// An audit with equal weights and the same ceiling for everybody.
pub(crate) fn setup(predictor: Predictor, agents: usize, ceiling: &Ceiling) -> Setup {
    let agents = (0..agents).map(|agent| Participant {
        name: format!("a{agent}"),
        weight: 1.0,
        ceiling: ceiling.clone(),
        samples: 60,
    });
    let (agents, options) = (agents.collect(), Options::default());
    Setup { predictor: predictor.into(), agents, tolerance: 1e-6, task: Task::Audit, options }
}

/// Losses in the form that oracles use.
pub(crate) fn losses(
    federation: &Federation,
    family: Family,
    l2: f64,
) -> Box<dyn ConvexLosses + '_> {
    convex_losses(federation, family, CLASSES, l2)
}

/// Agents that tell the truth, without a budget.
pub(crate) fn honest(losses: &dyn ConvexLosses, radius: f64) -> Vec<RowOracle<'_>> {
    let account = Account::new(60, losses.dim(), None);
    (0..losses.agents()).map(|agent| RowOracle::new(losses, agent, radius, None, account)).collect()
}

/// Conducts a session with these agents.
pub(crate) fn ask(setup: Setup, oracles: &mut [RowOracle<'_>]) -> Outcome {
    let mut session = Session::new(setup).expect("good terms");
    let mut asked: Vec<&mut dyn Oracle> =
        oracles.iter_mut().map(|oracle| oracle as &mut dyn Oracle).collect();
    conduct(&mut session, &mut asked, &mut |_| ControlFlow::Continue(())).expect("true answers")
}

/// Equal weights.
pub(crate) fn equal(agents: usize) -> Weights {
    Weights::equal(agents)
}
