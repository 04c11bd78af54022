//! What corruption does, and above all to whom it does nothing.

use corefed_core::Seed;
use corefed_data::{
    Agent, CorruptError, Corruption, Corruptions, Design, Federation, TargetKind, corrupt,
};
use proptest::prelude::*;

const CLASSES: u32 = 4;
const KIND: TargetKind = TargetKind::Class { classes: CLASSES };

/// Two dense columns of deviation about 1 and 30, one level and an intercept.
fn federation(sizes: &[usize]) -> Federation {
    let rows: usize = sizes.iter().sum();
    let scattered = |i: usize| (i as f64 * 0.618_033_988_749_895).fract() * 12.0_f64.sqrt();
    let dense = (0..rows).flat_map(|i| [scattered(i), 30.0 * scattered(i + 7)]).collect();
    let hot = (0..rows).flat_map(|i| [if i % 2 == 0 { 2 } else { 3 }, 4]).collect();
    let target = (0..rows).map(|i| (i % CLASSES as usize) as f64).collect();
    let mut start = 0;
    let agents = sizes.iter().enumerate().map(|(i, &size)| {
        start += size;
        Agent { name: format!("agent-{i}"), rows: start - size..start }
    });
    let agents = agents.collect();
    let design = Design::new(rows, 5, (2, dense), (2, hot)).expect("shapes agree");
    Federation::new(design, target, agents)
}

fn list(texts: &[&str]) -> Corruptions {
    let mut list = Corruptions::default();
    for text in texts {
        list.add_text(text).expect("a corruption");
    }
    list
}

fn corrupted(sizes: &[usize], texts: &[&str]) -> Federation {
    corrupt(&federation(sizes), KIND, &list(texts), Seed(1)).expect("possible")
}

/// One agent's rows to the last bit: dense entries, indicators, targets.
fn bits(federation: &Federation, agent: usize) -> (Vec<u64>, Vec<u32>, Vec<u64>) {
    let rows = federation.agents()[agent].rows.clone();
    let to_bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
    (
        to_bits(federation.design().dense_rows(rows.clone())),
        federation.design().hot_rows(rows.clone()).to_vec(),
        to_bits(&federation.target()[rows]),
    )
}

fn step() -> impl Strategy<Value = Corruption> {
    prop_oneof![
        (0.0..2.0).prop_map(|std| Corruption::FeatureNoise { std }),
        (0.0..=1.0).prop_map(|rate| Corruption::LabelNoise { rate }),
        (0.0..=1.0).prop_map(|rate| Corruption::Drop { rate }),
        (0.0..=1.0).prop_map(|rate| Corruption::Duplicate { rate }),
    ]
}

proptest! {
    /// Whatever happens to one agent, the others are what they were, corrupted or not.
    #[test]
    fn other_agents_are_untouched_bit_for_bit(
        sizes in prop::collection::vec(1_usize..30, 3),
        first in prop::collection::vec(step(), 0..4),
        second in prop::collection::vec(step(), 0..4),
        seed: u64,
    ) {
        let clean = federation(&sizes);
        let mut one = Corruptions::default();
        for &step in &second {
            one.add("agent-1", step);
        }
        let mut both = one.clone();
        for &step in &first {
            both.add("agent-0", step);
        }
        let one = corrupt(&clean, KIND, &one, Seed(seed)).unwrap();
        let both = corrupt(&clean, KIND, &both, Seed(seed)).unwrap();
        prop_assert_eq!(bits(&one, 0), bits(&clean, 0));
        prop_assert_eq!(bits(&one, 1), bits(&both, 1));
        prop_assert_eq!(bits(&both, 2), bits(&clean, 2));
        prop_assert!(both.target().iter().all(|&y| y < f64::from(CLASSES) && y.fract() == 0.0));
    }

    #[test]
    fn drops_and_copies_are_counted_exactly(size in 1_usize..200, percent in 0_usize..=100) {
        // Halves are left out: whether hundredths reach them is a matter of binary fractions.
        let rate = percent as f64 / 100.0;
        prop_assume!(size * percent % 100 != 50);
        let count = (size * percent + 50) / 100;
        let samples = |text: String| corrupted(&[size, 3], &[&text]).agents()[0].samples();
        prop_assert_eq!(samples(format!("agent-0=drop:{rate}")), size - count.min(size - 1));
        prop_assert_eq!(samples(format!("agent-0=duplicate:{rate}")), size + count);
    }
}

#[test]
fn nothing_listed_is_nothing_changed() {
    assert_eq!(corrupted(&[5, 6], &[]), federation(&[5, 6]));
    let zero = ["agent-0=noise:0,labels:0,drop:0,duplicate:0"];
    assert_eq!(corrupted(&[5, 6], &zero), federation(&[5, 6]));
}

