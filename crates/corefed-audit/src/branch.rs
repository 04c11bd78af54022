//! Branch and bound over coalitions, wherever bounds come from.
//!
//! A node fixes some agents inside, some outside, and leaves the rest undecided. `V` never grows
//! when a coalition does, so `w(inside + undecided) V(inside) / W` bounds every completion; where that
//! would be everybody, the lightest undecided agent stays behind (ledger E11).

use std::sync::Arc;

use corefed_core::Weights;

use crate::coalition::Coalition;
use crate::frontier::Frontier;
use crate::node::{Node, Reached};

/// Nodes worked on side by side. A constant, so that the search does not depend on the number of
/// cores.
const BATCH: usize = 16;

/// What a search stands on: bounds shared by all branches, and programs that give more of them.
pub trait Ground {
    /// A solved program, not yet learned from.
    type Program;

    /// The say of each agent.
    fn weights(&self) -> &Weights;

    /// Whether what is known closes every coalition that contains `members` and has at most this
    /// share; what closes them is then part of the proof.
    fn closes(&mut self, members: Coalition, share: f64) -> bool;

    /// What all of `members` gain at most; infinite where nothing is known.
    fn most(&self, members: Coalition) -> f64;

    /// Solves the programs that nodes still need; those that need none pass through.
    fn look(&mut self, nodes: Vec<Node>) -> Vec<(Node, Option<Self::Program>)>;

    /// Adds a solved program to what is known.
    fn learn(&mut self, members: Coalition, program: Self::Program) -> Reached;

    /// What the program of a coalition reached, if it was solved.
    fn reached(&self, members: Coalition) -> Option<Reached>;

    /// Lets a single coalition stand that nothing closed, or returns it to be looked at once more.
    fn settle(&mut self, node: &Node) -> Option<Node>;
}

/// The state of a search.
pub struct Search<G> {
    /// What it stands on.
    pub ground: G,
    open: Frontier,
    nodes: usize,
}

impl<G: Ground> Search<G> {
    /// Starts with every coalition of `agents`; their programs start from `start`.
    #[must_use]
    pub fn new(ground: G, agents: Coalition, start: &[f64]) -> Self {
        let mut search = Self { ground, open: Frontier::default(), nodes: 0 };
        search.wait(Node {
            inside: Coalition::EMPTY,
            undecided: agents,
            reached: None,
            start: Arc::new(start.to_vec()),
            settled: false,
        });
        search
    }

    /// Nodes that wait.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Nodes looked at.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The largest bound of a waiting node; zero without any.
    #[must_use]
    pub fn weakest(&self) -> f64 {
        self.open.weakest()
    }

    /// What it stood on, and the nodes that still wait.
    #[must_use]
    pub fn into_parts(self) -> (G, Vec<Node>) {
        (self.ground, self.open.into_nodes())
    }

    /// Works on the next nodes.
    pub fn advance(&mut self) {
        let batch = self.open.next(BATCH);
        self.nodes += batch.len();
        let open: Vec<Node> = batch.into_iter().filter_map(|node| self.prune(node)).collect();
        for (mut node, program) in self.ground.look(open) {
            if let Some(program) = program {
                node.reached = Some(self.ground.learn(node.inside, program));
            }
            if let Some(node) = self.prune(node) {
                self.branch(&node);
            }
        }
    }

    /// Puts a node among those that wait, with what is known to bound it.
    fn wait(&mut self, node: Node) {
        // A coalition of a node with nobody inside has at most what one of its members has alone.
        let bound = if node.inside.is_empty() {
            let singles = node.undecided.members().map(|agent| Coalition::EMPTY.with(agent));
            singles.map(|single| self.ground.most(single)).fold(0.0, f64::max)
        } else {
            self.ground.most(node.inside)
        };
        let bound = node.share(self.ground.weights()) * bound;
        self.open.push(node, bound);
    }

    /// Drops undecided agents that cannot belong, then the node itself if its bound is worth
    /// nothing.
    fn prune(&mut self, mut node: Node) -> Option<Node> {
        loop {
            node.leave_somebody(self.ground.weights());
            let share = node.share(self.ground.weights());
            if !node.inside.is_empty() && self.ground.closes(node.inside, share) {
                return None;
            }
            let before = node.undecided;
            for agent in before.members() {
                if self.ground.closes(node.inside.with(agent), share) {
                    node.undecided = node.undecided.without(agent);
                }
            }
            if node.inside.is_empty() && node.undecided.is_empty() {
                return None;
            }
            if node.undecided == before {
                return Some(node);
            }
        }
    }

    /// Splits on the agent that agrees least with those inside, so that one side closes soon.
    fn branch(&mut self, node: &Node) {
        let agreement = |agent: usize| self.ground.most(node.inside.with(agent));
        let Some(agent) =
            node.undecided.members().min_by(|&a, &b| agreement(a).total_cmp(&agreement(b)))
        else {
            if let Some(again) = self.ground.settle(node) {
                self.wait(again);
            }
            return;
        };
        let undecided = node.undecided.without(agent);
        let start = node.reached.as_ref().map_or(&node.start, |reached| &reached.params);
        let inside = node.inside.with(agent);
        let without = Node { undecided, ..node.clone() };
        let with = Node {
            inside,
            undecided,
            reached: self.ground.reached(inside),
            start: Arc::clone(start),
            settled: false,
        };
        self.wait(without);
        self.wait(with);
    }
}
