//! The rows of a table as trainings and measurements take them.

use corefed_data::{Design, Federation};
use corefed_sim::{LinearFederation, Samples};

use crate::prepared::TableRun;

/// A linear predictor's rows: those trained on, and those held out, to choose by and to test on.
pub(crate) fn linear(run: &TableRun) -> LinearFederation<&Design, f64> {
    let case = &run.case;
    let classes = case.encoding.classes.len();
    let own = samples(&case.federation, &case.names);
    let mut federation = LinearFederation::new(case.family, classes, case.l2, own);
    if let Some(held_out) = &run.held_out {
        federation = federation.with_held_out(samples(held_out, &case.names));
    }
    if let Some(validation) = &run.validation {
        federation = federation.with_validation(samples(validation, &case.names));
    }
    if let Some(test) = &run.test {
        let names: Vec<String> = test.agents().iter().map(|agent| agent.name.clone()).collect();
        federation = federation.with_test(samples(test, &names));
    }
    federation
}

/// Rows by the agents of the run, some of whom may have none.
fn samples<'a>(data: &'a Federation, names: &[String]) -> Samples<&'a Design> {
    let own = |name: &String| {
        let agent = data.agents().iter().find(|agent| agent.name == *name);
        agent.map_or(0..0, |agent| agent.rows.clone())
    };
    Samples {
        rows: data.design(),
        target: data.target().to_vec(),
        offsets: data.offsets(0..data.design().rows()).to_vec(),
        owned: names.iter().map(own).collect(),
    }
}
