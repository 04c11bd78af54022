//! The exact audit of a predictor against every rival in the ball.

use corefed_core::{
    Evidence, Factors, KappaInterval, Obstacle, Scan, Verdict, Witness, WorstLoss, exceeds,
    headroom,
};
use corefed_solve::{MaximinBounds, Problem};

use crate::accuracy::but_for_rounding;
use crate::alone::alone;
use crate::best::Best;
use crate::hopeless::Nothing;
use crate::pooled::search;
use crate::{FirstOrder, MOST_AGENTS, Observer, Premise, Progress};

/// What an audit found out.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// Stable, blocked, improvable or undecided.
    pub verdict: Verdict,
    /// Where `kappa` lies, over the coalitions that leave somebody behind.
    pub kappa: KappaInterval,
    /// Where the factor lies by which everybody can gain at once (ledger E13).
    pub everybody: KappaInterval,
    /// Gains up to this do not count in the verdict.
    pub tolerance: f64,
    /// The best deviation found, whether or not it beats staying.
    pub witness: Option<Witness>,
    /// What is better for everybody, if anything is known to be.
    pub improvement: Option<Witness>,
    /// What proves `kappa.hi` and `everybody.hi`.
    pub evidence: Evidence,
    /// Whether the paper's theorem applies.
    pub premise: Premise,
    /// Every agent's utility under the incumbent.
    pub utilities: Vec<f64>,
    /// The largest utility each agent could have alone; `None` where the time was not enough.
    pub alone: Vec<Option<f64>>,
    /// What a coalition that leaves somebody behind could gain at zero loss: an upper limit that needs
    /// no search. Infinite for losses that may be negative.
    pub headroom: f64,
    /// Why there is no verdict; present exactly when it is undecided.
    pub obstacle: Option<Obstacle>,
    /// How much was searched.
    pub progress: Progress,
}

/// Decides whether a predictor is in the core.
///
/// `worst` holds a proven worst loss of every agent on the ball; `candidates` are rivals to try
/// first (the zero model and every agent's own best always are).
///
/// Requirements: convex losses; parameters in the ball (see `ball_for`). No sign condition: where
/// ceilings are below the worst loss, and the paper's theorem does not hold, coalition programs decide.
/// Guarantee: the lower ends are reached by the witnesses and the upper ends proven by the evidence, up
/// to rounding (ledger E6, E10, E11, E44), whether or not the search was broken off. Cost: one program
/// per agent and one gradient when the Frank-Wolfe bound suffices; otherwise one convex program per
/// coalition that could not be ruled out.
///
/// ```
/// use std::ops::ControlFlow;
/// use corefed_audit::{Progress, audit};
/// use corefed_core::{Verdict, Weights, WorstLoss};
/// use corefed_model::{Quadratic, QuadraticLosses};
/// use corefed_solve::Problem;
///
/// // Two agents want t = 1 and one wants t = -1; on |t| <= 3 nobody loses more than 16.
/// let parabola = |at| Quadratic { matrix: vec![1.0], linear: vec![at], constant: 1.0 };
/// let losses = QuadraticLosses::new(1, [1.0, 1.0, -1.0].map(parabola).to_vec(), 2.0);
/// let problem = Problem::new(&losses, vec![4.0; 3], Weights::equal(3), 3.0);
/// let worst = vec![WorstLoss { bound: 16.001, multiplier: None }; 3];
/// let mut watch = |_: &Progress| ControlFlow::Continue(());
/// let mut verdict = |t: f64| audit(&problem, &[t], &worst, &[], 1e-6, &mut watch).verdict;
/// // At t = -0.9 the two have 0.39 each; together they could have 4, and 2/3 of that is more.
/// assert_eq!(verdict(-0.9), Verdict::Blocked);
/// assert_eq!(verdict(0.3), Verdict::Stable);
/// ```
#[must_use]
pub fn audit(
    problem: &Problem<'_>,
    incumbent: &[f64],
    worst: &[WorstLoss],
    candidates: &[Vec<f64>],
    tolerance: f64,
    observer: &mut dyn Observer,
) -> Audit {
    let mut now = problem.utilities_at(incumbent);
    for (utility, ceiling) in now.iter_mut().zip(&problem.ceilings) {
        *utility = but_for_rounding(*utility, *ceiling);
    }
    let mut best = Best::staying(&now);
    for rival in candidates.iter().chain([&vec![0.0; incumbent.len()]]) {
        best.offer(problem, &now, rival);
    }
    let premise = Premise::check(problem, worst);
    let mut progress = Progress { lo: best.kappa, ..Progress::default() };
    let alone = alone(problem, incumbent, &mut progress, observer);
    for bounds in most_tempted(&alone, &now) {
        best.offer(problem, &now, &bounds.params);
    }
    progress.lo = best.kappa;
    let question = Question { problem, incumbent, now: &now, worst, alone: &alone, tolerance };
    let answer = question.answer(premise == Premise::Holds, best, progress, observer);
    let Answer { best, bound, obstacle, progress } = answer;
    let mut factors = Factors::UNKNOWN;
    factors.raise(best.kappa, best.everybody);
    factors.bound(bound.kappa, bound.everybody);
    let verdict = factors.verdict(tolerance);
    Audit {
        verdict,
        kappa: factors.kappa,
        everybody: factors.everybody,
        tolerance,
        witness: best.witness(&now),
        improvement: best.improvement(&now),
        evidence: bound.evidence,
        premise,
        alone: alone.iter().map(|bounds| bounds.as_ref().map(|bounds| bounds.lower)).collect(),
        headroom: room(problem, &now).map_or(f64::INFINITY, |scan| scan.kappa.value()),
        utilities: now,
        obstacle: (verdict == Verdict::Undecided).then_some(obstacle),
        progress,
    }
}

