//! The mathematics of core-stability, pure and in `f64`: no I/O, threads or clocks, and
//! randomness only as a [`Seed`] that is handed in.
//!
//! `docs/math.md` is the ledger of formulas; code cites its numbers (`ledger E4`).

mod agreed_model;
mod assumption;
mod attested;
mod bound;
mod bounded;
mod ceiling;
mod certificate;
mod choice;
mod digest;
mod exponential;
mod factors;
mod family;
mod intake;
mod json_size;
mod kappa;
pub mod linalg;
mod listed;
mod number;
mod obstacle;
mod predictor;
mod proportionality;
mod range;
mod seed;
mod setting;
mod shown;
mod strict;
mod student_t;
mod target_summary;
mod utility;
mod variates;
mod verdict;
mod veto_certificate;
mod weighting;
mod weights;
mod welfare;
mod writing;

pub use agreed_model::{AgreedModel, OwnModel};
pub use assumption::{Assumption, Status};
pub use attested::{
    ATTESTED_FORMAT, ATTESTED_VERSION, Attestation, AttestedCertificate, AttestedEvidence,
    AttestedWitness, Leaf, LeafGradient, OWN_MODEL_VERSION, Party, Tangent, TangentConflict,
    TangentHopeless, Terms, attested_version,
};
pub use bound::{
    Conflict, KnownLosses, KnownTangent, NegativeGain, PseudoCore, empty_from, frank_wolfe_bound,
    frank_wolfe_gap, headroom, headroom_ahead, ratio_bound, strong_convexity_bound, tangents_bound,
};
pub use bounded::{LARGEST_SPEC, read_bytes, read_text};
pub use ceiling::{
    AloneLosses, CeilingError, CeilingPolicy, LARGEST_CEILING, Reference, ReferenceLosses,
    SMALLEST_CEILING,
};
pub use certificate::{
    AgentStatement, CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Claim, Digests, Evidence,
    Hopeless, Rival, Subject, Witness, WorstLoss,
};
pub use choice::Choice;
pub use digest::{digest_bytes, digest_file, digest_numbers, digest_pieces};
pub use exponential::{exp_nonpositive, log1p_unit};
pub use factors::Factors;
pub use family::{
    Facts, Family, FamilyVisitor, LogisticLoss, MarginLoss, Observation, Quality, SquaredError,
    Targets, UnknownFamily, cross_entropy, label,
};
pub use intake::{DateColumn, DateUse, Intake, TargetScale, UsedRows, is_hole, is_na};
pub use json_size::{
    JsonTooLarge, LARGEST_JSON, MOST_JSON_VALUES, check_json, read_json, read_json_bytes,
};
pub use kappa::{Kappa, Scan, gain, scan};
pub use listed::{Judged, Leaving};
pub use number::Number;
pub use obstacle::Obstacle;
pub use predictor::{Encoding, Feature, Predictor};
pub use proportionality::proportionality;
pub use range::{LARGEST, Range};
pub use seed::Seed;
pub use setting::{SETTINGS, as_flags, setting, with_settings};
pub use shown::{inert_cell, is_hidden, needs_care, one_line, shell_word, shown, shown_lines};
pub use strict::{Compared, Settled};
pub use student_t::{student_t_cdf, student_t_quantile};
pub use target_summary::{CountSummary, TargetSummary};
pub use utility::utilities;
pub use variates::{below, choose, dirichlet, normal, shuffle, uniform};
pub use verdict::{
    Deviation, KappaInterval, LARGEST_TOLERANCE, OPTIMUM_TOLERANCE, TRAINED_TOLERANCE, Verdict,
    exceeds,
};
pub use veto_certificate::{
    Fraction, Prefer, VETO_FORMAT, VETO_VERSION, VetoAgent, VetoCertificate, VetoEvidence,
    VetoFlow, VetoModel,
};
pub use weighting::{WeightPolicy, WeightingError};
pub use weights::{WeightError, Weights};
pub use welfare::{log_welfare, nash_coefficients};
pub use writing::{DecimalMark, Separator, UnknownMark, Writing};
