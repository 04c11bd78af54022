//! Equal inputs give equal bytes: at any number of threads, a second time, from the resolved spec.

use crate::harness::Folder;
use crate::run_folder::same;

/// Everything that is drawn: batches, cohorts, dropouts, stragglers, held-out rows, corruptions.
const BUSY: &str = "run hospitals-rounds --set train.rounds=6 --set train.local.batch=16 \
     --set train.local.momentum=0.9 --set train.server_momentum=0.5 \
     --set train.participation.cohort=4 --set train.participation.dropout=0.2 \
     --set train.participation.stragglers=0.3 --set train.local.learning_rate=0.05 \
     --set held_out=0.2 --set corrupt.Aachen=[\"labels:0.2\"] \
     --set train.record.checkpoint_every=2 --set train.record.tensorboard=true";

const TENSORBOARD: &str = "tensorboard/events.out.tfevents.0.corefed";

#[test]
fn a_training_repeats_to_the_byte_at_any_number_of_threads() {
    let folder = Folder::new(&[]);
    for threads in [1, 2, 8] {
        let said = folder.run(&format!("{BUSY} --threads {threads} --out run{threads}"));
        assert_ne!(said.code, 2, "{}", said.err);
    }
    let one = folder.files("run1");
    assert!(one[TENSORBOARD].len() > 1000, "{} bytes", one[TENSORBOARD].len());
    same(&one, &folder.files("run2"));
    same(&one, &folder.files("run8"));
    // A second time, from the spec with every default spelled out.
    folder.write("again.toml", &folder.read("run1/spec.toml"));
    assert_ne!(folder.run("run again.toml --out again").code, 2);
    same(&one, &folder.files("again"));
}

#[test]
fn images_train_to_the_same_bytes_at_any_number_of_threads() {
    let spec = "data = \"shapes\"\nmodel = \"softmax\"\n[partition]\nmethod = \"shards\"\n\
                agents = 40\n[train]\nrounds = 2\n[train.participation]\ncohort = 36\n";
    let folder = Folder::new(&[("shapes.toml", spec)]);
    for threads in [1, 8] {
        let said = folder.run(&format!("run shapes.toml --threads {threads} --out run{threads}"));
        assert_ne!(said.code, 2, "{}", said.err);
    }
    same(&folder.files("run1"), &folder.files("run8"));
}

#[test]
fn curves_for_tensorboard_change_no_other_file_but_the_spec() {
    let folder = Folder::new(&[]);
    let run = "run hospitals-rounds --set train.rounds=3";
    assert_ne!(folder.run(&format!("{run} --out without")).code, 2);
    let on = "--set train.record.tensorboard=true";
    assert_ne!(folder.run(&format!("{run} {on} --out with")).code, 2);
    let (without, mut with) = (folder.files("without"), folder.files("with"));
    assert!(with.remove(TENSORBOARD).is_some());
    // The checkpoint holds the spec, the list of digests knows it, and the page shows it.
    for name in ["checkpoints/00000003.checkpoint", "digests.sha256"] {
        with.insert(name.into(), without[name].clone());
    }
    for name in ["spec.toml", "report.html"] {
        let text = String::from_utf8(with[name].clone()).expect("UTF-8");
        let text = text.replace("tensorboard = true", "tensorboard = false");
        with.insert(name.into(), text.into());
    }
    same(&without, &with);
}

#[test]
fn another_seed_is_another_training() {
    let folder = Folder::new(&[]);
    for seed in [1, 2] {
        let said = folder.run(&format!("{BUSY} --seed {seed} --out run{seed}"));
        assert_ne!(said.code, 2, "{}", said.err);
    }
    assert_ne!(folder.files("run1")["rounds.jsonl"], folder.files("run2")["rounds.jsonl"]);
}
