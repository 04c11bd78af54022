//! What must hold for every split, against the definitions.

use std::collections::BTreeSet;

use corefed_core::Seed;
use corefed_data::{
    Method, Partition, PartitionError, PartitionFile, by_groups, iid, label_dirichlet,
    quantity_skew, shards,
};
use proptest::prelude::*;

/// Every row of the data has exactly one owner, by counting.
fn every_row_once(partition: &Partition) -> bool {
    let mut counts = vec![0; partition.rows()];
    for agent in partition.agents() {
        assert!(agent.rows.is_sorted());
        agent.rows.iter().for_each(|&row| counts[row as usize] += 1);
    }
    counts.iter().all(|&count| count == 1) && partition.is_complete()
}

fn sizes(partition: &Partition) -> Vec<usize> {
    partition.agents().iter().map(|agent| agent.rows.len()).collect()
}

/// Pairs of an agent and a label it sees.
fn pieces(partition: &Partition, labels: &[u32]) -> Vec<usize> {
    let seen =
        |rows: &[u32]| rows.iter().map(|&row| labels[row as usize]).collect::<BTreeSet<_>>().len();
    partition.agents().iter().map(|agent| seen(&agent.rows)).collect()
}

fn labels() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0_u32..6, 1..300)
}

proptest! {
    #[test]
    fn iid_gives_every_row_once_in_equal_sizes(
        rows in 1_usize..500, agents in 1_usize..40, seed: u64,
    ) {
        prop_assume!(agents <= rows);
        let partition = iid(rows, agents, Seed(seed)).unwrap();
        prop_assert!(every_row_once(&partition));
        let sizes = sizes(&partition);
        prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        prop_assert_eq!(partition, iid(rows, agents, Seed(seed)).unwrap());
    }

    #[test]
    fn label_dirichlet_gives_every_row_once_and_the_minimum(
        labels in labels(), agents in 1_usize..8, alpha in 0.05..20.0, min in 1_usize..10,
        seed: u64,
    ) {
        let draw = || label_dirichlet(&labels, 6, agents, alpha, min, Seed(seed));
        match draw() {
            Ok(partition) => {
                prop_assert!(every_row_once(&partition));
                prop_assert_eq!(partition.agents().len(), agents);
                prop_assert!(sizes(&partition).into_iter().all(|size| size >= min));
                prop_assert_eq!(Ok(partition), draw());
            }
            Err(PartitionError::TooFewRows { .. }) => prop_assert!(agents * min > labels.len()),
            Err(PartitionError::Unlucky { best, minimum, .. }) => prop_assert!(best < minimum),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn quantity_skew_gives_every_row_once_and_the_minimum(
        rows in 1_usize..500, agents in 1_usize..8, alpha in 0.05..20.0, min in 1_usize..10,
        seed: u64,
    ) {
        let draw = || quantity_skew(rows, agents, alpha, min, Seed(seed));
        match draw() {
            Ok(partition) => {
                prop_assert!(every_row_once(&partition));
                prop_assert!(sizes(&partition).into_iter().all(|size| size >= min));
                prop_assert_eq!(Ok(partition), draw());
            }
            Err(PartitionError::TooFewRows { .. }) => prop_assert!(agents * min > rows),
            Err(PartitionError::Unlucky { best, minimum, .. }) => prop_assert!(best < minimum),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn shards_give_every_row_once_and_few_labels(
        labels in labels(), agents in 1_usize..20, each in 1_usize..4, seed: u64,
    ) {
        prop_assume!(agents * each <= labels.len());
        let partition = shards(&labels, agents, each, Seed(seed)).unwrap();
        prop_assert!(every_row_once(&partition));
        let pieces = pieces(&partition, &labels);
        let boundaries = labels.iter().collect::<BTreeSet<_>>().len() - 1;
        // One label per shard, and one more for every boundary between labels: for one agent
        // at worst, and for all of them together.
        prop_assert!(pieces.iter().all(|&seen| seen <= each + boundaries));
        prop_assert!(pieces.iter().sum::<usize>() <= agents * each + boundaries);
        prop_assert_eq!(partition, shards(&labels, agents, each, Seed(seed)).unwrap());
    }

    #[test]
    fn groups_give_every_row_to_its_name(names in prop::collection::vec("[a-e]", 2..100)) {
        match by_groups(&names) {
            Ok(partition) => {
                prop_assert!(every_row_once(&partition));
                for agent in partition.agents() {
                    prop_assert!(agent.rows.iter().all(|&row| names[row as usize] == agent.name));
                }
            }
            Err(error) => prop_assert!(names.iter().all(|name| *name == names[0]), "{}", error),
        }
    }

    #[test]
    fn files_read_back_equal(rows in 4_usize..100, agents in 1_usize..5, seed: u64) {
        let partition = iid(rows, agents, Seed(seed)).unwrap();
        let method = Method::Iid { agents };
        let file = PartitionFile::new(method, Seed(seed), "0".repeat(64), partition).unwrap();
        let again = PartitionFile::parse("p.json", file.to_json().as_bytes()).unwrap();
        prop_assert_eq!(again.to_json(), file.to_json());
        prop_assert_eq!(again, file);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(
        text in "[\\[\\]{}:,\"a-z0-9.-]{0,80}", position: prop::sample::Index, byte: u8,
    ) {
        let _ = PartitionFile::parse("p.json", text.as_bytes());
        let partition = iid(12, 3, Seed(1)).unwrap();
        let method = Method::QuantitySkew { agents: 3, alpha: 0.5, min_samples: 1 };
        let file = PartitionFile::new(method, Seed(1), "0".repeat(64), partition).unwrap();
        let mut bytes = file.to_json().into_bytes();
        let position = position.index(bytes.len());
        let before = std::mem::replace(&mut bytes[position], byte);
        // What still parses means the same: white space, or the byte that was there.
        if let Ok(read) = PartitionFile::parse("p.json", &bytes) {
            prop_assert_eq!(read, file, "{} became {}", before, byte);
        }
    }

    #[test]
    fn no_document_makes_the_reader_panic(
        rows in any::<u64>(),
        agents in prop::collection::vec(("[ab]?", prop::collection::vec(any::<u32>(), 0..4)), 0..4),
    ) {
        let agents: Vec<_> = agents
            .into_iter()
            .map(|(name, rows)| serde_json::json!({"name": name, "rows": rows}))
            .collect();
        let document = serde_json::json!({
            "format": "corefed-partition", "version": 1, "method": {"kind": "given"}, "seed": 0,
            "data": "0".repeat(64), "rows": rows, "agents": agents, "digest": "",
        });
        prop_assert!(PartitionFile::parse("p.json", document.to_string().as_bytes()).is_err());
    }
}

#[test]
fn another_seed_gives_another_split() {
    let labels: Vec<u32> = (0..200).map(|row| row % 4).collect();
    let draw = |seed| {
        [
            iid(200, 5, Seed(seed)).unwrap(),
            label_dirichlet(&labels, 4, 5, 1.0, 1, Seed(seed)).unwrap(),
            shards(&labels, 5, 2, Seed(seed)).unwrap(),
            quantity_skew(200, 5, 1.0, 1, Seed(seed)).unwrap(),
        ]
    };
    for (one, two) in draw(1).iter().zip(&draw(2)) {
        assert_ne!(one, two);
    }
}

/// Mean and variance of the share of the first agent over many seeds.
fn moments(shares: &[f64]) -> (f64, f64) {
    let n = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / n;
    (mean, shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / n)
}

/// Five standard errors about the moments of a share of the symmetric Dirichlet distribution.
/// A share lies in 0..1, so its fourth central moment is at most its second.
fn assert_dirichlet(shares: &[f64], agents: f64, alpha: f64) {
    let (mean, variance) = moments(shares);
    let centre = 1.0 / agents;
    let expected = centre * (1.0 - centre) / (agents * alpha + 1.0);
    let tolerance = 5.0 * (expected / shares.len() as f64).sqrt();
    assert!((mean - centre).abs() < tolerance, "mean {mean}, not {centre}");
    assert!((variance - expected).abs() < tolerance, "variance {variance}, not {expected}");
}

#[test]
fn shares_of_a_class_have_dirichlet_moments() {
    // Many rows, so that rounding down to whole rows is far below the tolerance, and a second
    // class, which makes the minimum of one row nearly free. A share of class zero is measured.
    let labels: Vec<u32> = (0..4_000).map(|row| row % 40).collect();
    let (agents, alpha) = (4, 2.0);
    let share = |seed| {
        let partition = label_dirichlet(&labels, 40, agents, alpha, 1, Seed(seed)).unwrap();
        let rows = &partition.agents()[1].rows;
        rows.iter().filter(|&&row| labels[row as usize] == 0).count() as f64 / 100.0
    };
    let shares: Vec<f64> = (0..4_000).map(share).collect();
    assert_dirichlet(&shares, 4.0, alpha);
}

#[test]
fn sizes_under_quantity_skew_have_dirichlet_moments() {
    let share = |seed| {
        let partition = quantity_skew(2_000, 4, 3.0, 1, Seed(seed)).unwrap();
        partition.agents()[2].rows.len() as f64 / 2_000.0
    };
    let shares: Vec<f64> = (0..4_000).map(share).collect();
    assert_dirichlet(&shares, 4.0, 3.0);
}

#[test]
fn a_large_alpha_is_even_and_a_small_one_is_not() {
    let labels: Vec<u32> = (0..10_000).map(|row| row % 10).collect();
    let seen = |alpha| {
        let partition = label_dirichlet(&labels, 10, 10, alpha, 1, Seed(1)).unwrap();
        pieces(&partition, &labels).iter().sum::<usize>()
    };
    let (even, uneven) = (seen(1e6), seen(0.05));
    assert_eq!(even, 100);
    assert!(uneven < 60, "{uneven}");
}

#[test]
fn two_shards_of_whole_classes_are_two_labels_at_most() {
    // A hundred rows of each of ten classes in twenty shards: no shard crosses a boundary.
    let labels: Vec<u32> = (0..1_000).map(|row| row % 10).collect();
    let partition = shards(&labels, 10, 2, Seed(3)).unwrap();
    assert!(pieces(&partition, &labels).into_iter().all(|seen| seen <= 2));
    assert!(sizes(&partition).into_iter().all(|size| size == 100));
}
