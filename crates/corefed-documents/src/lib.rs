//! The JSON documents of CoreFed, one type each: what is written is read back by the same type.
//!
//! Every document begins with its `kind` and its `version`, so that a reader knows what it holds before
//! it looks further. [`Document::to_json`] writes, [`Document::parse`] and [`Document::read`] read and say
//! which file is to blame. `docs/output.md` describes the fields.
//!
//! ```
//! use corefed_documents::{Document, Sweep};
//!
//! let (folder, field) = ("runs/sweep".into(), "radius".into());
//! let sweep = Sweep { folder, field, owner: "clinic".into(), points: Vec::new() };
//! let text = sweep.to_json()?;
//! assert!(text.starts_with("{\n  \"kind\": \"sweep\",\n  \"version\": 2,"));
//! assert_eq!(Sweep::parse("sweep.json", &text)?, sweep);
//! # Ok::<(), corefed_documents::DocumentError>(())
//! ```
//!
//! Certificates are documents of [`corefed_core`], and the header and records of a run those of `corefed-log`.

mod answered;
mod audit;
mod ceiling;
mod choice;
mod coalitions;
mod comparison;
mod document;
mod error;
mod held_out;
mod inspection;
mod known_set;
mod labels;
mod names;
mod network;
mod printed;
mod spec_changes;
mod stay;
mod sweep;
mod tuning;
mod verified;

pub use answered::{Answered, AnsweredAgent};
pub use audit::{
    AbsentLine, AgentLine, AuditDocument, BallLine, DeviationLine, FirstOrderLine, Fit, FixedPoint,
    ObstacleLine, RivalLine, Scope, SearchLine, TargetLine,
};
pub use ceiling::{CeilingPoint, CeilingSearch, Recommended, ReferenceLine, Served, Threshold};
pub use choice::{Choice, ChoiceLine, ChoosingAgent, VetoLine};
pub use coalitions::{CoalitionLine, Coalitions, ModelCoalitions};
pub use comparison::{
    ComparedRun, Comparison, DifferenceLine, ExplodedRun, Measure, Measured, PairedDifferences,
    Rows,
};
pub use document::{Document, kind_of, to_json, to_json_line};
pub use error::DocumentError;
pub use held_out::{HeldOutAgent, HeldOutAudit, OnHeldOut};
pub use inspection::{AgentNumbers, InspectedAgent, InspectedColumn, Inspection};
pub use known_set::KnownSet;
pub use labels::Labels;
pub use names::{
    ANSWERED, AUDIT, CERTIFICATE, CHANGES, COALITIONS, FEDERATION, LABELS, STAY, SUMMARY,
};
pub use network::{Gradients, HeldOutUtility, NetworkAudit, SpectrumLine};
pub use printed::{Partitioned, PartitionedAgent, RunAnswer};
pub use spec_changes::{SpecChange, SpecChanges};
pub use stay::{
    BalancedGroup, BestGroup, ContributionLine, Contributions, Estimate, FailedGroup, GainLine,
    KeptGroups, LeavingGroup, LeavingMember, LossAndQuality, PartitionLines, PriceLine,
    PriceOfFairness, RepeatedAgent, RepeatedGroup, Repeats, Spread, Stay, StayAgent, StayClaims,
    StayGroup, StayHeldOut, StayModels, StayVerdict, WhatIf, WhatIfLine, WhatIfQuestion,
};
pub use sweep::{Sweep, SweepPoint, Unserved};
pub use tuning::{Try, TunedRule, Tuning};
pub use verified::{Claimed, Verified};
