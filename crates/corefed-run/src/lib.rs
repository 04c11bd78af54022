//! From a spec to a verdict: agents, terms, solution or training, audit and documents.
//!
//! [`run_exact`] solves a spec without `[train]`, [`train`] and [`resume`] train one by rounds; [`compare`],
//! [`sweep`], [`audit_table`] and [`predict`] are what the commands of those names do. All of them write whole
//! folders or none. Progress goes to an [`Observer`], a [`Stop`] ends a run where it can be resumed, and every
//! [`RunError`] carries its values and a [hint](RunError::hint). Nothing here prints, reads arguments or keeps
//! global state.
//!
//! ```
//! use corefed_core::Verdict;
//! use corefed_run::{Silent, Stop, find_spec, run_exact};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("first");
//! let spec = find_spec("hospitals")?;
//! let run = run_exact(&spec, None, &path, &Stop::default(), &Silent)?.expect("nobody asked to stop");
//! let core = run.core().expect("one of the rules");
//! assert_eq!(core.verdict, Verdict::Stable);
//! assert!(run.report.ends_with("report.html"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod asked_for;
mod attest;
mod attested_audit;
mod audit;
mod case;
mod ceiling;
mod choices;
mod choose;
mod choose_from;
pub mod coalitions;
mod compare;
mod contradiction;
mod corrupted;
mod cross_site;
mod csv_text;
mod declared;
mod edits;
mod error;
mod events;
mod exact;
mod export;
mod foreign;
mod formulas;
mod given;
mod given_predictor;
mod group_training;
mod held_out;
mod hold_out;
mod images;
mod inspect;
mod keys;
mod known_sets;
mod linear_rows;
mod listed;
mod locate;
mod mail;
mod measure;
mod network;
mod observer;
mod optimum;
mod overridden;
mod owned_rows;
mod owner;
mod policy;
mod predict;
mod prepare;
mod prepared;
mod publish;
mod reported;
mod several;
mod shared_tables;
mod side_by_side;
pub mod source;
mod stay;
mod stop;
mod sweep;
mod table;
mod table_case;
mod timing;
mod train;
mod units;
mod verified;
mod warnings;

pub use corefed_evidence::Level;

pub use agent::{AgentError, LinearAgent, Local, Posed};
pub use asked_for::AskedFor;
pub use attest::{OwnAttestation, attest_own, merge_attestations};
pub use attested_audit::attested_audit;
pub use audit::{Audited, Limits, check_tolerance};
pub use case::{Case, CaseTerms};
pub use ceiling::{PRECISIONS, search_ceiling};
pub use choices::{Choices, choices};
pub use choose::{Chosen, choose, choose_among};
pub use choose_from::{AskedChoice, Decided, choose_from};
pub use compare::{Asked, compare, contenders};
pub use contradiction::Claims;
pub use corefed_sim::FlooredWelfare;
pub use cross_site::{CrossSiteAsked, CrossSiteTable, utility_table};
pub use declared::check_ceiling;
pub use edits::edits;
pub use error::{
    ForeignError, GivenError, KeyError, MailError, NoModel, PredictError, PredictorFault,
    PrepareError, RunError, StayError, TermsError, TrainingError,
};
pub use events::{Event, EventStream};
pub use exact::{ExactRun, RULES, run_exact};
pub use export::{AskedRows, Exported, ExportedRows, export};
pub use foreign::{
    AskedPredictions, ForeignModels, Judged, OwnedRows, Predicted, PredictionFiles, Predictions,
    RowLoss, Targets, UnknownLoss,
};
pub use formulas::formulas;
pub use given::Given;
pub use given_predictor::GivenPredictor;
pub use hold_out::HoldOut;
pub use inspect::inspect;
pub use keys::{new_key, read_key};
pub use known_sets::known_sets;
pub use listed::{audit_listed, utilities_csv};
pub use locate::{find_spec, spec_of_run, table_spec};
pub use mail::{
    Answered, AnswersFile, Concluded, MailSession, MailTerms, Mailed, QuestionsFile, Summary,
    account_beside, answer, audit_answers, file_stem, summarise,
};
pub use network::held_out::held_out_utility;
pub use observer::{End, Observer, Observers, Silent, Start};
pub use overridden::overridden;
pub use owned_rows::AGENT;
pub use predict::{Calibration, FittedModel, PredictedRows, Unknown, predict};
pub use prepare::prepare;
pub use prepared::{Prepared, TableRun};
pub use publish::{add_stay, publish_ceiling, publish_comparison, publish_stay, publish_sweep};
pub use reported::RoundFacts;
pub use several::Several;
pub use side_by_side::{Batches, OfBatch, jobs, side_by_side};
pub use stay::{HELD_OUT, MARGIN, MOST_LISTED, SUPPORT, StaySettings, Which, stay, stay_text};
pub use stop::Stop;
pub use sweep::sweep;
pub use table::{audit_table, table_weights};
pub use table_case::{AskedTerms, named_column, table_case};
pub use timing::Timing;
pub use train::{
    TrainedResult, TrainedRun, known_changes, record_changes, resume, train, train_or_resume_on,
    write_unjudged, write_verdict,
};
pub use units::Units;
pub use verified::verify_file;
