//! The specs that come with the program, and the reference.

use std::num::NonZeroUsize;
use std::path::Path;

use corefed_core::Family;
use corefed_data::Method;
use corefed_spec::{
    Amount, Ceiling, DataSource, LocalWork, Model, PartitionSpec, Schedule, Spec, Train, WeightsBy,
    presets,
};

#[test]
fn every_preset_parses_and_resolves() {
    for preset in presets() {
        let spec = Spec::parse("file.toml", preset.text).unwrap();
        assert_eq!(spec.name, preset.name);
        assert_eq!(Spec::preset(preset.name), Some(spec.clone()));
        assert_eq!(Spec::parse("other.toml", &spec.to_toml()), Ok(spec));
    }
    assert_eq!(Spec::preset("hospital"), None);
}

#[test]
fn the_hospitals_are_an_exact_run_and_the_others_train() {
    let hospitals = Spec::preset("hospitals").unwrap();
    assert_eq!(
        (hospitals.seed, hospitals.ceiling, hospitals.radius, hospitals.train),
        (8, Ceiling::Fixed(1.0), 10.0, None)
    );
    let rounds = Spec::preset("hospitals-rounds").unwrap();
    assert_eq!(rounds.train.unwrap().local.batch, None);
}

#[test]
fn the_papers_settings_are_in_the_presets() {
    let count = |n| NonZeroUsize::new(n).unwrap();
    for (name, model, ceiling) in
        [("adult", Family::Logistic, 3.0), ("mnist", Family::Softmax, 1.0)]
    {
        let spec = Spec::preset(name).unwrap();
        assert_eq!((spec.data, spec.model), (DataSource::Known(name), Model::Linear(model)));
        assert_eq!(spec.ceiling, Ceiling::Fixed(ceiling));
        let method = Method::LabelDirichlet { agents: 3, alpha: 0.5, min_samples: 10 };
        assert_eq!(spec.partition, Some(PartitionSpec::Method(method)));
        let local = LocalWork {
            amount: Amount::Epochs(count(10)),
            batch: Some(count(64)),
            learning_rate: 0.01,
            momentum: 0.9,
            weight_decay: 1e-5,
            schedule: Schedule::Constant,
        };
        assert_eq!(spec.train, Some(Train { rounds: count(50), local, ..Train::default() }));
    }
}

#[test]
fn an_empty_training_is_the_default_one() {
    let spec = Spec::parse("t.toml", "data = 'heart'\nmodel = 'logistic'\n[train]\n").unwrap();
    assert_eq!(spec.train, Some(Train::default()));
}

#[test]
fn files_are_relative_to_a_folder() {
    let text = "data = 'a.csv'\ntarget = 'y'\nmodel = 'linear'\nceiling = 'c.csv'\n\
                weights = '/w.csv'\n[partition]\nfile = 'p.json'\n";
    let spec = Spec::parse("spec.toml", text).unwrap().relative_to(Path::new("in"));
    assert_eq!(spec.data.file(), Some(Path::new("in/a.csv")));
    assert_eq!(spec.ceiling, Ceiling::File("in/c.csv".into()));
    assert_eq!(spec.weights, WeightsBy::File("/w.csv".into()));
    assert_eq!(spec.partition, Some(PartitionSpec::File("in/p.json".into())));
    assert_eq!((spec.name.as_str(), spec.average), ("spec", WeightsBy::Samples));
}

#[test]
fn the_documented_reference_is_the_generated_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec.md");
    let written = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    assert!(
        written == Spec::reference(),
        "run `cargo run -p corefed-spec --example reference > docs/spec.md`"
    );
}
