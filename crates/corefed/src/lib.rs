//! Federated learning that no coalition wants to leave.
//!
//! A predictor that serves several agents is in the *core* if no group of them could train one of
//! its own that serves every member better, by more than the group's share of the say allows. This
//! crate finds such predictors, decides whether a given one is in the core, and writes the answer as a
//! certificate that others can check without trusting it.
//!
//! # From a table to a certificate
//!
//! ```
//! use std::ops::ControlFlow;
//! use corefed::audit::{Parties, Progress, certify};
//! use corefed::data::{EncodeOptions, Encoded, Table, fit, hospitals_csv};
//! use corefed::model::{FederationLosses, worst_losses};
//! use corefed::solve::{Problem, Rule, TableReferences, solve};
//! use corefed::{CeilingPolicy, Family, OPTIMUM_TOLERANCE, Predictor, Verdict, WeightPolicy, verify};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Rows of a table, one column of which names their owner.
//! let table = Table::parse("hospitals.csv", hospitals_csv(8).as_bytes())?;
//! let options = EncodeOptions::new("hospital", "disease", Family::Logistic);
//! let Encoded { encoding, federation } = fit(&table, &options)?;
//!
//! // What agents lose, and at which loss an agent gets nothing.
//! let (l2, radius) = (0.01, 10.0);
//! let losses = FederationLosses::new(&federation, Family::Logistic, encoding.classes.len(), l2);
//! let worst = worst_losses(&losses, radius);
//! let known = TableReferences { model: &losses, worst: &worst };
//! let ceilings = CeilingPolicy::Initial(1.5).resolve(&known)?;
//! let weights = WeightPolicy::Equal.resolve(&federation.sizes())?;
//!
//! // The predictor with the largest product of utilities, and its certificate.
//! let problem = Problem::new(&losses, ceilings, weights, radius);
//! let parameters = solve(&problem, Rule::Core, 1e-10)?.params;
//! let predictor = Predictor { family: Family::Logistic, l2, radius, encoding, parameters };
//! let (names, samples): (Vec<String>, Vec<usize>) =
//!     federation.agents().iter().map(|agent| (agent.name.clone(), agent.samples())).unzip();
//! let (weights, ceilings) = (&problem.weights, &problem.ceilings[..]);
//! let parties = Parties { names: &names, samples: &samples, weights, ceilings };
//! let (digest, watch) = (table.digest(), &mut |_: &Progress| ControlFlow::Continue(()));
//! let found = certify(
//!     &problem, &federation, &predictor, &parties, &worst, &[], OPTIMUM_TOLERANCE, digest, watch,
//! )?;
//! assert_eq!(found.audit.verdict, Verdict::Stable);
//!
//! // Somebody else, with the same rows and no solver, checks it.
//! verify::check_on_data(&found.certificate, &federation, digest)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Where to go on
//!
//! | module | what it does |
//! |---|---|
//! | [`data`] | tables and images in, federations out |
//! | [`model`] | losses with derivatives; implement [`ConvexLosses`](model::ConvexLosses) for your own |
//! | [`solve`] | the core, utilitarian and egalitarian optimum over a ball |
//! | [`audit`] | is this predictor in the core, and what proves it? |
//! | [`verify`] | the checker of certificates, independent of all solvers |
//! | [`rules`] | the server's step of FedAvg, CoreFed, q-FFL and others, on plain arrays |
//! | [`train`] | training by rounds |
//! | [`spec`] | a whole run as a TOML file |
//!
//! Examples: `solve_and_certify`, `audit_table`, `train_rounds`, and `own_model`, which audits a loss of
//! the user's own exactly.

pub use corefed_core::{
    Assumption, CeilingError, CeilingPolicy, Certificate, Claim, Deviation, Encoding, Evidence,
    Family, KappaInterval, OPTIMUM_TOLERANCE, Predictor, ReferenceLosses, Rival, TRAINED_TOLERANCE,
    Verdict, WeightPolicy, WeightingError, Weights, Witness, WorstLoss, headroom, log_welfare,
    scan, utilities,
};

/// Tables and images in, federations out.
pub mod data {
    pub use corefed_data::source::{self, Rows};
    pub use corefed_data::{
        Agent, AppliedFile, Check, Checks, ColumnType, DataError, Design, EncodeOptions, Encoded,
        Federation, FitFile, Images, Missing, Partition, Seed, Split, Synthetic, Table,
        UtilityTable, apply, apply_file, fit, fit_file, hospitals_csv,
    };
}

/// Losses of agents with derivatives.
pub mod model {
    pub use corefed_model::{
        ConvexLosses, FederationLosses, Quadratic, QuadraticLosses, constant_losses, worst_losses,
        zero_losses,
    };
}

/// Optima over a ball.
pub mod solve {
    pub use corefed_solve::{
        Ball, Infeasible, Problem, Rule, Solution, TableReferences, ball_for, solve,
    };
}

/// Is this predictor in the core?
pub mod audit {
    pub use corefed_audit::{
        Audit, Certified, CoalitionValue, FirstOrder, Observer, Parties, Premise, Progress,
        TableAudit, audit, audit_table, certify, coalition_values,
    };
}

/// The checker of certificates.
pub mod verify {
    pub use corefed_verify::{
        Checked, ListedUtilities, VerifyError, check_document, check_on_data, check_table, parse,
    };
}

/// The server's step of every rule.
pub mod rules {
    pub use corefed_rules::{
        Accepted, Applied, AtCeiling, CeilingUse, CoreStep, Interventions, Knob, KnobSlot,
        KnobValues, LocalObjective, LogUtility, PartedUpdate, Plan, Pull, RULES, Reason, Rejected,
        Report, Rule, RuleInfo, Safety, Scalar, Server, ServerError, ServerState, ServerStep,
        Update, WeighsBy, fold, gram, norm_sqr,
    };
}

/// Training by rounds.
pub mod train {
    pub use corefed_sim::{
        Engine, EngineError, Evaluation, Federated, Job, LinearFederation, Outcome, Part, Samples,
        State, Terms, TrainError,
    };
    pub use corefed_spec::{Amount, Cohort, Draw, LocalWork, Participation, Schedule, Train};
}

/// A whole run as a TOML file.
pub mod spec {
    pub use corefed_spec::{
        Ceiling, Mistake, Model, Problem, Spec, SpecErrors, WeightsBy, presets,
    };
}
