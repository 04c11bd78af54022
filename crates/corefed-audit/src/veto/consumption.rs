//! Veto by consumption: everybody eats its worst model until one is left.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::Ballots;

/// The models that are left to the end when every agent eats its worst remaining model at the speed of
/// its share; ascending.
///
/// What was eaten is itself a flow onto models that no agent prefers to the last one, so the last one
/// lies in the core. Ties on a ballot are eaten from the end of the table.
pub(super) fn last_left(ballots: &Ballots, speeds: &[BigInt], amounts: &[BigInt]) -> Vec<usize> {
    let mut left: Vec<BigRational> = amounts.iter().cloned().map(BigRational::from).collect();
    let mut remaining: Vec<usize> = (0..amounts.len()).collect();
    loop {
        let mut eaten = vec![BigInt::zero(); amounts.len()];
        for (agent, speed) in speeds.iter().enumerate() {
            if let Some(model) = ballots.worst(agent, remaining.iter().copied()) {
                eaten[model] += speed;
            }
        }
        let until = |model: &usize| {
            let speed = &eaten[*model];
            (!speed.is_zero()).then(|| &left[*model] / speed)
        };
        let Some(time) = remaining.iter().filter_map(until).min() else { return remaining };
        let mut kept = Vec::new();
        for &model in &remaining {
            left[model] -= &time * &eaten[model];
            if !left[model].is_zero() {
                kept.push(model);
            }
        }
        if kept.is_empty() {
            return remaining;
        }
        remaining = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_core::Prefer;

    fn whole(values: &[i64]) -> Vec<BigInt> {
        values.iter().map(|&v| v.into()).collect()
    }

    #[test]
    fn a_compromise_outlives_the_favourites() {
        // Two agents with opposite favourites and a compromise: each eats the other's favourite.
        let ballots = Ballots::new(&[vec![2, 0], vec![1, 1], vec![0, 2]], Prefer::Larger);
        assert_eq!(last_left(&ballots, &whole(&[3, 3]), &whole(&[2, 2, 2])), [1]);
    }

    #[test]
    fn models_that_end_together_are_all_named() {
        let ballots = Ballots::new(&[vec![1, 0], vec![0, 1]], Prefer::Larger);
        assert_eq!(last_left(&ballots, &whole(&[1, 1]), &whole(&[1, 1])), [0, 1]);
        // A larger say decides: agent 0 eats model 1 first and then has time for its own.
        assert_eq!(last_left(&ballots, &whole(&[3, 1]), &whole(&[2, 2])), [0]);
    }
}
