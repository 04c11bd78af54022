//! What agents report in rounds, over Flower or otherwise: losses and updates that may be anything.

use corefed_core::Weights;
use corefed_rules::{
    AtCeiling, CoreStep, Report, Rule, Safety, Server, ServerState, ServerStep, Update,
};

/// Parameters of the model.
const DIM: usize = 3;

/// Bytes, taken one number at a time; zeros when they end.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn bits<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    /// Any number at all, not-a-number included.
    fn any(&mut self) -> f64 {
        f64::from_le_bytes(self.bits())
    }

    fn any_f32(&mut self) -> f32 {
        f32::from_le_bytes(self.bits())
    }
}

/// A server with rule, safeguards and terms from the first bytes, and rounds of reports from the others.
/// Whatever is reported, coefficients stay finite and not negative, and so does what is remembered.
pub(crate) fn replies(bytes: &[u8]) {
    let mut from = Numbers(bytes);
    let Some((server, agents)) = server(&mut from) else { return };
    let mut state: ServerState<f32> = server.init();
    let mut params = [0.0_f32; DIM];
    for _ in 0..4 {
        let cohort = usize::from(from.byte() % 6);
        let reports: Vec<Report> = (0..cohort)
            .map(|_| {
                let (agent, samples) = (usize::from(from.byte()) % (agents + 1), 1);
                Report { agent, samples, loss: from.any() }
            })
            .collect();
        let deltas: Vec<[f32; DIM]> =
            (0..cohort).map(|_| std::array::from_fn(|_| from.any_f32())).collect();
        let updates: Vec<Update<'_, f32>> = reports
            .iter()
            .zip(&deltas)
            .map(|(report, delta)| Update::measured(*report, delta))
            .collect();
        let Ok(applied) = server.apply(&mut state, &mut params, &updates, 0.1) else { continue };
        for (agent, coefficient) in &applied.coefficients {
            assert!(
                coefficient.is_finite() && *coefficient >= 0.0,
                "agent {agent} is folded with {coefficient}"
            );
        }
        let kept = [&state.multipliers, &state.ceilings, &state.utilities];
        assert!(kept.iter().all(|kept| kept.iter().all(|value| value.is_finite())), "{state:?}");
    }
}

fn server(from: &mut Numbers<'_>) -> Option<(Server, usize)> {
    let step = CoreStep::NAMES[usize::from(from.byte()) % CoreStep::NAMES.len()].1;
    let rule = match from.byte() % 8 {
        0 => Rule::Fedavg,
        1 => Rule::Corefed { step, memory: from.any() },
        2 => Rule::Propfair,
        3 => Rule::Afl { gamma: from.any() },
        4 => Rule::Qffl { q: from.any() },
        5 => Rule::Term { t: from.any() },
        6 => Rule::Fedmgda { epsilon: from.any() },
        _ => Rule::NashMtl,
    };
    let at_ceiling = AtCeiling::NAMES[usize::from(from.byte()) % AtCeiling::NAMES.len()].1;
    let usual = from.byte().is_multiple_of(2);
    let safety = if usual {
        Safety { at_ceiling, ..Safety::DEFAULT }
    } else {
        Safety {
            at_ceiling,
            floor: from.any(),
            weight_cap: from.any(),
            share_cap: from.any(),
            clip: from.any(),
        }
    };
    let agents = usize::from(from.byte() % 4) + 1;
    let weights: Vec<f64> = (0..agents).map(|_| if usual { 1.0 } else { from.any() }).collect();
    let ceilings: Vec<f64> = (0..agents).map(|_| if usual { 2.0 } else { from.any() }).collect();
    let weights = Weights::new(weights).ok()?;
    let server = Server::new(rule, safety, ServerStep::DEFAULT, &weights, ceilings).ok()?;
    Some((server, agents))
}
