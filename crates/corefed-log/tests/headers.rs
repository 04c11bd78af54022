//! Every `run.json` is read back as it was written, to the last bit.

use std::fs;

use corefed_log::{
    AgentHeader, DataHeader, DeviceHeader, ExactHeader, GuardHeader, Guarded, RunFolder, RunHeader,
    RunKind, SteadinessHeader, exact_header, run_kind,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Any number that has a form in JSON, infinities included.
fn number() -> impl Strategy<Value = f64> {
    any::<f64>().prop_map(|x| if x.is_nan() { 0.1 + 0.2 } else { x })
}

fn model() -> impl Strategy<Value = Value> {
    (".*", 0_usize..9, vec(".*", 0..3)).prop_map(|(family, parameters, classes)| {
        json!({ "family": family, "parameters": parameters, "classes": classes })
    })
}

fn data() -> impl Strategy<Value = DataHeader> {
    (".*", ".*").prop_map(|(file, digest)| DataHeader { file, digest })
}

fn agents() -> impl Strategy<Value = Vec<AgentHeader>> {
    let agent = (".*", 0_usize..99, 0_usize..99, number(), number(), option::of(number()));
    let agent = agent.prop_map(|(name, samples, held_out_samples, weight, ceiling, average)| {
        AgentHeader { name, samples, held_out_samples, weight, ceiling, average }
    });
    vec(agent, 0..4)
}

fn guards() -> impl Strategy<Value = Vec<GuardHeader>> {
    let what = prop_oneof![Just(Guarded::Rows), Just(Guarded::FirstLoss), Just(Guarded::Ceiling)];
    let guard = (".*", what, number(), number());
    vec(guard.prop_map(|(agent, what, told, used)| GuardHeader { agent, what, told, used }), 0..3)
}

prop_compose! {
    fn training()(
        (name, rule, seed, rounds) in (".*", ".*", any::<u64>(), 0_usize..999),
        (model, data, agents) in (model(), data(), agents()),
        (tolerance, radius, premise) in (number(), option::of(number()), option::of(".*")),
        device in option::of((".*", ".*", ".*")),
        steadiness in option::of((".*", ".*")),
        (keeps, guards) in (option::of(".*"), guards()),
    ) -> RunHeader {
        RunHeader {
            name,
            rule,
            seed,
            rounds,
            model,
            data,
            agents,
            tolerance,
            radius,
            premise,
            device: device.map(|(kind, name, precision)| DeviceHeader { kind, name, precision }),
            steadiness: steadiness
                .map(|(correction, search)| SteadinessHeader { correction, search }),
            keeps,
            guards,
        }
    }
}

prop_compose! {
    fn exact()(
        (name, rules, seed) in (".*", vec(".*", 0..4), any::<u64>()),
        (model, data, agents) in (model(), data(), agents()),
        (tolerance, radius) in (number(), number()),
    ) -> ExactHeader {
        ExactHeader { name, rules, seed, model, data, agents, tolerance, radius }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn headers_of_trainings_read_back(header in training()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        drop(RunFolder::create(&path, &header, "", None).unwrap());
        prop_assert_eq!(run_kind(&path).unwrap(), Some(RunKind::Training));
        let read = RunFolder::peek(&path).unwrap();
        prop_assert_eq!(read.header(), &header);
    }

    #[test]
    fn headers_of_exact_runs_read_back(header in exact()) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.json"), header.to_json().unwrap()).unwrap();
        prop_assert_eq!(run_kind(folder.path()).unwrap(), Some(RunKind::Exact));
        prop_assert_eq!(exact_header(folder.path()).unwrap(), header);
    }
}
