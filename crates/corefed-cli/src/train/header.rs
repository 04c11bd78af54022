//! What a run's header says: who takes part, on which data, under which terms.

use corefed_data::Federation;
use corefed_log::{AgentHeader, DataHeader, RunHeader, Tensor};
use corefed_rules::Scalar;
use corefed_sim::{Federated, LinearFederation, Part, Samples, Terms};
use corefed_spec::{Spec, Train};
use serde_json::json;

use super::checkpoint::shaped;
use super::conclude::premise_holds;
use super::image_run::ImageRun;
use super::prepare::{Prepared, TableRun};
use super::summary;

pub(super) fn terms_of_table(run: &TableRun) -> Terms {
    let case = &run.case;
    Terms {
        names: case.names.clone(),
        weights: case.weights.clone(),
        average: run.average.clone(),
        ceilings: case.ceilings.clone(),
        radius: case.radius,
        premise: premise_holds(&case.worst, &case.ceilings),
    }
}

pub(super) fn terms_of_images(run: &ImageRun, radius: f64) -> Terms {
    Terms {
        names: run.agents.iter().map(|agent| agent.name.clone()).collect(),
        weights: run.weights.clone(),
        average: run.average.clone(),
        ceilings: run.ceilings.clone(),
        radius,
        premise: run.worst.iter().zip(&run.ceilings).all(|(worst, ceiling)| worst <= ceiling),
    }
}

pub(super) fn linear(run: &TableRun) -> LinearFederation<&corefed_data::Design, f64> {
    let case = &run.case;
    let classes = case.encoding.classes.len();
    let own = samples(&case.federation, &case.names);
    let mut federation = LinearFederation::new(case.family, classes, case.l2, own);
    if let Some(held_out) = &run.held_out {
        federation = federation.with_held_out(samples(held_out, &case.names));
    }
    if let Some(test) = &run.test {
        let names: Vec<String> = test.agents().iter().map(|agent| agent.name.clone()).collect();
        federation = federation.with_test(samples(test, &names));
    }
    federation
}

/// Rows by the agents of the run, some of whom may have none.
fn samples<'a>(data: &'a Federation, names: &[String]) -> Samples<&'a corefed_data::Design> {
    let own = |name: &String| {
        let agent = data.agents().iter().find(|agent| agent.name == *name);
        agent.map_or(0..0, |agent| agent.rows.clone())
    };
    Samples {
        rows: data.design(),
        target: data.target().to_vec(),
        owned: names.iter().map(own).collect(),
    }
}

pub(super) fn header(spec: &Spec, train: &Train, prepared: &Prepared) -> RunHeader {
    match prepared {
        Prepared::Table(run) => {
            let (file, digest) = (spec.data.to_string(), run.case.digest.clone());
            header_of(spec, train, &linear(run), &terms_of_table(run), DataHeader { file, digest })
        }
        Prepared::Images(run) => {
            let (file, digest) = (spec.data.to_string(), run.digest.clone());
            let terms = terms_of_images(run, spec.radius);
            header_of(spec, train, &run.federation, &terms, DataHeader { file, digest })
        }
    }
}

fn header_of<F: Federated>(
    spec: &Spec,
    train: &Train,
    federation: &F,
    terms: &Terms,
    data: DataHeader,
) -> RunHeader {
    let agent = |k: usize| AgentHeader {
        name: terms.names[k].clone(),
        samples: federation.samples(Part::Train, k),
        held_out_samples: federation.samples(Part::HeldOut, k),
        weight: terms.weights.values()[k],
        ceiling: terms.ceilings[k],
    };
    RunHeader {
        name: spec.name.clone(),
        rule: summary::rule_name(train.rule),
        seed: spec.seed,
        rounds: train.rounds.get(),
        model: json!({
            "family": spec.model,
            "parameters": federation.dim(),
            "scalar": F::Scalar::NAME,
        }),
        data,
        agents: (0..federation.agents()).map(agent).collect(),
        epsilon: spec.epsilon,
        radius: Some(terms.radius),
        premise: Some(
            if terms.premise {
                "utilities are proven non-negative on the ball, so `bound` holds for every rival in it"
            } else {
                "utilities are not proven non-negative on the ball, so there is no `bound`"
            }
            .to_owned(),
        ),
    }
}

/// `weight` and `bias` as a linear layer of `PyTorch` names and shapes them; the intercept is the last
/// feature.
pub(super) fn linear_tensors<T: Scalar>(
    params: &[T],
    blocks: usize,
    intercept: bool,
) -> Vec<Tensor> {
    let dim = params.len() / blocks;
    let features = dim - usize::from(intercept);
    let rows = || params.chunks_exact(dim);
    let weight = rows().flat_map(|row| row[..features].iter().copied());
    let mut tensors = vec![shaped("weight", vec![blocks, features], weight)];
    if intercept {
        let bias = rows().map(|row| row[features]);
        tensors.push(shaped("bias", vec![blocks], bias));
    }
    tensors
}
