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
//! use std::sync::Arc;
//! use corefed::data::{EncodeOptions, Encoded, Table, fit, hospitals_csv};
//! use corefed::run::{Audited, Case, CaseTerms, Limits, Silent, Stop};
//! use corefed::solve::Rule;
//! use corefed::{CeilingPolicy, Family, OPTIMUM_TOLERANCE, Verdict, WeightPolicy, verify};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Rows of a table, one column of which names their owner.
//! let table = Table::parse("hospitals.csv", hospitals_csv(8).as_bytes())?;
//! let options = EncodeOptions::new("hospital", "disease", Family::Logistic);
//! let Encoded { encoding, federation, .. } = fit(&table, &options)?;
//! let federation = Arc::new(federation);
//!
//! // At which loss an agent gets nothing, who has how much say, and where predictors are searched.
//! let (family, ceiling) = (Family::Logistic, CeilingPolicy::Initial(1.5));
//! let weights = WeightPolicy::Equal.resolve(&federation.sizes())?;
//! let terms = CaseTerms { family, l2: 0.01, radius: 10.0, weights, ceiling, held_out: None };
//! let (digest, name) = (table.digest().to_owned(), "hospitals.csv".to_owned());
//! let case = Case::of(Arc::clone(&federation), encoding, digest, name, terms)?;
//!
//! // The predictor with the largest product of utilities, and its certificate.
//! let losses = case.losses();
//! let problem = case.problem(&*losses);
//! let solution = case.solve(&problem, Rule::Core)?;
//! let audited = Audited::solution("audit", Rule::Core, &solution);
//! let limits = Limits { tolerance: OPTIMUM_TOLERANCE, time_limit: 60.0 };
//! let found = case.audit(&problem, &audited, limits, &Stop::default(), &mut Silent)?;
//! let (audit, certificate) = found;
//! assert_eq!(audit.verdict, Verdict::Stable);
//!
//! // Somebody else, with the same rows and no solver, checks it.
//! verify::check_on_data(&certificate, &federation, table.digest())?;
//! # Ok(())
//! # }
//! ```
//!
//! # Where to continue
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
//! | [`run`] | from a spec, or a table with its terms, to a verdict and its documents |
//!
//! Examples: `solve_and_certify`, `audit_table`, `train_rounds`, and `own_model`, which audits a loss of
//! the user's own exactly.

pub use corefed_core::{
    Assumption, CeilingError, CeilingPolicy, Certificate, Claim, Deviation, Encoding, Evidence,
    Family, KappaInterval, OPTIMUM_TOLERANCE, Predictor, ReferenceLosses, Rival, Seed,
    TRAINED_TOLERANCE, Verdict, WeightPolicy, WeightingError, Weights, Witness, WorstLoss,
    as_flags, headroom, log_welfare, scan, utilities,
};

/// Tables and images in, federations out.
pub mod data {
    pub use corefed_data::source::{self, Rows};
    pub use corefed_data::{
        Agent, AppliedFile, Check, Checks, ColumnType, DataError, Design, EncodeOptions, Encoded,
        Federation, FitFile, Images, Missing, Partition, Split, Synthetic, Table, UtilityTable,
        apply, apply_file, fit, fit_file, hospitals_csv,
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

/// From a spec, or a table with its terms, to a verdict and its documents.
pub mod run {
    pub use corefed_run::{
        Audited, Case, CaseTerms, End, Event, EventStream, ExactRun, Limits, Observer, Observers,
        Prepared, RunError, Several, Silent, Start, Stop, TrainedResult, TrainedRun, audit_table,
        compare, find_spec, predict, prepare, resume, run_exact, search_ceiling, sweep, train,
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
