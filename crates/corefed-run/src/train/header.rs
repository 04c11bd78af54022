//! What a run's header says: who takes part, on which data, under which terms.

use corefed_log::{AgentHeader, DataHeader, DeviceHeader, RunHeader, SteadinessHeader, Tensor};
use corefed_nn::Network;
use corefed_rules::Scalar;
use corefed_sim::{Federated, Part, Steadiness, Terms, keeps_best};
use corefed_spec::{Device, Precision, Spec, Train};
use serde_json::json;

use super::checkpoint::shaped;
use super::last_record::premise_holds;
use crate::images::case::ImageRun;
use crate::linear_rows::linear;
use crate::prepared::{Prepared, TableRun};

pub(crate) fn terms_of_table(run: &TableRun) -> Terms {
    let case = &run.case;
    Terms {
        names: case.names.clone(),
        weights: case.weights.clone(),
        average: run.average.clone(),
        ceilings: case.ceilings.clone(),
        radius: case.radius,
        premise: premise_holds(&case.worst, &case.ceilings),
        nonnegative: case.family.nonnegative_loss(),
    }
}

pub(super) fn header(spec: &Spec, train: &Train, prepared: &Prepared) -> RunHeader {
    match prepared {
        Prepared::Table(run) => {
            let (file, digest) = (spec.data.to_string(), run.case.digest.clone());
            header_of(spec, train, &linear(run), &terms_of_table(run), DataHeader { file, digest })
        }
        Prepared::Images(run) => of_images(spec, train, run),
        Prepared::Network(run) => {
            RunHeader { device: prepared.device(), ..of_images(spec, train, run) }
        }
    }
}

/// What a spec asks a network to be computed on, whose name it does not know.
pub(super) fn asked_device(spec: &Spec) -> Option<DeviceHeader> {
    let network = spec.model.network()?;
    let (kind, name, precision) = match (network.device, network.precision) {
        (Device::Cpu, _) => ("cpu", "CPU", Precision::Fp32),
        (Device::Cuda, precision) => ("cuda", "a GPU", precision),
    };
    let [kind, name, precision] = [kind, name, precision.name()].map(str::to_owned);
    Some(DeviceHeader { kind, name, precision })
}

fn of_images<F: Federated>(spec: &Spec, train: &Train, run: &ImageRun<F>) -> RunHeader {
    let data = DataHeader { file: spec.data.to_string(), digest: run.case.digest.clone() };
    header_of(spec, train, &*run.federation, &run.case.terms(spec.radius), data)
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
        average: Some(terms.average.values()[k]),
    };
    RunHeader {
        name: spec.name.clone(),
        rule: train.rule.label(),
        seed: spec.seed,
        rounds: train.rounds.get(),
        model: json!({
            "family": spec.model.to_string(),
            "parameters": federation.dim(),
            "scalar": F::Scalar::NAME,
        }),
        data,
        agents: (0..federation.agents()).map(agent).collect(),
        tolerance: spec.tolerance,
        radius: Some(terms.radius),
        premise: Some(
            if terms.premise {
                "utilities are proven non-negative on the ball, so `bound` holds for every rival in it"
            } else {
                "utilities are not proven non-negative on the ball, so there is no `bound`"
            }
            .to_owned(),
        ),
        device: None,
        steadiness: steadiness::<F>(train, federation),
        keeps: keeps_best(train, federation).then(|| "best".to_owned()),
        guards: Vec::new(),
    }
}

/// What `auto` comes to; a training that cannot be is refused elsewhere.
fn steadiness<F: Federated>(train: &Train, federation: &F) -> Option<SteadinessHeader> {
    let found = Steadiness::of::<F::Scalar>(train, federation.agents(), federation.dim()).ok()?;
    Some(SteadinessHeader {
        correction: if found.corrects { "control" } else { "none" }.to_owned(),
        search: if found.searches { "on" } else { "off" }.to_owned(),
    })
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

/// Tensors as a sequential network of PyTorch names and shapes them.
pub(super) fn network_tensors(network: &Network, params: &[f32]) -> Vec<Tensor> {
    let tensors = network.to_tensors(params).into_iter();
    tensors.map(|tensor| shaped(&tensor.name, tensor.shape, tensor.data.into_iter())).collect()
}
