//! The exact audit of a predictor against every rival in the ball.

use corefed_core::{Evidence, KappaInterval, Number, Verdict, Witness, WorstLoss, headroom};
use corefed_solve::Problem;

use crate::best::Best;
use crate::branch::Search;
use crate::program::best_alone;
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
    let question = Question { problem, incumbent, now: &now, worst, epsilon };
    let (best, hi, evidence, progress) = if now.iter().any(|u| *u <= 0.0) {
        question.offer_best_of_the_destitute(&mut best);
        (best, f64::INFINITY, Evidence::Unbounded, Progress::default())
    } else {
        question.answer(premise == Premise::Holds, best, observer)
    };
    let kappa = KappaInterval { lo: Number(best.kappa), hi: Number(hi) };
    Audit {
        verdict: Verdict::from_interval(kappa, epsilon),
        kappa,
        epsilon,
        witness: best.witness(&now),
        evidence,
        premise,
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
    epsilon: f64,
}

impl Question<'_> {
    /// The cheapest sufficient evidence, for an incumbent that gives everybody something.
    fn answer(
        &self,
        premise_holds: bool,
        best: Best,
        observer: &mut dyn Observer,
    ) -> (Best, f64, Evidence, Progress) {
        let first_order = premise_holds.then(|| self.frank_wolfe());
        if let Some((hi, evidence)) = &first_order
            && *hi <= 1.0 + self.epsilon
        {
            let progress = Progress { complete: true, ..Progress::default() };
            return (best, *hi, evidence.clone(), progress);
        }
        let Self { problem, now, .. } = *self;
        let most = headroom(now, &problem.ceilings, &problem.weights).kappa.value();
        let mut bounds = vec![(most, Evidence::Headroom)];
        bounds.extend(first_order);
        let (best, progress) = if problem.agents() > MOST_AGENTS {
            (best, Progress::default())
        } else {
            let search = Search::new(problem, now, self.incumbent, best, self.epsilon);
            let (best, proof) = search.run(observer);
            bounds.push((proof.hi, Evidence::Conflicts { conflicts: proof.conflicts }));
            (best, proof.progress)
        };
        // Of equal bounds the last stands, which rests on the least.
        let tightest = bounds.into_iter().rev().min_by(|(a, _), (b, _)| a.total_cmp(b));
        let (hi, evidence) = tightest.unwrap_or((f64::INFINITY, Evidence::Unbounded));
        (best, hi, evidence, progress)
    }

    /// The Frank-Wolfe bound and what a checker needs to recompute it (ledger E6).
    fn frank_wolfe(&self) -> (f64, Evidence) {
        let FirstOrder { gradient, gap, frank_wolfe, .. } =
            FirstOrder::at(self.problem, self.incumbent, self.now);
        let evidence = Evidence::FrankWolfe { gradient, gap, worst_losses: self.worst.to_vec() };
        (frank_wolfe, evidence)
    }

    /// An agent with no positive utility blocks alone with any rival whose share is worth more to
    /// it; its own best predictor is the natural one.
    fn offer_best_of_the_destitute(&self, best: &mut Best) {
        let Self { problem, now, .. } = *self;
        let zero = vec![0.0; problem.losses.dim()];
        for agent in (0..now.len()).filter(|&i| now[i] <= 0.0) {
            let rival = best_alone(problem, agent, &zero).params;
            best.offer(now, problem.utilities_at(&rival), &rival, &problem.weights);
        }
    }
}
