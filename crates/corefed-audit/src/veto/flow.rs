//! The largest flow from agents to models, in whole numbers.

use std::collections::VecDeque;
use std::ops::{AddAssign, SubAssign};

use num_traits::Zero;

/// Whole numbers that a flow is computed in: machine integers where they suffice.
pub(super) trait Amount: Clone + Ord + Zero + AddAssign + SubAssign {}

impl<N: Clone + Ord + Zero + AddAssign + SubAssign> Amount for N {}

/// What was sent, and who could not send everything.
pub(super) struct Flow<N> {
    /// `sent[agent][model]`.
    pub(super) sent: Vec<Vec<N>>,
    /// Whether all of every share was sent.
    pub(super) complete: bool,
    /// Agents on the source's side of a smallest cut; nobody where the flow is complete.
    pub(super) short: Vec<usize>,
}

/// Sends as much of the shares to the models as their room allows; `may[agent]` lists the models an
/// agent may send to.
///
/// Augmenting paths by breadth-first search, after a greedy start that is nearly all of the work here.
pub(super) fn largest<N: Amount>(shares: &[N], room: &[N], may: &[Vec<usize>]) -> Flow<N> {
    let mut left = shares.to_vec();
    let mut room = room.to_vec();
    let mut sent = vec![vec![N::zero(); room.len()]; shares.len()];
    for (agent, models) in may.iter().enumerate() {
        for &model in models {
            let part = left[agent].clone().min(room[model].clone());
            left[agent] -= part.clone();
            room[model] -= part.clone();
            sent[agent][model] += part;
        }
    }
    loop {
        let search = search(&left, &room, &sent, may);
        let Some(end) = search.end else {
            let short = (0..shares.len()).filter(|&agent| search.agents[agent].is_some());
            let short: Vec<usize> = short.collect();
            return Flow { sent, complete: short.is_empty(), short };
        };
        augment(&mut left, &mut room, &mut sent, &search, end);
    }
}

/// How an agent was reached: it has something left, or it can take back from a model.
#[derive(Clone, Copy)]
enum Reached {
    Start,
    From(usize),
}

struct Search {
    agents: Vec<Option<Reached>>,
    /// The agent that a model was reached from.
    models: Vec<Option<usize>>,
    /// A model with room, if one was reached.
    end: Option<usize>,
}

fn search<N: Amount>(left: &[N], room: &[N], sent: &[Vec<N>], may: &[Vec<usize>]) -> Search {
    let start = |left: &N| (!left.is_zero()).then_some(Reached::Start);
    let mut found = Search {
        agents: left.iter().map(start).collect(),
        models: vec![None; room.len()],
        end: None,
    };
    let mut queue: VecDeque<usize> =
        (0..left.len()).filter(|&agent| found.agents[agent].is_some()).collect();
    while let Some(agent) = queue.pop_front() {
        for &model in &may[agent] {
            if found.models[model].is_some() {
                continue;
            }
            found.models[model] = Some(agent);
            if !room[model].is_zero() {
                found.end = Some(model);
                return found;
            }
            for (other, parts) in sent.iter().enumerate() {
                if found.agents[other].is_none() && !parts[model].is_zero() {
                    found.agents[other] = Some(Reached::From(model));
                    queue.push_back(other);
                }
            }
        }
    }
    found
}

/// Moves as much as fits along the path that ends at a model with room.
fn augment<N: Amount>(
    left: &mut [N],
    room: &mut [N],
    sent: &mut [Vec<N>],
    search: &Search,
    end: usize,
) {
    // Steps backwards: an agent sends to a model, and takes as much back from the model before it.
    let mut path: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let mut part = room[end].clone();
    let mut at = Some(end);
    while let Some(model) = at {
        let Some(agent) = search.models[model] else { break };
        at = if let Some(Reached::From(before)) = search.agents[agent] {
            part = part.min(sent[agent][before].clone());
            Some(before)
        } else {
            part = part.min(left[agent].clone());
            None
        };
        path.push((agent, model, at));
    }
    room[end] -= part.clone();
    for (agent, model, before) in path {
        sent[agent][model] += part.clone();
        match before {
            Some(before) => sent[agent][before] -= part.clone(),
            None => left[agent] -= part.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_choice_is_given_up_where_that_lets_others_in() {
        // Agent 0 may use both, agent 1 only the first: greedy fills the first with agent 0.
        let flow = largest(&[2_i64, 2], &[2, 2], &[vec![0, 1], vec![0]]);
        assert!(flow.complete);
        assert_eq!(flow.sent, [[0, 2], [2, 0]]);
    }

    #[test]
    fn the_cut_names_those_who_have_too_little_room() {
        let flow = largest(&[2_i64, 2, 2], &[3, 3], &[vec![0], vec![0], vec![0, 1]]);
        assert!(!flow.complete);
        assert_eq!(flow.short, [0, 1]);
        let total: i64 = flow.sent.iter().flatten().sum();
        assert_eq!(total, 5);
    }
}