/// The own best predictors of those who would gain most, as many as a search could tell apart.
fn most_tempted<'a>(
    alone: &'a [Option<MaximinBounds>],
    now: &[f64],
) -> impl Iterator<Item = &'a MaximinBounds> {
    let gain = |bounds: &MaximinBounds, now: f64| corefed_core::gain(now, bounds.lower);
    let mut known: Vec<_> = alone
        .iter()
        .zip(now)
        .filter_map(|(bounds, now)| bounds.as_ref().map(|bounds| (gain(bounds, *now), bounds)))
        .collect();
    // Stable, so that equal gains stay in the order of the agents.
    known.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    known.into_iter().take(MOST_AGENTS).map(|(_, bounds)| bounds)
}

/// What agents would gain at zero loss, where zero is the least that a loss can be.
fn room(problem: &Problem<'_>, now: &[f64]) -> Option<Scan<f64>> {
    let bounded = problem.losses.nonnegative();
    bounded.then(|| headroom(now, &problem.ceilings, &problem.weights))
}

/// One audit's givens.
struct Question<'a> {
    problem: &'a Problem<'a>,
    incumbent: &'a [f64],
    now: &'a [f64],
    worst: &'a [WorstLoss],
    alone: &'a [Option<MaximinBounds>],
    tolerance: f64,
}

/// Upper ends with what proves them.
struct Bound {
    kappa: f64,
    everybody: f64,
    evidence: Evidence,
}

/// What came of it.
struct Answer {
    best: Best,
    bound: Bound,
    /// What stands in the way if this is not enough for a verdict.
    obstacle: Obstacle,
    progress: Progress,
}

