//! The local map `phi_r`: where the mean gain is largest nearby.

use corefed_core::nash_coefficients;
use serde::{Deserialize, Serialize};

use crate::{Rivals, Search, SearchError};

/// Where bursts of local work led within a ball about the incumbent.
///
/// A heuristic: for losses that are not convex nothing says that the best point of the ball was
/// found. A displacement shows that the incumbent is not a fixed point; none shows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LocalMap {
    /// The radius of the ball.
    pub radius: f64,
    /// How far the best point found lies from the incumbent; zero if none is better.
    pub displacement: f64,
    /// `(1/W) sum_i w_i u_i(x)/u_i(theta)` there, at least one.
    pub mean_gain: f64,
    /// Bursts spent.
    pub bursts: usize,
}

impl<R: Rivals + ?Sized> Search<'_, R> {
    /// Looks for `argmax { sum_i w_i u_i(x)/u_i(theta) : |x - theta| <= r }` by bursts, each
    /// projected back onto the ball (ledger E18, E43). Everything it passes is offered as a
    /// rival, too.
    pub fn local_map(&mut self, radius: f64, bursts: usize) -> Result<LocalMap, SearchError> {
        if let Some(agent) = self.now.iter().position(|utility| *utility <= 0.0) {
            return Err(SearchError::NotPositive { agent, utility: self.now[agent] });
        }
        let pulls = nash_coefficients(&self.now, self.weights);
        let sum: f64 = pulls.iter().sum();
        let coefficients: Vec<f64> = pulls.iter().map(|pull| pull / sum).collect();
        let total = self.weights.total();
        let mut params = self.incumbent.to_vec();
        let mut map = LocalMap { radius, displacement: 0.0, mean_gain: 1.0, bursts: 0 };
        for burst in 0..bursts {
            self.bursts += 1;
            map.bursts += 1;
            let Some(next) = self.rivals.improve(&params, &coefficients, burst)? else { break };
            let (projected, displacement) = project(next, self.incumbent, radius);
            if !displacement.is_finite() {
                break;
            }
            params = projected;
            let then = self.offer("local map", &params)?.utilities;
            let mean_gain = pulls.iter().zip(&then).map(|(pull, u)| pull * u).sum::<f64>() / total;
            if mean_gain > map.mean_gain {
                (map.displacement, map.mean_gain) = (displacement, mean_gain);
            }
        }
        Ok(map)
    }
}

/// The nearest point of the ball about `centre`, and its distance from there.
fn project(mut params: Vec<f32>, centre: &[f32], radius: f64) -> (Vec<f32>, f64) {
    let squares = params.iter().zip(centre).map(|(x, c)| (f64::from(*x) - f64::from(*c)).powi(2));
    let distance = squares.sum::<f64>().sqrt();
    // A burst that overflowed has no distance, and is left as it is.
    if distance <= radius || !distance.is_finite() {
        return (params, distance);
    }
    let shrink = radius / distance;
    for (x, c) in params.iter_mut().zip(centre) {
        let c = f64::from(*c);
        #[expect(clippy::cast_possible_truncation, reason = "parameters are single precision")]
        let inside = (c + shrink * (f64::from(*x) - c)) as f32;
        *x = inside;
    }
    (params, radius)
}
