//! A federation of chosen rows of another.

use crate::{Agent, Federation, Partition, PartitionError};

impl Federation {
    /// The same rows in other hands: row `i` of the partition is row `i` of the design matrix.
    /// Rows without an owner are left out.
    pub fn divided(&self, partition: &Partition) -> Result<Self, PartitionError> {
        let (drawn, present) = (partition.rows(), self.design().rows());
        if drawn != present {
            return Err(PartitionError::OtherRows { drawn, present });
        }
        let owned = partition.agents().iter().map(|agent| {
            (agent.name.as_str(), agent.rows.iter().map(|&row| row as usize).collect())
        });
        Ok(self.select(owned))
    }

    /// Agents with the rows listed for them, in the order listed; an agent without rows is
    /// left out, as a federation has none. Rows count the same in the new federation.
    pub(crate) fn select<'a>(&self, owned: impl Iterator<Item = (&'a str, Vec<usize>)>) -> Self {
        let mut agents = Vec::new();
        let mut rows = Vec::new();
        for (name, mut own) in owned.filter(|(_, own)| !own.is_empty()) {
            let start = rows.len();
            rows.append(&mut own);
            agents.push(Agent { name: name.to_owned(), rows: start..rows.len() });
        }
        let target = rows.iter().map(|&row| self.target()[row]).collect();
        let exposure = rows.iter().flat_map(|&row| self.exposure(row..row + 1)).copied().collect();
        Self::new(self.design().select(&rows), target, agents).with_exposure(exposure)
    }
}

#[cfg(test)]
mod tests {
    use crate::{AgentRows, Design, iid};
    use corefed_core::Seed;

    use super::*;

    fn federation() -> Federation {
        let dense = (0..5).map(f64::from).collect();
        let design = Design::new(5, 4, (1, dense), (2, [1, 3, 2, 3].repeat(3)[..10].to_vec()));
        let agents = vec![
            Agent { name: "a".to_owned(), rows: 0..2 },
            Agent { name: "b".to_owned(), rows: 2..5 },
        ];
        Federation::new(design.unwrap(), vec![0.0, 1.0, 0.0, 1.0, 1.0], agents)
    }

    #[test]
    fn rows_go_with_their_indicators_and_targets() {
        let one = AgentRows { name: "x".to_owned(), rows: vec![1, 4] };
        let two = AgentRows { name: "y".to_owned(), rows: vec![0] };
        let partition = Partition::new(5, vec![one, two]).unwrap();
        let divided = federation().divided(&partition).unwrap();
        assert_eq!(divided.design().dense_rows(0..3), [1.0, 4.0, 0.0]);
        assert_eq!(divided.design().hot_rows(0..3), [2, 3, 1, 3, 1, 3]);
        assert_eq!(divided.target(), [1.0, 1.0, 0.0]);
        assert_eq!(divided.agents()[1].rows, 2..3);
    }

    #[test]
    fn a_partition_of_other_rows_is_refused() {
        let partition = iid(6, 2, Seed(1)).unwrap();
        let error = federation().divided(&partition).unwrap_err();
        assert_eq!(error, PartitionError::OtherRows { drawn: 6, present: 5 });
    }
}