impl Question<'_> {
    /// The cheapest sufficient evidence.
    fn answer(
        &self,
        premise_holds: bool,
        best: Best,
        mut progress: Progress,
        observer: &mut dyn Observer,
    ) -> Answer {
        let nothing = Nothing::look(self.problem, self.incumbent, self.now, self.alone);
        if nothing.open.is_some() || best.kappa.is_infinite() {
            let bound = Bound {
                kappa: f64::INFINITY,
                everybody: f64::INFINITY,
                evidence: Evidence::Unbounded,
            };
            // An infinite gain cannot be beaten, so nothing is left to look at.
            progress.complete = best.kappa.is_infinite();
            let obstacle = match nothing.open {
                Some(agent) if self.alone[agent].is_some() => Obstacle::ZeroUtility { agent },
                _ => Obstacle::Time,
            };
            return Answer { best, bound, obstacle, progress };
        }
        let mut bounds = Vec::new();
        if nothing.hopeless.is_empty() {
            let enough = |bound: &Bound| !exceeds(bound.kappa.max(bound.everybody), self.tolerance);
            let first_order = premise_holds.then(|| self.frank_wolfe());
            if first_order.as_ref().is_some_and(enough) {
                progress.complete = true;
                let bounds = first_order.into_iter().collect();
                return Self::tightest(bounds, best, Obstacle::Precision, progress);
            }
            bounds.extend(self.headroom());
            bounds.extend(first_order);
        }
        let agents = self.problem.agents();
        if agents > MOST_AGENTS {
            let obstacle = Obstacle::Agents { agents, most: MOST_AGENTS };
            return Self::tightest(bounds, best, obstacle, progress);
        }
        let others: Vec<usize> = (0..agents).filter(|&agent| !nothing.includes(agent)).collect();
        let start = (self.incumbent, others.as_slice());
        let best = (best, self.tolerance);
        let (best, proof) = search(self.problem, self.now, start, self.alone, best, observer);
        bounds.push(Bound {
            kappa: proof.hi,
            // A hopeless agent gains nothing, so everybody does not.
            everybody: if nothing.hopeless.is_empty() { proof.everybody } else { 0.0 },
            evidence: Evidence::Conflicts {
                conflicts: proof.conflicts,
                hopeless: nothing.hopeless,
            },
        });
        let programs = progress.programs + proof.progress.programs;
        progress = Progress { programs, ..proof.progress };
        let obstacle = if progress.complete { self.precision() } else { Obstacle::Time };
        Self::tightest(bounds, best, obstacle, progress)
    }

    /// Of equal bounds the last stands, which rests on the least.
    fn tightest(bounds: Vec<Bound>, best: Best, obstacle: Obstacle, progress: Progress) -> Answer {
        let worse = |bound: &Bound| bound.kappa.max(bound.everybody);
        let order =
            |a: &Bound, b: &Bound| worse(a).total_cmp(&worse(b)).then(a.kappa.total_cmp(&b.kappa));
        let bound = bounds.into_iter().rev().min_by(order).unwrap_or(Bound {
            kappa: f64::INFINITY,
            everybody: f64::INFINITY,
            evidence: Evidence::Unbounded,
        });
        Answer { best, bound, obstacle, progress }
    }

    /// What a complete search could not resolve: a utility that is zero but for rounding, or the
    /// interval itself.
    fn precision(&self) -> Obstacle {
        let mut agents = 0..self.now.len();
        let vanishing = |&agent: &usize| {
            let ceiling = self.problem.ceilings[agent].abs();
            self.now[agent] > 0.0 && self.now[agent] <= VANISHING * ceiling
        };
        match agents.find(vanishing) {
            Some(agent) => Obstacle::ZeroUtility { agent },
            None => Obstacle::Precision,
        }
    }

    /// What nobody can exceed (ledger E8); nothing is known of losses that may be negative.
    fn headroom(&self) -> Option<Bound> {
        let Scan { kappa, everybody, .. } = room(self.problem, self.now)?;
        let (kappa, everybody) = (kappa.value(), everybody.value());
        Some(Bound { kappa, everybody, evidence: Evidence::Headroom })
    }

    /// The Frank-Wolfe bound and what a checker needs to recompute it (ledger E6).
    fn frank_wolfe(&self) -> Bound {
        let first_order = FirstOrder::at(self.problem, self.incumbent, self.now);
        let hi = first_order.frank_wolfe;
        let (gap, worst_losses) = (first_order.gap.max(0.0), self.worst.to_vec());
        Bound { kappa: hi, everybody: hi, evidence: Evidence::FrankWolfe { gap, worst_losses } }
    }
}

/// Utilities below this share of the ceiling have no digits.
const VANISHING: f64 = 1e-12;
