//! A run: a federation, its terms and how it trains, round by round.

use corefed_core::Seed;
use corefed_log::{AgentRecord, RoundRecord};
use corefed_model::ConvexLosses;
use corefed_rules::{Rule, Scalar, Server, ServerError, ServerState};
use corefed_spec::{Draw, Train};

use crate::objective::Objective;
use crate::standing::Standing;
use crate::{
    Candidates, Federated, LocalTraining, NewtonState, Part, State, Steadiness, Terms, TrainError,
    Unsteady,
};

/// Trains a federation. Equal inputs give equal bits at any number of threads.
pub struct Engine<'a, F: Federated> {
    pub(crate) federation: &'a F,
    pub(crate) terms: &'a Terms,
    pub(crate) train: &'a Train,
    pub(crate) seed: Seed,
    pub(crate) method: Method<'a>,
    /// Training rows of every agent.
    pub(crate) sizes: Vec<usize>,
    /// Indices of a fixed cohort.
    pub(crate) fixed: Vec<usize>,
    pub(crate) local: LocalTraining<'a, F>,
    /// Whether local steps are corrected for drift.
    corrects: bool,
    /// By what several steps are compared, where they are.
    pub(crate) search: Option<Comparison>,
    /// Where updates are folded, the rule's and FedAvg's; reused.
    pub(crate) directions: [Vec<F::Scalar>; 2],
    /// What control variates come to; reused.
    pub(crate) common: Vec<F::Scalar>,
}

/// How a cohort's answers become a step.
pub(crate) enum Method<'a> {
    /// A weighted combination of updates.
    Combine(Server),
    /// Newton's step, from losses that know their Hessians.
    Newton(&'a dyn ConvexLosses),
}

/// By what steps are compared.
pub(crate) struct Comparison {
    pub(crate) objective: Objective,
    /// FedAvg on the same updates; `None` where the rule is FedAvg.
    pub(crate) fedavg: Option<Server>,
}

/// What a round left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The round as one line.
    pub round: RoundRecord,
    /// Its agents: everybody when the model was evaluated, else the cohort.
    pub agents: Vec<AgentRecord>,
    /// Whether the certificate that was asked for is reached.
    pub certified: bool,
}

