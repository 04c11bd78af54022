//! Fixed runs of rows, the unit of work of every pass.
//!
//! Sums are formed per chunk and added up in the order of chunks. The cut depends on the agents
//! alone, so the result has the same bits on any number of threads.

use std::ops::Range;

use corefed_data::Agent;

/// Rows of a chunk: enough work to hide a hand-over between threads, few enough that a
/// federation of ordinary size keeps every core busy.
pub(crate) const CHUNK: usize = 1024;

/// Some rows of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Position of the agent in the list of members.
    pub(crate) member: usize,
    /// Rows of the design matrix.
    pub(crate) rows: Range<usize>,
    /// Whether these are the agent's first rows.
    pub(crate) first: bool,
}

/// The chunks of some agents, in order.
pub(crate) fn chunks(agents: &[Agent], members: &[usize]) -> Vec<Chunk> {
    let mut chunks = Vec::with_capacity(members.len());
    for (member, &agent) in members.iter().enumerate() {
        let Range { start, end } = agents[agent].rows;
        chunks.extend((start..end).step_by(CHUNK).map(|first_row| Chunk {
            member,
            rows: first_row..end.min(first_row + CHUNK),
            first: first_row == start,
        }));
    }
    chunks
}

/// Splits chunks into runs of at least [`CHUNK`] rows, the last one perhaps smaller.
///
/// For sums over all members: a matrix per small agent would cost more than the agent.
pub(crate) fn parcels(chunks: &[Chunk]) -> Vec<&[Chunk]> {
    let mut rows = 0;
    let mut parcels = Vec::new();
    let mut start = 0;
    for (k, chunk) in chunks.iter().enumerate() {
        rows += chunk.rows.len();
        if rows >= CHUNK || k + 1 == chunks.len() {
            parcels.push(&chunks[start..=k]);
            (start, rows) = (k + 1, 0);
        }
    }
    parcels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(samples: &[usize]) -> Vec<Agent> {
        let mut next = 0;
        let owner = |(k, &m): (usize, &usize)| {
            next += m;
            Agent { name: k.to_string(), rows: next - m..next }
        };
        samples.iter().enumerate().map(owner).collect()
    }

    #[test]
    fn chunks_cover_members_and_never_cross_agents() {
        let agents = agents(&[10, 2500, 7]);
        let chunk = |member, rows, first| Chunk { member, rows, first };
        assert_eq!(
            chunks(&agents, &[1, 2]),
            [
                chunk(0, 10..1034, true),
                chunk(0, 1034..2058, false),
                chunk(0, 2058..2510, false),
                chunk(1, 2510..2517, true),
            ]
        );
    }

    #[test]
    fn parcels_join_small_agents() {
        let agents = agents(&[500; 5]);
        let chunks = chunks(&agents, &[0, 1, 2, 3, 4]);
        let sizes: Vec<_> = parcels(&chunks).iter().map(|parcel| parcel.len()).collect();
        assert_eq!(sizes, [3, 2]);
        assert!(parcels(&[]).is_empty());
    }
}
