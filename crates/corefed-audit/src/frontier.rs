//! Nodes of a search that wait for their turn.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::node::Node;

/// Waiting nodes from which on the weakest bound comes first.
const WIDE: usize = 64;

/// A narrow search goes deep first. Once it is wide, the node with the weakest bound is next: its conflicts
/// have few agents, so they prune most elsewhere, and the proven upper end falls from batch to batch.
#[derive(Default)]
pub(crate) struct Frontier {
    /// While the search is narrow, with their bounds.
    stack: Vec<Waiting>,
    /// Once it is wide.
    heap: BinaryHeap<Waiting>,
    pushed: usize,
}

/// A node and what bounds its coalitions.
struct Waiting {
    bound: f64,
    /// Of two equal bounds the later one is next.
    number: usize,
    node: Node,
}

impl Frontier {
    pub(crate) fn push(&mut self, node: Node, bound: f64) {
        self.pushed += 1;
        let waiting = Waiting { bound, number: self.pushed, node };
        if self.heap.is_empty() {
            self.stack.push(waiting);
        } else {
            self.heap.push(waiting);
        }
    }

    /// The nodes to look at next, `most` of them at most.
    pub(crate) fn next(&mut self, most: usize) -> Vec<Node> {
        if self.stack.len() > WIDE {
            self.heap.extend(self.stack.drain(..));
        }
        let from = self.stack.len().saturating_sub(most);
        let deep = self.stack.drain(from..).map(|waiting| waiting.node);
        let mut nodes: Vec<Node> = deep.collect();
        let rest = most - nodes.len();
        nodes.extend((0..rest).map_while(|_| self.heap.pop()).map(|waiting| waiting.node));
        nodes
    }

    pub(crate) fn len(&self) -> usize {
        self.stack.len() + self.heap.len()
    }

    /// The largest bound of a waiting node; zero without any.
    pub(crate) fn weakest(&self) -> f64 {
        let waiting = self.stack.iter().chain(self.heap.peek());
        waiting.map(|waiting| waiting.bound).fold(0.0, f64::max)
    }

    /// Whatever waits, in the order in which it came.
    pub(crate) fn into_nodes(self) -> Vec<Node> {
        let mut waiting = self.stack;
        waiting.extend(self.heap);
        waiting.sort_by_key(|waiting| waiting.number);
        waiting.into_iter().map(|waiting| waiting.node).collect()
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coalition::Coalition;
    use std::sync::Arc;

    fn node(agent: usize) -> Node {
        Node {
            inside: Coalition::EMPTY.with(agent),
            undecided: Coalition::EMPTY,
            reached: None,
            start: Arc::new(Vec::new()),
            settled: false,
        }
    }

    fn agents(nodes: &[Node]) -> Vec<usize> {
        nodes.iter().flat_map(|node| node.inside.members()).collect()
    }

    #[test]
    fn few_nodes_are_a_stack_and_many_are_sorted_by_bound() {
        let mut few = Frontier::default();
        for (agent, bound) in [(0, 3.0), (1, 1.0), (2, 2.0)] {
            few.push(node(agent), bound);
        }
        assert!((few.weakest() - 3.0).abs() < 1e-15);
        assert_eq!(agents(&few.next(2)), [1, 2]);
        let mut many = Frontier::default();
        for agent in 0..=WIDE {
            many.push(node(agent), (agent % 40) as f64);
        }
        // Bounds 39, then 38, are the weakest; of two 24s the later one comes first.
        assert_eq!(agents(&many.next(2)), [39, 38]);
        many.push(node(100), 1e9);
        assert_eq!(agents(&many.next(1)), [100]);
        let next = agents(&many.next(15));
        assert_eq!(next[13..], [64, 24]);
        assert_eq!(many.len(), WIDE + 1 - 17);
        let rest = agents(&many.into_nodes());
        assert!(rest.is_sorted(), "{rest:?}");
    }
}
