//! The exact audit of a predictor against every rival in the ball.

use corefed_core::{Evidence, KappaInterval, Number, Verdict, Witness, WorstLoss, headroom};
use corefed_solve::{MaximinBounds, Problem};

use crate::alone::alone;
use crate::best::Best;
use crate::branch::Search;
use crate::{FirstOrder, MOST_AGENTS, Observer, Premise, Progress};

/// What an audit found out.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// Stable, blocked or undecided.
    pub verdict: Verdict,
    /// Where `kappa` lies.
    pub kappa: KappaInterval,
    /// Slack of the verdict.
    pub epsilon: f64,
    /// The best deviation found; absent when nothing beats staying.
    pub witness: Option<Witness>,
    /// What proves `kappa.hi`.
    pub evidence: Evidence,
    /// Whether the paper's theorem applies.
    pub premise: Premise,
    /// Every agent's utility under the incumbent.
    pub utilities: Vec<f64>,
    /// The largest utility each agent could have alone; `None` where the time was not enough.
    pub alone: Vec<Option<f64>>,
    /// Bounds on the factor by which everybody could gain at once (ledger E13); `None` when some
    /// utility is not positive.
    pub pareto: Option<KappaInterval>,
    /// What any coalition could gain at zero loss: an upper limit that needs no search.
    pub headroom: f64,
    /// How much was searched.
    pub progress: Progress,
}

/// Decides whether a predictor is in the core.
///
/// `worst` holds a proven worst loss of every agent on the ball; `candidates` are rivals to try
/// first (the zero model always is).
///
/// Requirements: convex losses; parameters in the ball. No sign condition: where ceilings are
/// below the worst loss, and the paper's theorem does not hold, coalition programs decide.
/// Guarantee: `kappa.lo` is reached by the witness and `kappa.hi` is proven by the evidence (ledger E6,
/// E10, E11), whether or not the search was broken off. Cost: one gradient when the Frank-Wolfe
/// bound suffices; otherwise one convex program per coalition that could not be ruled out.
#[must_use]
pub fn audit(
    problem: &Problem<'_>,
    incumbent: &[f64],
    worst: &[WorstLoss],
    candidates: &[Vec<f64>],
    epsilon: f64,
    observer: &mut dyn Observer,
) -> Audit {
    let now = problem.utilities_at(incumbent);
    let mut best = Best::break_even();
    for rival in candidates.iter().chain([&vec![0.0; incumbent.len()]]) {
        best.offer(&now, problem.utilities_at(rival), rival, &problem.weights);
    }
    let premise = Premise::check(problem, worst);
    let mut progress = Progress { lo: best.kappa, ..Progress::default() };
    let alone = alone(problem, incumbent, &mut progress, observer);
    let question = Question { problem, incumbent, now: &now, worst, alone: &alone, epsilon };
    let answer = if now.iter().any(|u| *u <= 0.0) {
        // An agent with no positive utility blocks alone with any rival whose share is worth more
        // to it; its own best predictor is the natural one.
        for bounds in alone.iter().flatten() {
            let then = problem.utilities_at(&bounds.params);
            best.offer(&now, then, &bounds.params, &problem.weights);
        }
        Answer { best, hi: f64::INFINITY, evidence: Evidence::Unbounded, everybody: None, progress }
    } else {
        question.answer(premise == Premise::Holds, best, progress, observer)
    };
    let Answer { best, hi, evidence, everybody, progress } = answer;
    let kappa = KappaInterval { lo: Number(best.kappa), hi: Number(hi) };
    Audit {
        verdict: Verdict::from_interval(kappa, epsilon),
        kappa,
        epsilon,
        witness: best.witness(&now),
        evidence,
        premise,
        alone: alone.iter().map(|bounds| bounds.as_ref().map(|bounds| bounds.lower)).collect(),
        // Everybody is a coalition like any other, and can at least stay.
        pareto: now.iter().all(|u| *u > 0.0).then(|| KappaInterval {
            lo: Number(everybody.unwrap_or(1.0).max(1.0)),
            hi: Number(hi),
        }),
        headroom: headroom(&now, &problem.ceilings, &problem.weights).kappa.value(),
        utilities: now,
        progress,
    }
}

/// One audit's givens.
struct Question<'a> {
    problem: &'a Problem<'a>,
    incumbent: &'a [f64],
    now: &'a [f64],
    worst: &'a [WorstLoss],
    alone: &'a [Option<MaximinBounds>],
    epsilon: f64,
}

/// What came of it.
struct Answer {
    best: Best,
    hi: f64,
    evidence: Evidence,
    /// What everybody together can reach, if that was computed.
    everybody: Option<f64>,
    progress: Progress,
}

impl Question<'_> {
    /// The cheapest sufficient evidence, for an incumbent that gives everybody something.
    fn answer(
        &self,
        premise_holds: bool,
        best: Best,
        mut progress: Progress,
        observer: &mut dyn Observer,
    ) -> Answer {
        let first_order = premise_holds.then(|| self.frank_wolfe());
        if let Some((hi, evidence)) = &first_order
            && *hi <= 1.0 + self.epsilon
        {
            progress.complete = true;
            return Answer { best, hi: *hi, evidence: evidence.clone(), everybody: None, progress };
        }
        let Self { problem, now, .. } = *self;
        let most = headroom(now, &problem.ceilings, &problem.weights).kappa.value();
        let mut bounds = vec![(most, Evidence::Headroom)];
        bounds.extend(first_order);
        if problem.agents() > MOST_AGENTS {
            return Self::tightest(bounds, best, None, progress);
        }
        let search = Search::new(problem, now, self.incumbent, self.alone, best, self.epsilon);
        let (best, proof) = search.run(observer);
        bounds.push((proof.hi, Evidence::Conflicts { conflicts: proof.conflicts }));
        progress.programs += proof.progress.programs;
        progress = Progress { programs: progress.programs, ..proof.progress };
        Self::tightest(bounds, best, proof.everybody, progress)
    }

    /// Of equal bounds the last stands, which rests on the least.
    fn tightest(
        bounds: Vec<(f64, Evidence)>,
        best: Best,
        everybody: Option<f64>,
        progress: Progress,
    ) -> Answer {
        let tightest = bounds.into_iter().rev().min_by(|(a, _), (b, _)| a.total_cmp(b));
        let (hi, evidence) = tightest.unwrap_or((f64::INFINITY, Evidence::Unbounded));
        Answer { best, hi, evidence, everybody, progress }
    }

    /// The Frank-Wolfe bound and what a checker needs to recompute it (ledger E6).
    fn frank_wolfe(&self) -> (f64, Evidence) {
        let FirstOrder { gradient, gap, frank_wolfe, .. } =
            FirstOrder::at(self.problem, self.incumbent, self.now);
        let evidence = Evidence::FrankWolfe { gradient, gap, worst_losses: self.worst.to_vec() };
        (frank_wolfe, evidence)
    }
}