/// Why a training cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Newton's method needs Hessians.
    #[error("rule `newton` needs a convex model whose Hessians fit into memory")]
    NoHessians,
    /// Newton's method needs everybody.
    #[error("rule `newton` needs all of every agent's work in every round")]
    NotEverybody,
    /// What should hold the training steady cannot.
    #[error(transparent)]
    Unsteady(#[from] Unsteady),
    /// A fixed cohort names a stranger.
    #[error("`train.participation.agents` names `{name}`; there are {}", listed(present))]
    Stranger {
        /// The name.
        name: String,
        /// The agents there are.
        present: Vec<String>,
    },
    /// Settings that the server refuses.
    #[error(transparent)]
    Server(#[from] ServerError),
}

impl<'a, F: Federated> Engine<'a, F> {
    /// Joins the parts. `hessians` are the same losses with second derivatives, for Newton's rule.
    pub fn new(
        federation: &'a F,
        hessians: Option<&'a dyn ConvexLosses>,
        terms: &'a Terms,
        train: &'a Train,
        seed: Seed,
    ) -> Result<Self, EngineError> {
        let agents = federation.agents();
        let sizes: Vec<usize> = (0..agents).map(|k| federation.samples(Part::Train, k)).collect();
        let fixed = fixed_cohort(&train.participation.draw, &terms.names)?;
        let rule = train.rule;
        let method = if rule.info().takes_derivatives {
            if !train.participation.is_whole(agents) {
                return Err(EngineError::NotEverybody);
            }
            Method::Newton(hessians.ok_or(EngineError::NoHessians)?)
        } else {
            let weights = rule.info().weighs_by.choose(&terms.weights, &terms.average);
            let (ceilings, safety) = (terms.ceilings.clone(), train.safety);
            let server = Server::new(rule, safety, train.server, weights, ceilings)?;
            Method::Combine(server.warming_up_by(&terms.average)?)
        };
        let Steadiness { corrects, searches } =
            Steadiness::of::<F::Scalar>(train, agents, federation.dim())?;
        let own = train.rule.info().weighs_by.choose(&terms.weights, &terms.average);
        let objective = Objective::of(train.rule, &train.safety, own, &terms.ceilings);
        let search = match objective.filter(|_| searches) {
            None => None,
            Some(objective) => Some(Comparison { objective, fedavg: fedavg(train, terms)? }),
        };
        Ok(Self {
            federation,
            terms,
            train,
            seed,
            method,
            sizes,
            fixed,
            local: LocalTraining::new(federation),
            corrects,
            search,
            directions: [Vec::new(), Vec::new()],
            common: Vec::new(),
        })
    }

    /// The state before the first round, and its record as round 0.
    pub fn start(&self) -> Result<(State<F::Scalar>, Outcome), TrainError> {
        let params = self.federation.initial(self.seed.derive("model"));
        let server = match &self.method {
            Method::Combine(server) => server.init(),
            Method::Newton(_) => ServerState {
                multipliers: Vec::new(),
                ceilings: self.terms.ceilings.clone(),
                utilities: Vec::new(),
                velocity: Vec::new(),
            },
        };
        let mut state = State {
            round: 0,
            previous: params.clone(),
            params,
            server,
            controls: if self.corrects {
                vec![vec![F::Scalar::ZERO; self.federation.dim()]; self.sizes.len()]
            } else {
                Vec::new()
            },
            newton: NewtonState::default(),
            first_loss: None,
            best: None,
            candidates: Candidates::default(),
            evaluated: None,
        };
        let mut record = RoundRecord::default();
        let standing = Standing::of(self.federation, self.terms, &state.params, None)
            .map_err(|failure| TrainError::device(0, failure, 0))?;
        let mut agents: Vec<AgentRecord> =
            (0..self.sizes.len()).map(|agent| self.blank(0, agent)).collect();
        self.describe(&mut state, standing, &mut record, &mut agents);
        Ok((state, Outcome { round: record, agents, certified: false }))
    }

    /// Writes how everybody stands into the records, and remembers it as a candidate.
    pub(crate) fn describe(
        &self,
        state: &mut State<F::Scalar>,
        standing: Standing,
        record: &mut RoundRecord,
        agents: &mut [AgentRecord],
    ) {
        standing.describe(self.terms, &self.sizes, &state.candidates, record);
        for (agent, line) in agents.iter_mut().enumerate() {
            standing.describe_agent(agent, self.terms.ceilings[agent], line);
        }
        record.validation_welfare = self.chosen_by(&standing);
        if let Some(value) = record.validation_welfare {
            self.remember_best(state, record.round, value);
        }
        state.candidates.add(record.round, standing.utilities);
        state.evaluated = Some(standing.train);
    }

    pub(crate) fn blank(&self, round: usize, agent: usize) -> AgentRecord {
        AgentRecord { round, agent: self.terms.names[agent].clone(), ..AgentRecord::default() }
    }

    /// Who trains.
    #[must_use]
    pub fn federation(&self) -> &F {
        self.federation
    }

    /// The terms of the run.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        self.terms
    }
}

/// FedAvg beside another rule.
fn fedavg(train: &Train, terms: &Terms) -> Result<Option<Server>, ServerError> {
    if train.rule == Rule::Fedavg {
        return Ok(None);
    }
    let ceilings = terms.ceilings.clone();
    Server::new(Rule::Fedavg, train.safety, train.server, &terms.average, ceilings).map(Some)
}

/// The first few names.
fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn fixed_cohort(draw: &Draw, names: &[String]) -> Result<Vec<usize>, EngineError> {
    let Draw::Fixed(wanted) = draw else { return Ok(Vec::new()) };
    let find = |name: &String| {
        let found = names.iter().position(|known| known == name);
        found.ok_or_else(|| EngineError::Stranger { name: name.clone(), present: names.to_vec() })
    };
    let mut fixed = wanted.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    fixed.sort_unstable();
    Ok(fixed)
}
