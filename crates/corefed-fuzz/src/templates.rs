//! A folder of every kind, made once: they are of the format of this very build.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use corefed_run::{
    Asked, AskedFor, Several, Silent, StaySettings, Stop, compare, contenders, publish_comparison,
    publish_stay, publish_sweep, run_exact, stay, sweep, train,
};
use corefed_spec::Spec;

use crate::scratch;

/// `exact`, `trained`, `compared`, `swept` and `stayed`.
pub(crate) static TEMPLATES: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = scratch::folder("templates");
    let stop = Stop::default();
    run_exact(&exact(), None, &folder.join("exact"), &stop, &Silent).expect("an exact run");
    train(&rounds(3), None, &folder.join("trained"), &stop, &mut Silent).expect("a training");
    compared(&folder.join("compared"), &stop);
    swept(&folder.join("swept"), &stop);
    let found = stay(&exact(), &StaySettings::default(), None, &stop, &Silent);
    let found = found.expect("an answer on staying").expect("nobody asked to stop");
    publish_stay(&found, &folder.join("stayed")).expect("a folder on staying");
    folder
});

/// What the comparison was asked for.
pub(crate) fn asked() -> AskedFor {
    AskedFor::comparison(&rounds(1), &contenders(&rounds(1), &rules()).expect("rules"))
}

fn exact() -> Spec {
    spec("")
}

fn rounds(count: usize) -> Spec {
    spec(&format!("[train]\nrounds = {count}\n"))
}

fn spec(more: &str) -> Spec {
    let data = scratch::tiny().display().to_string();
    let text = format!(
        "name = \"tiny\"\ndata = {data:?}\nagent = \"agent\"\ntarget = \"sick\"\nmodel = \"logistic\"\n\
         l2 = 0.1\n{more}"
    );
    Spec::parse("template.toml", &text).expect("a spec")
}

fn rules() -> Asked {
    Asked { rules: vec!["fedavg".to_owned(), "corefed".to_owned()], ..Asked::default() }
}

fn compared(path: &Path, stop: &Stop) {
    let (spec, compared) = (rounds(1), contenders(&rounds(1), &rules()).expect("rules"));
    let folder = asked().claim(path, false).expect("a folder");
    let found = compare(&spec, &compared, None, path, Some(1), stop, &Silent);
    let Several::Done(found) = found.expect("a comparison") else { unreachable!("nobody asked") };
    publish_comparison(path, &spec, &compared, &found).expect("tables");
    folder.finish().expect("a finished folder");
}

fn swept(path: &Path, stop: &Stop) {
    let (spec, values) = (exact(), ["1".to_owned(), "2".to_owned()]);
    let asked = AskedFor::sweep(&spec, "ceiling", &values);
    let folder = asked.claim(path, false).expect("a folder");
    let found = sweep(&spec, ("ceiling", &values), None, path, Some(1), stop, &Silent);
    let Several::Done(found) = found.expect("a sweep") else { unreachable!("nobody asked") };
    publish_sweep(path, &spec, &found).expect("tables");
    folder.finish().expect("a finished folder");
}
