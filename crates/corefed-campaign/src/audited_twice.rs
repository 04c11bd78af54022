//! One predictor, audited without pooling rows and with.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::Result;
use corefed_audit::{Audit, Progress, audit};
use corefed_core::{AttestedEvidence, Predictor, Weights, WorstLoss};
use corefed_data::Federation;
use corefed_model::{ConvexLosses, convex_losses};
use corefed_remote::{
    Account, Answers, Ceiling, Ended, Options, Oracle, Outcome, Participant, Refusal, Request,
    RowOracle, Session, Setup, Task, conduct,
};
use corefed_solve::Problem;

/// Ends of intervals may differ by this much, relatively.
const AGREE: f64 = 1e-6;

/// Both audits of one predictor.
pub(crate) struct Both {
    pub(crate) pooled: Audit,
    pub(crate) pooled_seconds: f64,
    pub(crate) remote: Outcome,
    /// Without the agents' own time.
    pub(crate) server_seconds: f64,
}

/// A predictor to be audited twice.
pub(crate) struct Question<'a> {
    pub(crate) federation: &'a Federation,
    pub(crate) predictor: Predictor,
    pub(crate) classes: usize,
    pub(crate) ceilings: Vec<f64>,
    pub(crate) weights: Weights,
    pub(crate) options: Options,
    pub(crate) task: Task,
}

impl Question<'_> {
    /// Asks both; bad answers are bugs here, since every agent tells the truth.
    pub(crate) fn ask(&self) -> Result<Both> {
        let Predictor { family, l2, radius, .. } = self.predictor;
        let losses = convex_losses(self.federation, family, self.classes, l2);
        let mut remote_clock = Clock::default();
        let remote = self.remote(losses.as_ref(), &mut remote_clock)?;
        let problem =
            Problem::new(losses.as_ref(), self.ceilings.clone(), self.weights.clone(), radius);
        // Unknown worst losses, so that coalitions decide on both sides.
        let worst = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; problem.agents()];
        let mut forever = |_: &Progress| ControlFlow::Continue(());
        let begin = Instant::now();
        let pooled = audit(&problem, &remote.parameters, &worst, &[], 1e-6, &mut forever);
        let pooled_seconds = begin.elapsed().as_secs_f64();
        Ok(Both { pooled, pooled_seconds, remote, server_seconds: remote_clock.server })
    }

    fn remote(&self, losses: &dyn ConvexLosses, clock: &mut Clock) -> Result<Outcome> {
        let agents = self.federation.agents().iter().enumerate().map(|(k, agent)| Participant {
            name: agent.name.clone(),
            weight: self.weights.values()[k],
            ceiling: Ceiling::Absolute(self.ceilings[k]),
            samples: agent.samples(),
        });
        let setup = Setup {
            predictor: self.predictor.clone().into(),
            agents: agents.collect(),
            tolerance: 1e-6,
            task: self.task,
            options: self.options,
        };
        let columns = self.federation.design().dim();
        let mut oracles: Vec<Timed<'_>> = (0..losses.agents())
            .map(|agent| {
                let samples = self.federation.agents()[agent].samples();
                let account = Account::new(samples, columns, None);
                let radius = self.predictor.radius;
                let oracle = RowOracle::new(losses, agent, radius, None, account);
                Timed { oracle, seconds: 0.0 }
            })
            .collect();
        let mut session = Session::new(setup)?;
        let begin = Instant::now();
        let mut asked: Vec<&mut dyn Oracle> =
            oracles.iter_mut().map(|oracle| oracle as &mut dyn Oracle).collect();
        let outcome = conduct(&mut session, &mut asked, &mut |_| ControlFlow::Continue(()))?;
        let all = begin.elapsed().as_secs_f64();
        clock.server = all - oracles.iter().map(|oracle| oracle.seconds).sum::<f64>();
        Ok(outcome)
    }
}

#[derive(Default)]
struct Clock {
    server: f64,
}

/// An agent whose time is counted apart.
struct Timed<'a> {
    oracle: RowOracle<'a>,
    seconds: f64,
}

impl Oracle for Timed<'_> {
    fn answer(&mut self, request: &Request) -> Result<Answers, Refusal> {
        let begin = Instant::now();
        let answers = self.oracle.answer(request);
        self.seconds += begin.elapsed().as_secs_f64();
        answers
    }
}

impl Both {
    /// Whether the remote audit broke off with an interval that the pooled one lies in.
    pub(crate) fn is_open(&self) -> bool {
        let (pooled, remote) = (&self.pooled, &self.remote);
        let kappa =
            remote.kappa.lo.0 <= pooled.kappa.hi.0 && remote.kappa.hi.0 >= pooled.kappa.lo.0;
        let (all, known) = (remote.everybody, pooled.everybody);
        let everybody = all.lo.0 <= known.hi.0 && all.hi.0 >= known.lo.0;
        remote.ended != Ended::Complete && kappa && everybody
    }

    /// What differs between the two audits, if anything does. Below one, only that it is below counts:
    /// neither search looks closer.
    pub(crate) fn difference(&self) -> Option<String> {
        let (pooled, remote) = (&self.pooled, &self.remote);
        // Where numbers left the pooled interval wider than that, any end inside it will do.
        let close = |pooled: f64, remote: f64, (lo, hi): (f64, f64)| {
            let (pooled, remote) = (pooled.max(1.0), remote.max(1.0));
            let apart = AGREE * pooled.min(remote) * 1.000_001;
            pooled == remote
                || (pooled - remote).abs() <= apart
                || (lo.max(1.0) - apart..=hi + apart).contains(&remote)
        };
        let kappa = (pooled.kappa.lo.0, pooled.kappa.hi.0);
        let everybody = (pooled.everybody.lo.0, pooled.everybody.hi.0);
        let ends = [
            ("kappa.lo", pooled.kappa.lo.0, remote.kappa.lo.0, kappa),
            ("kappa.hi", pooled.kappa.hi.0, remote.kappa.hi.0, kappa),
            ("everybody.lo", pooled.everybody.lo.0, remote.everybody.lo.0, everybody),
            ("everybody.hi", pooled.everybody.hi.0, remote.everybody.hi.0, everybody),
        ];
        // A coalition with an infinite gain ends both searches, whatever everybody could have.
        let known = if remote.kappa.lo.0.is_infinite() { &ends[..2] } else { &ends[..] };
        let apart = known.iter().find(|(_, a, b, interval)| !close(*a, *b, *interval));
        let verdicts = pooled.verdict != remote.verdict;
        if !verdicts && apart.is_none() {
            return None;
        }
        Some(format!(
            "pooled {} kappa [{}, {}] everybody [{}, {}]; remote {} kappa [{}, {}] everybody [{}, {}], {:?}, {} rounds",
            pooled.verdict,
            ends[0].1,
            ends[1].1,
            ends[2].1,
            ends[3].1,
            remote.verdict,
            ends[0].2,
            ends[1].2,
            ends[2].2,
            ends[3].2,
            remote.ended,
            remote.rounds,
        ))
    }

    /// Conflicts of the draft, and tangents in them.
    pub(crate) fn size(&self) -> (usize, usize) {
        match &self.remote.draft.evidence {
            AttestedEvidence::Tangents { conflicts, .. } => {
                let terms = conflicts.iter().map(|conflict| conflict.tangents.len()).sum();
                (conflicts.len(), terms)
            }
            _ => (0, 0),
        }
    }
}
