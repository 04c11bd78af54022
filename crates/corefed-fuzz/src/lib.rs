//! Every way in which somebody else's bytes come in, as functions of bytes.
//!
//! A target takes any bytes and returns. What it is given may be refused; it must not panic, take long, or
//! need much memory, and where two ways through the code should agree, they must. The fuzzer in `fuzz/` calls
//! targets with bytes that it makes up from a corpus, `cargo test` with the corpus itself.
//! `docs/fuzzing.md` says how to run them.

mod answers;
mod certificates;
mod folders;
mod live;
mod nodes;
mod partitions;
mod predictors;
mod replies;
mod scratch;
mod sets;
mod specs;
mod tables;
mod templates;
mod utilities;

pub use corefed_data::pass_over_contained_panics;

/// A way in.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, and that of its folder of kept inputs.
    pub name: &'static str,
    /// What comes in there, in one line.
    pub about: &'static str,
    /// Takes any bytes.
    pub run: fn(&[u8]),
}

/// All of them, in the order of a list.
pub const TARGETS: &[Target] = &[
    target("csv", "a table of text: separators, quotes, packing, encoding", tables::csv),
    target("parquet", "a Parquet file", tables::parquet),
    target("idx", "images and labels of MNIST and its kin", sets::idx),
    target("cifar", "batches of CIFAR-10", sets::cifar),
    target("uci", "the files of UCI Adult and Heart Disease", sets::uci),
    target("spec", "a spec and settings on top of it", specs::spec),
    target("certificate", "a certificate, against itself and on data", certificates::certificate),
    target(
        "attestation",
        "answers that agents signed, and their merging",
        certificates::attestation,
    ),
    target("predictor", "a predictor, audited and asked for predictions", predictors::predictor),
    target("utilities", "a table of utilities, audited and chosen from", utilities::utilities),
    target("partition", "a partition file", partitions::partition),
    target("safetensors", "a model or a checkpoint of a training", folders::safetensors),
    target("folder", "a file of a folder: read, reported, exported, resumed", folders::folder),
    target("live", "a request to the live page", live::live),
    target("replies", "losses and updates that agents report in rounds", replies::replies),
    target("answers", "an agent's summary or answers, by mail", answers::answers),
    target("questions", "a coordinator's questions, by mail", answers::questions),
    target("node", "what a SuperLink sends to a node: answers, objects, questions", nodes::node),
];

const fn target(name: &'static str, about: &'static str, run: fn(&[u8])) -> Target {
    Target { name, about, run }
}

/// Looks a target up by its name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
