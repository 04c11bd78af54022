//! The scan: the best coalition against one rival, in one sort.
//!
//! A coalition `S` can use a rival at its weakest member's gain, `(w(S)/W) min_S r`. Adding
//! everybody whose gain is at least that minimum only raises the share, so the best coalition
//! is a prefix of the agents sorted by gain (ledger E4). Everybody together does not leave, so the
//! grand coalition is kept apart: what it can reach says how much the model can be improved.

use std::fmt;

use num_traits::Num;

/// What coalitions can make of one rival.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan<N> {
    /// `max_S (w(S)/W) min_{i in S} gain_i` over the coalitions that leave somebody behind.
    pub kappa: Kappa<N>,
    /// The members attaining it, ascending; empty when nobody can gain anything.
    pub coalition: Vec<usize>,
    /// A coalition, not everybody, that blocks by the strict rule of Definition 1, ascending: every
    /// member at least as well off after its share is taken, one strictly better.
    pub blocking: Option<Vec<usize>>,
    /// `min_i gain_i`: the factor by which everybody gains at once.
    pub everybody: Kappa<N>,
    /// Whether everybody together blocks by the strict rule: nobody loses and somebody gains.
    pub improves: bool,
}

/// A coalition's best factor; infinite when a member has nothing now and would get something.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Kappa<N> {
    /// An ordinary number, >= 0.
    Finite(N),
    /// Nobody in the coalition has anything now, and everybody in it would get something.
    Infinite,
}

impl<N: fmt::Display> fmt::Display for Kappa<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite(factor) => factor.fmt(f),
            Self::Infinite => f.write_str("infinite"),
        }
    }
}

/// Finds the best coalition against one rival (ledger E4).
///
/// `weights` are positive, with sum `total`. With exact numbers the answer is exact, ties and
/// strictness included; with `f64` it is as exact as the products `W_k r_k` are.
///
/// Utilities at or below zero count as nothing (ledger E3): an agent that has nothing blocks alone
/// with a rival that gives it something, and joins no coalition with one that does not.
#[must_use]
pub fn scan<N>(incumbent: &[N], rival: &[N], weights: &[N], total: &N) -> Scan<N>
where
    N: Num + PartialOrd + Clone,
{
    let zero = N::zero();
    let mut gains = Vec::with_capacity(incumbent.len());
    let mut freed = Vec::new();
    for agent in 0..incumbent.len() {
        let (now, then) = (&incumbent[agent], &rival[agent]);
        match (*now > zero, *then > zero) {
            (true, true) => gains.push((then.clone() / now.clone(), agent)),
            (false, true) => freed.push(agent),
            // It gets nothing, so no coalition with it blocks.
            (_, false) => {}
        }
    }
    // Descending by gain, then by agent, so that equal input gives equal output.
    gains.sort_unstable_by(|(a, i), (b, j)| {
        b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal).then(i.cmp(j))
    });
    let served = gains.len() + freed.len() == incumbent.len() && !incumbent.is_empty();
    let everybody = match gains.last() {
        _ if !served => Kappa::Finite(N::zero()),
        Some((least, _)) => Kappa::Finite(least.clone()),
        None => Kappa::Infinite,
    };
    let improves = served
        && gains.last().is_none_or(|(least, _)| *least >= N::one())
        && (!freed.is_empty() || gains.first().is_some_and(|(most, _)| *most > N::one()));
    if let Some(&agent) = freed.first()
        && incumbent.len() > 1
    {
        let coalition = vec![agent];
        let blocking = Some(coalition.clone());
        return Scan { kappa: Kappa::Infinite, coalition, blocking, everybody, improves };
    }
    let mut best = Leader { weighted: N::zero(), choice: None, blocking: None };
    let mut reached = N::zero();
    for (k, (gain, agent)) in gains.iter().enumerate() {
        reached = reached + weights[*agent].clone();
        // Tied gains enter together: only the end of a tie is a candidate.
        if gains.get(k + 1).is_some_and(|(next, _)| next == gain) || k + 1 == incumbent.len() {
            continue;
        }
        best.offer(&reached, (gain, &gains[0].0), total, Choice::First(k + 1));
    }
    if served && freed.is_empty() && gains.len() > 1 {
        best.all_but_one(&gains, weights, total);
    }
    let Leader { weighted, choice, blocking } = best;
    Scan {
        kappa: Kappa::Finite(weighted / total.clone()),
        coalition: choice.map_or_else(Vec::new, |choice| choice.members(&gains)),
        blocking: blocking.map(|choice| choice.members(&gains)),
        everybody,
        improves,
    }
}

/// A coalition, in terms of the agents sorted by gain.
#[derive(Clone, Copy)]
enum Choice {
    /// How many of the first.
    First(usize),
    /// All but this one.
    AllBut(usize),
}

impl Choice {
    /// Its members, ascending.
    fn members<N>(self, gains: &[(N, usize)]) -> Vec<usize> {
        let belongs = |k: usize| match self {
            Self::First(end) => k < end,
            Self::AllBut(left) => k != left,
        };
        let chosen = gains.iter().enumerate().filter(|(k, _)| belongs(*k));
        let mut members: Vec<usize> = chosen.map(|(_, (_, agent))| *agent).collect();
        members.sort_unstable();
        members
    }
}

/// The best coalition so far.
struct Leader<N> {
    /// Its weight times its smallest gain.
    weighted: N,
    choice: Option<Choice>,
    /// The best that blocks by the strict rule.
    blocking: Option<Choice>,
}

impl<N: Num + PartialOrd + Clone> Leader<N> {
    fn offer(&mut self, weight: &N, (least, most): (&N, &N), total: &N, choice: Choice) {
        let weighted = weight.clone() * least.clone();
        let better = weighted > self.weighted;
        if weighted >= *total
            && weight.clone() * most.clone() > *total
            && (better || self.blocking.is_none())
        {
            self.blocking = Some(choice);
        }
        if better {
            (self.weighted, self.choice) = (weighted, Some(choice));
        }
    }

    /// Where everybody gains something, the coalitions with the smallest gain that are not
    /// everybody: one agent is left behind, whichever it is.
    fn all_but_one(&mut self, gains: &[(N, usize)], weights: &[N], total: &N) {
        let last = gains.len() - 1;
        for (k, (_, left)) in gains.iter().enumerate() {
            let least = &gains[if k == last { last - 1 } else { last }].0;
            let most = &gains[usize::from(k == 0)].0;
            let weight = total.clone() - weights[*left].clone();
            self.offer(&weight, (least, most), total, Choice::AllBut(k));
        }
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

/// The gain of one agent as it is printed: `then / now` for a positive `now`; otherwise infinite
/// when it gets something, and zero when it does not.
#[must_use]
pub fn gain(now: f64, then: f64) -> f64 {
    if now > 0.0 {
        then / now
    } else if then > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}
