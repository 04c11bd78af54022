//! The questions of one round, put together from what is wanted where.

use std::collections::BTreeSet;

use corefed_core::Conflict;

use crate::bundle::{Bundle, distance};
use crate::case::Case;
use crate::questions::{Asked, Questions};

/// Conflicts up to which points beside each are asked as well: few are left, and rounds cost most.
const TAIL: usize = 10;
/// Where: this far from the nearest point known towards the one wanted.
const BESIDE: [f64; 3] = [0.5, 0.8, 1.3];
/// Points within this share of the radius are the same.
const NEAR: f64 = 1e-9;

/// What is wanted at one point besides losses.
struct Want {
    point: Vec<f64>,
    /// How much it matters: a share times a gain.
    worth: f64,
    gradients: BTreeSet<usize>,
    hessians: BTreeSet<usize>,
}

/// Points for one round.
#[derive(Default)]
pub(crate) struct Batch {
    wants: Vec<Want>,
}

impl Batch {
    /// Wants gradients and Hessians of some agents at a point.
    pub(crate) fn want(
        &mut self,
        point: &[f64],
        worth: f64,
        gradients: &[usize],
        hessians: &[usize],
    ) {
        let at = self.wants.iter().position(|want| want.point == point).unwrap_or_else(|| {
            let (gradients, hessians) = (BTreeSet::new(), BTreeSet::new());
            self.wants.push(Want { point: point.to_vec(), worth, gradients, hessians });
            self.wants.len() - 1
        });
        let want = &mut self.wants[at];
        want.worth = want.worth.max(worth);
        want.gradients.extend(gradients);
        want.hessians.extend(hessians);
    }

    /// Wants the tangents that conflicts wait for; Hessians too where `bent` says so.
    pub(crate) fn conflicts(
        &mut self,
        case: &Case,
        bundle: &Bundle,
        conflicts: &[Conflict],
        bent: &[bool],
    ) {
        for (conflict, &bent) in conflicts.iter().zip(bent) {
            let agents = &conflict.agents;
            let worth = case.weights.share(agents) * conflict.bound;
            let hessians = if bent { agents.as_slice() } else { &[] };
            self.want(&conflict.point, worth, agents, hessians);
            if conflicts.len() > TAIL {
                continue;
            }
            let from = |&agent: &usize| bundle.nearest(agent, &conflict.point);
            let near = agents.iter().filter_map(from).min_by(|a, b| {
                distance(a.at, &conflict.point).total_cmp(&distance(b.at, &conflict.point))
            });
            let Some(near) = near else { continue };
            // Beside a point that is known, towards it from nowhere.
            let zero = vec![0.0; conflict.point.len()];
            let known = distance(near.at, &conflict.point).sqrt() <= NEAR * case.radius();
            let from = if known { &zero } else { near.at };
            for part in BESIDE {
                let pairs = from.iter().zip(&conflict.point);
                let beside: Vec<f64> = pairs.map(|(y, goal)| y + part * (goal - y)).collect();
                self.want(&case.ball.project(&beside), 0.0, agents, &[]);
            }
        }
    }

    /// The questions, the weightiest points first if there are more than `most`. What agents have
    /// answered before is not asked again; `None` where nothing is left.
    pub(crate) fn questions(
        mut self,
        bundle: &Bundle,
        silent: &[bool],
        most: usize,
    ) -> Option<Questions> {
        let known = |agent: usize, want: &Want| {
            bundle.place(&want.point).and_then(|place| bundle.at(agent, place))
        };
        let agents: Vec<usize> = (0..silent.len()).filter(|&agent| !silent[agent]).collect();
        for want in &mut self.wants {
            let (mut gradients, mut hessians) = (BTreeSet::new(), BTreeSet::new());
            for &agent in &agents {
                let known = known(agent, want);
                if want.gradients.contains(&agent)
                    && known.is_none_or(|known| known.gradient.is_none())
                {
                    gradients.insert(agent);
                }
                if want.hessians.contains(&agent)
                    && known.is_none_or(|known| known.hessian.is_none())
                {
                    hessians.insert(agent);
                }
            }
            (want.gradients, want.hessians) = (gradients, hessians);
        }
        self.wants.retain(|want| {
            let news = agents.iter().any(|&agent| known(agent, want).is_none());
            news || !want.gradients.is_empty() || !want.hessians.is_empty()
        });
        if self.wants.len() > most {
            self.wants.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            self.wants.truncate(most);
        }
        let wants = &self.wants;
        let asked = |agent: usize| {
            let at = |of: fn(&Want) -> &BTreeSet<usize>| {
                (0..wants.len()).filter(|&k| of(&wants[k]).contains(&agent)).collect()
            };
            let (gradients, hessians) = (at(|want| &want.gradients), at(|want| &want.hessians));
            (!silent[agent]).then_some(Asked { gradients, hessians, own: false, ceiling: false })
        };
        let asked: Vec<_> = (0..silent.len()).map(asked).collect();
        let points: Vec<Vec<f64>> = wants.iter().map(|want| want.point.clone()).collect();
        (!points.is_empty()).then_some(Questions { round: 0, points, asked })
    }
}
