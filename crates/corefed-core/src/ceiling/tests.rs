//! Ceilings by policy, on losses that are told.

use super::*;

struct Known(Option<[f64; 2]>);

/// Agents of which own losses are known.
struct Own(AloneLosses);

impl ReferenceLosses for Own {
    fn names(&self) -> Vec<String> {
        vec!["a".to_owned(), "b".to_owned()]
    }

    fn alone(&self) -> Option<AloneLosses> {
        Some(self.0.clone())
    }
}

/// Agents of which losses under the common constant are known.
struct Pooled(Vec<f64>);

impl ReferenceLosses for Pooled {
    fn names(&self) -> Vec<String> {
        (0..self.0.len()).map(|k| k.to_string()).collect()
    }

    fn pooled_constant(&self) -> Option<Vec<f64>> {
        Some(self.0.clone())
    }
}

#[test]
fn nobody_has_a_baseline_below_the_average() {
    // The average of 0, 1 and 5 is 2.
    let known = Pooled(vec![0.0, 1.0, 5.0]);
    assert_eq!(CeilingPolicy::Baseline(1.5).resolve(&known).unwrap(), [3.0, 3.0, 7.5]);
    assert!(CeilingPolicy::PooledConstant(1.5).resolve(&known).is_err());
}

#[test]
fn own_models_are_measured_on_rows_that_they_did_not_fit() {
    let losses = vec![Some(0.5), Some(2.0)];
    let kept = Own(AloneLosses { losses: losses.clone(), held_out: true });
    assert_eq!(CeilingPolicy::Alone(1.0).resolve(&kept).unwrap(), [0.5, 2.0]);
    assert_eq!(CeilingPolicy::Alone(0.5).resolve(&kept).unwrap(), [0.25, 1.0]);
    // On training rows nobody beats its own optimum.
    let fitted = Own(AloneLosses { losses, held_out: false });
    assert_eq!(CeilingPolicy::Alone(1.5).resolve(&fitted).unwrap(), [0.75, 3.0]);
    for factor in [1.0, 0.5] {
        let refused = CeilingPolicy::Alone(factor).resolve(&fitted);
        assert_eq!(refused, Err(CeilingError::AloneOnTraining { factor }));
    }
    let nothing = Own(AloneLosses { losses: vec![Some(0.5), None], held_out: true });
    let refused = CeilingPolicy::Alone(1.0).resolve(&nothing);
    assert_eq!(refused, Err(CeilingError::NothingHeldOut { agent: "b".into() }));
}

impl ReferenceLosses for Known {
    fn names(&self) -> Vec<String> {
        vec!["a".to_owned(), "b".to_owned()]
    }

    fn initial(&self) -> Option<Vec<f64>> {
        self.0.map(Vec::from)
    }
}

#[test]
fn numbers_are_taken_and_losses_are_multiplied() {
    let known = Known(Some([0.5, 2.0]));
    assert_eq!(CeilingPolicy::Fixed(2.0).resolve(&known).unwrap(), [2.0, 2.0]);
    assert_eq!(CeilingPolicy::PerAgent(vec![1.0, 2.0]).resolve(&known).unwrap(), [1.0, 2.0]);
    assert_eq!(CeilingPolicy::Initial(3.0).resolve(&known).unwrap(), [1.5, 6.0]);
}

#[test]
fn what_nobody_knows_is_named() {
    let unknown = Known(None);
    for (policy, what) in [
        (CeilingPolicy::Initial(1.0), Reference::Initial),
        (CeilingPolicy::Constant(1.0), Reference::Constant),
        (CeilingPolicy::PooledConstant(1.0), Reference::PooledConstant),
        (CeilingPolicy::Alone(2.0), Reference::Alone),
        (CeilingPolicy::Worst, Reference::Worst),
    ] {
        assert_eq!(policy.resolve(&unknown), Err(CeilingError::NotKnown { what }));
    }
}

#[test]
fn ceilings_without_room_are_refused_by_name() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = CeilingPolicy::PerAgent(vec![1.0, value]).resolve(&Known(None));
        let Err(CeilingError::NotPositive { agent, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(agent, "b");
    }
    let short = CeilingPolicy::PerAgent(vec![1.0]).resolve(&Known(None));
    assert_eq!(short, Err(CeilingError::Count { found: 1, agents: 2 }));
}
