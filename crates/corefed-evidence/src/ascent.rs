//! Climbing: training for the worst-off member of a coalition, then asking which coalition it
//! suits best.

use corefed_core::{Seed, below};

use crate::witness::Start;
use crate::{Rivals, Search, SearchError};

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ascent {
    /// Bursts of local work for one coalition.
    pub bursts: usize,
    /// How often the coalition may change on the way up.
    pub changes: usize,
    /// Random coalitions to climb for, from the incumbent, besides those of the best rivals.
    pub random: usize,
    /// Draws them.
    pub seed: Seed,
}

impl<R: Rivals + ?Sized> Search<'_, R> {
    /// Climbs from the best rival of every remembered coalition, then for random coalitions
    /// (ledger E43).
    ///
    /// A heuristic: for concave utilities and long bursts it comes near the best a coalition can
    /// do, for networks it finds what it finds.
    pub fn climb(&mut self, ascent: &Ascent) -> Result<(), SearchError> {
        let (incumbent, agents) = (self.incumbent, self.now.len());
        let from_incumbent = |coalition: Vec<usize>| {
            let (name, params) = ("incumbent".to_owned(), incumbent.to_vec());
            Start { name, params, coalition, kappa: 1.0 }
        };
        // An agent with nothing leaves for anything: the cheapest witness there is.
        for agent in 0..agents {
            if self.now[agent] <= 0.0 {
                self.climb_from(from_incumbent(vec![agent]), ascent)?;
            }
        }
        // Whether everybody can gain at once is a question of its own: nobody remembers a rival for
        // it, because everybody does not leave.
        let everybody: Vec<usize> = (0..agents).collect();
        self.climb_from(from_incumbent(everybody.clone()), ascent)?;
        let mut tried = vec![everybody];
        for start in self.starts() {
            tried.push(start.coalition.clone());
            self.climb_from(start, ascent)?;
        }
        let mut rng = ascent.seed.derive("coalitions").rng();
        for _ in 0..ascent.random {
            let drawn: Vec<usize> = (0..agents).filter(|_| below(&mut rng, 2) == 1).collect();
            if !drawn.is_empty() && !tried.contains(&drawn) {
                self.climb_from(from_incumbent(drawn.clone()), ascent)?;
                tried.push(drawn);
            }
        }
        Ok(())
    }

    fn climb_from(&mut self, start: Start, ascent: &Ascent) -> Result<(), SearchError> {
        let Start { name, mut params, mut coalition, .. } = start;
        for _ in 0..=ascent.changes {
            if self.is_settled() {
                return Ok(());
            }
            let label = format!("climb from `{name}` for {}", self.members(&coalition));
            let Some(top) = self.climb_for(&label, params, &coalition, ascent.bursts)? else {
                return Ok(());
            };
            if top.coalition == coalition || top.coalition.is_empty() {
                return Ok(());
            }
            (params, coalition) = (top.params, top.coalition);
        }
        Ok(())
    }

    /// Bursts for one coalition; the model at which some coalition secures most.
    fn climb_for(
        &mut self,
        label: &str,
        mut params: Vec<f32>,
        coalition: &[usize],
        bursts: usize,
    ) -> Result<Option<Start>, SearchError> {
        let mut multipliers = Multipliers::new(coalition.len());
        let mut top: Option<Start> = None;
        for burst in 0..bursts {
            let coefficients = self.coefficients(coalition, &multipliers.values);
            self.bursts += 1;
            let Some(next) = self.rivals.improve(&params, &coefficients, burst)? else { break };
            params = next;
            let standing = self.offer(label, &params)?;
            if self.is_settled() {
                return Ok(None);
            }
            if top.as_ref().is_none_or(|top| standing.kappa > top.kappa) {
                let (name, params) = (label.to_owned(), params.clone());
                let (coalition, kappa) = (standing.coalition, standing.kappa);
                top = Some(Start { name, params, coalition, kappa });
            }
            let gains: Vec<f64> =
                coalition.iter().map(|&i| standing.utilities[i] / self.scale(i)).collect();
            if !gains.iter().all(|gain| gain.is_finite()) {
                break;
            }
            multipliers.follow(&gains);
        }
        Ok(top)
    }

    /// `p_i / u_i` for members, zero for others, summing to one: the gradient of the mean gain.
    fn coefficients(&self, coalition: &[usize], multipliers: &[f64]) -> Vec<f64> {
        let mut coefficients = vec![0.0; self.now.len()];
        for (&agent, p) in coalition.iter().zip(multipliers) {
            coefficients[agent] = p / self.scale(agent);
        }
        let sum: f64 = coefficients.iter().sum();
        coefficients.iter().map(|c| c / sum).collect()
    }

    /// What a utility is measured by: the incumbent's, or one where that is nothing.
    fn scale(&self, agent: usize) -> f64 {
        if self.now[agent] > 0.0 { self.now[agent] } else { 1.0 }
    }
}

