//! The compiled half of the Python package: arrays come in as they lie in memory, the interpreter is
//! let go while Rust works, and errors arrive as the package's own exceptions.
//!
//! What Python users see is `python/corefed`; nothing here is called directly.

mod answering;
mod audit_session;
mod choose;
mod command;
mod convex;
mod cross_site;
mod drift;
mod families;
mod foreign;
mod judged;
mod linear_agent;
mod linear_answers;
mod newton;
mod own_agent;
mod own_losses;
mod pipeline;
mod raise;
mod rows;
mod rule;
mod run;
mod run_folder;
mod server;
mod several;
mod shown;
mod steadiness;
mod table;
mod terms;

use pyo3::prelude::*;

/// The module `corefed._corefed`.
#[pymodule]
mod _corefed {
    #[pymodule_export]
    use crate::audit_session::{AuditSession, merge_attestation};
    #[pymodule_export]
    use crate::choose::{choices_of, choose_text};
    #[pymodule_export]
    use crate::command::main;
    #[pymodule_export]
    use crate::convex::{Fitted, verify_document, verify_files};
    #[pymodule_export]
    use crate::cross_site::cross_site;
    #[pymodule_export]
    use crate::drift::{learn_control_f32, learn_control_f64};
    #[pymodule_export]
    use crate::families::{families, family_means};
    #[pymodule_export]
    use crate::foreign::audit_models;
    #[pymodule_export]
    use crate::judged::{JudgedUtilities, audit_utilities};
    #[pymodule_export]
    use crate::linear_agent::{LinearAgent, fit_encoding, hospitals_csv};
    #[pymodule_export]
    use crate::linear_answers::public_key;
    #[pymodule_export]
    use crate::newton::newton_step;
    #[pymodule_export]
    use crate::own_agent::OwnAgent;
    #[pymodule_export]
    use crate::pipeline::{resume_run, run_spec, search_ceiling, stay_spec};
    #[pymodule_export]
    use crate::rows::Rows;
    #[pymodule_export]
    use crate::rule::{rules, server_defaults};
    #[pymodule_export]
    use crate::run::{read_audit, read_run, spec_text};
    #[pymodule_export]
    use crate::run_folder::RunWriter;
    #[pymodule_export]
    use crate::server::{Applied, RawServer, log_slope};
    #[pymodule_export]
    use crate::several::{compare_spec, sweep_spec};
    #[pymodule_export]
    use crate::shown::{one_line, run_edits, shown_lines};
    #[pymodule_export]
    use crate::steadiness::{compared_steps, steadiness, step_part};
    #[pymodule_export]
    use crate::table::scan_rivals;
    #[pymodule_export]
    use crate::terms::{ceiling_facts, resolve_ceilings, resolve_weights, settle_ceilings};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "what a module begins with may fail")]
    fn begin(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        corefed_data::pass_over_contained_panics();
        Ok(())
    }
}
