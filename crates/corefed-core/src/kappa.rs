//! The scan: the best coalition against one rival, in one sort.
//!
//! A coalition `S` can use a rival at its weakest member's gain, `(w(S)/W) min_S r`. Adding
//! everybody whose gain is at least that minimum only raises the share, so the best coalition
//! is a prefix of the agents sorted by gain (ledger E4).

use num_traits::Num;

/// What the best coalition can make of one rival.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan<N> {
    /// `max_S (w(S)/W) min_{i in S} gain_i`.
    pub kappa: Kappa<N>,
    /// The members attaining it, ascending; empty when nobody can gain anything.
    pub coalition: Vec<usize>,
    /// A coalition that blocks by the strict rule of Definition 1, ascending: every member at
    /// least as well off after its share is taken, one strictly better.
    pub blocking: Option<Vec<usize>>,
}

/// A coalition's best factor; infinite when a member has nothing to lose.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Kappa<N> {
    /// An ordinary number, >= 0.
    Finite(N),
    /// Some agent has no positive utility now, and blocks alone.
    Infinite,
}

/// How one agent sees a rival.
enum Attitude<N> {
    /// It blocks alone: it has nothing (or less) now and its share of the rival is better.
    Alone,
    /// Zero now and zero then: satisfied at any share, never strictly.
    Indifferent,
    /// It gains by this positive factor.
    Gain(N),
    /// No coalition with this agent can block.
    Never,
}

/// Finds the best coalition against one rival (ledger E4), following Definition 1 literally for
/// every sign of the utilities.
///
/// `weights` are positive, with sum `total`. With exact numbers the answer is exact, ties and
/// strictness included; with `f64` it is as exact as the products `W_k r_k` are.
///
/// An agent whose utility is zero or less blocks alone as soon as its share of the rival is
/// worth more. That is literal for negative pairs too: `-1 -> -1` at share `1/2` is `-1/2`,
/// which is better than `-1`. No larger coalition needs such an agent, so after those the scan
/// deals with non-negative utilities only.
#[must_use]
pub fn scan<N>(incumbent: &[N], rival: &[N], weights: &[N], total: &N) -> Scan<N>
where
    N: Num + PartialOrd + Clone,
{
    let mut reached = N::zero();
    let mut members = Vec::new();
    let mut gains = Vec::with_capacity(incumbent.len());
    let mut alone: Option<usize> = None;
    for agent in 0..incumbent.len() {
        match attitude(&incumbent[agent], &rival[agent], &weights[agent], total) {
            // One that the rival serves well makes the clearer witness than one it hurts less.
            Attitude::Alone
                if alone
                    .is_none_or(|first| rival[agent] > N::zero() && rival[first] <= N::zero()) =>
            {
                alone = Some(agent);
            }
            Attitude::Indifferent => {
                reached = reached + weights[agent].clone();
                members.push(agent);
            }
            Attitude::Gain(gain) => gains.push((gain, agent)),
            Attitude::Alone | Attitude::Never => {}
        }
    }
    if let Some(agent) = alone {
        return Scan {
            kappa: Kappa::Infinite,
            coalition: vec![agent],
            blocking: Some(vec![agent]),
        };
    }
    scan_gains(gains, &members, reached, weights, total)
}

fn attitude<N: Num + PartialOrd + Clone>(now: &N, then: &N, weight: &N, total: &N) -> Attitude<N> {
    let zero = N::zero();
    if *now > zero {
        return if *then > zero {
            Attitude::Gain(then.clone() / now.clone())
        } else {
            Attitude::Never
        };
    }
    if weight.clone() * then.clone() > total.clone() * now.clone() {
        Attitude::Alone
    } else if now.is_zero() && then.is_zero() {
        Attitude::Indifferent
    } else {
        Attitude::Never
    }
}

fn scan_gains<N: Num + PartialOrd + Clone>(
    mut gains: Vec<(N, usize)>,
    indifferent: &[usize],
    mut reached: N,
    weights: &[N],
    total: &N,
) -> Scan<N> {
    // Descending by gain, then by agent, so that equal input gives equal output.
    gains.sort_unstable_by(|(a, i), (b, j)| {
        b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal).then(i.cmp(j))
    });
    let (mut best, mut best_end) = (N::zero(), 0);
    let mut blocking_end = None;
    for (k, (gain, agent)) in gains.iter().enumerate() {
        reached = reached + weights[*agent].clone();
        // Tied gains enter together: only the end of a tie is a candidate.
        if gains.get(k + 1).is_some_and(|(next, _)| next == gain) {
            continue;
        }
        let weighted = reached.clone() * gain.clone();
        if weighted > best {
            (best, best_end) = (weighted.clone(), k + 1);
        }
        if weighted >= *total && reached.clone() * gains[0].0.clone() > *total {
            blocking_end = Some(k + 1);
        }
    }
    // A prefix that does better than break even is strict by itself; prefer the best one.
    if best > *total {
        blocking_end = Some(best_end);
    }
    let prefix = |end: usize| {
        let mut members = indifferent.to_vec();
        members.extend(gains[..end].iter().map(|(_, agent)| *agent));
        members.sort_unstable();
        members
    };
    Scan {
        kappa: Kappa::Finite(best / total.clone()),
        coalition: if best_end == 0 { Vec::new() } else { prefix(best_end) },
        blocking: blocking_end.map(prefix),
    }
}

impl Kappa<f64> {
    /// As a plain number, infinity included.
    #[must_use]
    pub fn value(&self) -> f64 {
        match self {
            Self::Finite(value) => *value,
            Self::Infinite => f64::INFINITY,
        }
    }
}

/// The gain of one agent as it is printed: `then / now` for a positive `now`, otherwise infinite
/// when it is better off and zero when it is not.
#[must_use]
pub fn gain(now: f64, then: f64) -> f64 {
    if now > 0.0 {
        then / now
    } else if then > now {
        f64::INFINITY
    } else {
        0.0
    }
}