/// A soft minimum over everything seen: members that gained least so far count most.
///
/// A soft minimum of the last gains alone swings from member to member when bursts are long.
/// Exponential weights of summed gains settle, with a step that shrinks as the gains keep
/// differing (ledger E43).
struct Multipliers {
    values: Vec<f64>,
    sums: Vec<f64>,
    spread: f64,
}

impl Multipliers {
    fn new(members: usize) -> Self {
        let values = vec![1.0 / members as f64; members];
        Self { values, sums: vec![0.0; members], spread: 0.0 }
    }

    fn follow(&mut self, gains: &[f64]) {
        let mean: f64 = self.values.iter().zip(gains).map(|(p, r)| p * r).sum();
        let squares = self.values.iter().zip(gains).map(|(p, r)| p * (r - mean).powi(2));
        self.spread += squares.sum::<f64>();
        if self.spread <= 0.0 {
            return;
        }
        let step = 1.0 / self.spread.sqrt();
        for (sum, gain) in self.sums.iter_mut().zip(gains) {
            *sum += step * (gain - mean);
        }
        let least = self.sums.iter().copied().fold(f64::INFINITY, f64::min);
        for (value, sum) in self.values.iter_mut().zip(&self.sums) {
            *value = (least - sum).exp();
        }
        let total: f64 = self.values.iter().sum();
        for value in &mut self.values {
            *value /= total;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_keeps_gaining_least_counts_most() {
        let mut multipliers = Multipliers::new(3);
        for _ in 0..30 {
            multipliers.follow(&[1.0, 2.0, 2.0]);
        }
        let [first, second, third] = multipliers.values[..] else { panic!("three members") };
        assert!(first > 0.99, "{first}");
        assert_eq!(second, third);
        // Once the others fall behind, they catch up.
        for _ in 0..60 {
            multipliers.follow(&[2.0, 1.0, 1.0]);
        }
        assert!(multipliers.values[0] < first - 0.1, "{:?}", multipliers.values);
    }

    #[test]
    fn multipliers_do_not_depend_on_the_unit_or_the_level_of_gains() {
        let follow = |scale: f64, shift: f64| {
            let mut multipliers = Multipliers::new(2);
            for gains in [[0.5, 1.0], [0.75, 0.625], [0.5, 0.875]] {
                multipliers.follow(&gains.map(|gain| shift + scale * gain));
            }
            multipliers.values
        };
        for (scale, shift) in [(8.0, 0.0), (1.0, 3.0), (0.25, -2.0)] {
            let (here, there) = (follow(1.0, 0.0), follow(scale, shift));
            assert!((here[0] - there[0]).abs() < 1e-12, "{here:?} {there:?}");
        }
    }

    #[test]
    fn equal_gains_leave_equal_multipliers() {
        let mut multipliers = Multipliers::new(4);
        multipliers.follow(&[1.25; 4]);
        assert_eq!(multipliers.values, [0.25; 4]);
    }
}