#[test]
fn feature_noise_has_the_deviation_asked_for_in_units_of_the_column() {
    let n = 20_000;
    let (clean, noisy) = (federation(&[n, n]), corrupted(&[n, n], &["agent-1=noise:0.5"]));
    let column = |f: &Federation, c: usize| -> Vec<f64> {
        f.design().dense_rows(n..2 * n).iter().skip(c).step_by(2).copied().collect()
    };
    let deviation = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / n as f64;
        (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt()
    };
    for c in 0..2 {
        let (before, after) = (column(&clean, c), column(&noisy, c));
        let added: Vec<f64> = before.iter().zip(&after).map(|(b, a)| a - b).collect();
        // The columns are spread evenly, so one agent's deviation is nearly everybody's. Four
        // standard errors of a deviation are 4 / sqrt(2n) = 2 %.
        let ratio = deviation(&added) / deviation(&before);
        assert!((ratio - 0.5).abs() < 0.5 * 0.021, "column {c}: {ratio}");
    }
    assert_eq!(clean.design().hot_rows(0..2 * n), noisy.design().hot_rows(0..2 * n));
    assert_eq!(clean.target(), noisy.target());
}

#[test]
fn label_noise_moves_the_share_asked_for_evenly_to_the_other_classes() {
    let n = 30_000;
    let (clean, noisy) = (federation(&[n, 1]), corrupted(&[n, 1], &["agent-0=labels:0.3"]));
    let mut moves = [0_u32; CLASSES as usize];
    for (before, after) in clean.target().iter().zip(noisy.target()) {
        let distance = (after - before).rem_euclid(f64::from(CLASSES));
        let class = (0..CLASSES).position(|class| f64::from(class) == distance);
        moves[class.expect("labels are whole numbers")] += 1;
    }
    let flipped: u32 = moves[1..].iter().sum();
    // Four standard errors: 4 sqrt(0.3 * 0.7 / n) = 0.0106, and 4 sqrt(0.1 * 0.9 / n) = 0.0069.
    assert!((f64::from(flipped) / n as f64 - 0.3).abs() < 0.0106, "{moves:?}");
    for count in &moves[1..] {
        assert!((f64::from(*count) / n as f64 - 0.1).abs() < 0.0069, "{moves:?}");
    }
    let all = corrupted(&[n, 1], &["agent-0=labels:1"]);
    assert!(clean.target()[..n].iter().zip(all.target()).all(|(before, after)| before != after));
}

#[test]
fn copies_stand_next_to_their_originals() {
    let copied = corrupted(&[4, 2], &["agent-0=duplicate:1"]);
    let clean = federation(&[4, 2]);
    for row in 0..4 {
        for copy in [2 * row, 2 * row + 1] {
            let rows = |f: &Federation, r: usize| f.design().dense_rows(r..r + 1).to_vec();
            assert_eq!(rows(&copied, copy), rows(&clean, row));
            assert_eq!(copied.target()[copy], clean.target()[row]);
        }
    }
}

#[test]
fn corruptions_apply_in_order() {
    // Noise before copies leaves pairs alike, noise after them does not.
    let pair = |text| {
        let f = corrupted(&[6, 1], &[text]);
        f.design().dense_rows(0..1) == f.design().dense_rows(1..2)
    };
    assert!(pair("agent-0=noise:1,duplicate:1"));
    assert!(!pair("agent-0=duplicate:1,noise:1"));
}

#[test]
fn the_last_row_is_never_dropped() {
    let left = corrupted(&[9, 1], &["agent-0=drop:1,drop:1", "agent-1=drop:1"]);
    assert_eq!(left.agents().iter().map(Agent::samples).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn impossible_corruptions_are_refused() {
    let clean = federation(&[3, 3]);
    let refuse = |kind, text: &str| corrupt(&clean, kind, &list(&[text]), Seed(1)).unwrap_err();
    let error = refuse(TargetKind::Number, "agent-1=labels:0.1");
    assert_eq!(
        error.to_string(),
        "agent `agent-1`: the target is a number, so there are no labels to corrupt"
    );
    let one = refuse(TargetKind::Class { classes: 1 }, "agent-1=labels:0.1");
    assert_eq!(one, CorruptError::NoOtherClass { agent: "agent-1".to_owned(), classes: 1 });
    let error = refuse(KIND, "agent1=drop:0.1");
    assert_eq!(
        error.to_string(),
        "there is no agent `agent1` to corrupt; there are `agent-0`, `agent-1`"
    );
    assert_eq!(error.hint().unwrap(), "did you mean `agent-1`?");
    let mut wild = Corruptions::default();
    wild.add("agent-0", Corruption::Drop { rate: f64::NAN });
    assert!(matches!(corrupt(&clean, KIND, &wild, Seed(1)), Err(CorruptError::Amount { .. })));
    let design = Design::new(1, 1, (0, vec![]), (1, vec![0])).unwrap();
    let agents = vec![Agent { name: "a".to_owned(), rows: 0..1 }];
    let bare = Federation::new(design, vec![0.0], agents);
    let error = corrupt(&bare, KIND, &list(&["a=noise:1"]), Seed(1)).unwrap_err();
    assert_eq!(error, CorruptError::NoFeatures { agent: "a".to_owned() });
    assert!(corrupt(&bare, KIND, &list(&["a=labels:1,drop:1,duplicate:1"]), Seed(1)).is_ok());
}
