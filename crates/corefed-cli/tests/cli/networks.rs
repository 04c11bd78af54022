//! Networks from a spec to a verdict, on images that are drawn by code.

use serde_json::Value;

use crate::harness::{Folder, Said};

const SPEC: &str = "data = 'shapes'
seed = 3
model = 'network'
ceiling = 3.0
held_out = 0.2
sample = 0.2

[network]
layers = ['conv 4 3 stride=2', 'LAYER', 'POOL 2', 'flatten', 'linear 6']

[audit]
lanczos = 4

[partition]
method = 'label-dirichlet'
agents = 3
alpha = 0.5
min_samples = 10

[train]
rounds = 3

[train.local]
epochs = 1
batch = 20
learning_rate = 0.05
";

fn rough() -> String {
    SPEC.replace("LAYER", "relu").replace("POOL", "max-pool")
}

fn smooth() -> String {
    SPEC.replace("LAYER", "softplus").replace("POOL", "avg-pool")
}

fn audit(folder: &Folder, run: &str) -> Value {
    serde_json::from_str(&folder.read(&format!("{run}/audit.json"))).expect("JSON")
}

#[test]
fn a_network_with_kinks_is_searched_and_nothing_nearby_is_certified() {
    let folder = Folder::new(&[("rough.toml", &rough())]);
    let said = folder.run("run rough.toml --out a");
    assert!([0, 1, 3].contains(&said.code), "{}{}", said.out, said.err);
    let audit = audit(&folder, "a");
    let network = &audit["network"];
    assert_eq!(network["headroom"]["label"], "certified");
    assert_eq!(network["witness"]["label"], "searched");
    assert_eq!(network["local"]["label"], "not-applicable");
    let reason = network["local"]["rests_on"][0].as_str().expect("a reason");
    assert!(reason.contains("kinks"), "{reason}");
    assert_eq!(network["spectrum"], serde_json::json!([]));
    let (lo, hi) = (audit["kappa"]["lo"].as_f64(), audit["kappa"]["hi"].as_f64());
    // Two of three agents can stay, and everybody can.
    assert!(lo >= Some(2.0 / 3.0) && hi >= lo, "{audit}");
    let everybody = &audit["everybody"];
    assert!(everybody["lo"].as_f64() >= Some(1.0), "{audit}");
    assert!(everybody["hi"].as_f64() >= everybody["lo"].as_f64(), "{audit}");
    assert!(folder.read("a/report.html").contains("headroom"));
}

#[test]
fn a_smooth_network_has_a_certified_ball_and_a_larger_estimated_one() {
    let folder = Folder::new(&[("smooth.toml", &smooth())]);
    let said = folder.run("run smooth.toml --out a");
    assert!([0, 1, 3].contains(&said.code), "{}{}", said.out, said.err);
    let network = &audit(&folder, "a")["network"];
    assert_eq!(network["local"]["label"], "certified", "{network}");
    let proven = network["local"]["finding"]["radius"].as_f64().expect("a radius");
    assert_eq!(network["local_estimate"]["label"], "estimated", "{network}");
    let estimated = network["local_estimate"]["bound"]["radius"].as_f64().expect("a radius");
    assert!(0.0 < proven && proven < estimated, "{proven} and {estimated}");
    let spectrum = network["spectrum"].as_array().expect("three agents");
    assert_eq!(spectrum.len(), 3);
    for line in spectrum {
        assert!(line["smallest"].as_f64() <= line["largest"].as_f64(), "{line}");
    }
    assert!(network["gradients"]["log_welfare"].as_f64() > Some(0.0));
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let folder = Folder::new(&[("rough.toml", &rough())]);
    folder.run("run rough.toml --out a --threads 1");
    folder.run("run rough.toml --out b --threads 2");
    for file in ["model.safetensors", "rounds.jsonl", "audit.json"] {
        let read = |run: &str| std::fs::read(folder.path(&format!("{run}/{file}"))).expect(file);
        assert_eq!(read("a"), read("b"), "{file}");
    }
}

#[test]
fn a_bounded_loss_has_a_ceiling_that_needs_no_assumption() {
    let spec = rough().replace("ceiling = 3.0", "ceiling = 'worst'");
    let folder = Folder::new(&[("n.toml", &spec)]);
    let refused = folder.run("run n.toml");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("`network` has no largest loss"), "{}", refused.err);
    let said = folder.run("run n.toml --set network.smoothing=0.01 --out a");
    assert_ne!(said.code, 2, "{}", said.err);
    let header: Value = serde_json::from_str(&folder.read("a/run.json")).expect("JSON");
    let ceiling = header["agents"][0]["ceiling"].as_f64().expect("a ceiling");
    assert!((ceiling - (6.0_f64 / 0.01).ln()).abs() < 1e-12, "{ceiling}");
}

/// The message of a command that must fail.
fn refused(folder: &Folder, arguments: &str) -> String {
    let Said { code, err, out } = folder.run(arguments);
    assert_eq!(code, 2, "{out}{err}");
    err
}

#[test]
fn what_does_not_fit_is_named() {
    let folder = Folder::new(&[("n.toml", &rough())]);
    let said = folder.run_with(&[
        "run",
        "n.toml",
        "--set",
        "network.layers=[\"conv 4 99\", \"flatten\", \"linear 6\"]",
    ]);
    assert!(said.err.contains("layer 1 (`conv 4 99`) cannot take 16x16x1"), "{}", said.err);
    let said =
        folder.run_with(&["run", "n.toml", "--set", "network.layers=[\"flatten\", \"linear 7\"]"]);
    assert!(said.err.contains("makes 7 features, and there are 6 classes"), "{}", said.err);
    let said = refused(&folder, "run n.toml --set l2=1");
    assert!(said.contains("`l2` is for linear predictors"), "{said}");
    let said = refused(&folder, "run hospitals-rounds --set model=cnn");
    assert!(said.contains("takes images"), "{said}");
}

#[test]
fn a_rate_that_explodes_names_round_and_agent_and_keeps_the_last_good_model() {
    let folder = Folder::new(&[("n.toml", &rough())]);
    let said = refused(&folder, "run n.toml --set train.local.learning_rate=1e9 --out a");
    assert!(said.contains("round") && said.contains("agent"), "{said}");
    assert!(folder.path("a/model.safetensors").exists());
}

#[test]
fn without_a_gpu_the_device_is_refused_before_anything_is_written() {
    let folder = Folder::new(&[("n.toml", &rough())]);
    let said = folder.run("run n.toml --device cuda --out a");
    // On a machine with a GPU this trains; here it must say what is missing.
    if said.code == 2 {
        assert!(said.err.contains("hint:"), "{}", said.err);
        let left_out = cfg!(not(feature = "cuda"));
        assert_eq!(said.err.contains("--features cuda"), left_out, "{}", said.err);
        assert!(!folder.path("a").exists());
    } else {
        assert!(folder.path("a/model.safetensors").exists());
    }
}

#[test]
fn noise_on_one_agent_costs_that_agent() {
    let folder = Folder::new(&[("n.toml", &rough())]);
    let utility = |run: &str| -> f64 {
        let lines = folder.records(&format!("{run}/agents.jsonl"));
        let own = lines.iter().rfind(|line| line["agent"] == "agent-1").expect("an agent");
        own["utility"].as_f64().expect("a utility")
    };
    folder.run("run n.toml --out clean");
    let noisy = rough() + "\n[corrupt]\nagent-1 = ['labels:0.8']\n";
    folder.write("noisy.toml", &noisy);
    let said = folder.run("run noisy.toml --out noisy");
    assert_ne!(said.code, 2, "{}", said.err);
    assert!(utility("noisy") < utility("clean"), "{} {}", utility("noisy"), utility("clean"));
}

#[test]
fn the_page_says_what_is_certified_estimated_and_searched_with_intervals_by_name() {
    let folder = Folder::new(&[("rough.toml", &rough())]);
    let said = folder.run("run rough.toml --set audit.level=0.8 --out a");
    assert_ne!(said.code, 2, "{}", said.err);
    let network = &audit(&folder, "a")["network"];
    let names = ["agent-0", "agent-1", "agent-2"];
    let header: Value = serde_json::from_str(&folder.read("a/run.json")).expect("JSON");
    let known: Vec<&Value> =
        header["agents"].as_array().expect("agents").iter().map(|agent| &agent["name"]).collect();
    assert_eq!(network["agents"].as_array().expect("names").iter().collect::<Vec<_>>(), known);
    let page = folder.read("a/report.html");
    let (_, section) = page.split_once("<section id=\"evidence\"").expect("a section");
    let (section, _) = section.split_once("</section>").expect("its end");
    for word in ["</span> certified<", "</span> searched only<", "(80\u{202f}%)"] {
        assert!(section.contains(word), "{word} is missing in {section}");
    }
    for (own, name) in network["held_out"].as_array().expect("utilities").iter().zip(&known) {
        let name = name.as_str().expect("a name");
        assert!(section.contains(&format!(">{name}</th>")), "{name} is missing in {section}");
        let (mean, interval) = (own["mean"].as_f64(), &own["truncated"]);
        assert_eq!(interval["level"].as_f64(), Some(0.8));
        // Truncation only ever adds.
        assert!(interval["hi"].as_f64() >= mean, "{own}");
        assert!(interval["lo"].as_f64() <= interval["hi"].as_f64(), "{own}");
    }
    // Rivals that were trained are called by those they were trained for.
    if let Some(rival) = network["witness"]["finding"]["rival"].as_str() {
        let listed = ["zero", "untrained", "local map", "incumbent"].contains(&rival);
        assert!(listed || names.iter().any(|name| rival.contains(name)), "{rival}");
    }
}

#[test]
fn a_network_does_not_go_on_with_another_arithmetic() {
    let folder = Folder::new(&[("rough.toml", &rough())]);
    assert_ne!(folder.run("run rough.toml --out a").code, 2);
    let written = folder.read("a/run.json");
    let header: Value = serde_json::from_str(&written).expect("JSON");
    let cpu = serde_json::json!({ "kind": "cpu", "name": "CPU", "precision": "fp32" });
    assert_eq!(header["device"], cpu);
    assert!(folder.read("a/report.html").contains("<dt>Computed on</dt><dd>CPU, fp32</dd>"));
    let with = |device: Option<Value>| {
        let mut header = header.clone();
        let fields = header.as_object_mut().expect("fields");
        fields.remove("device");
        fields.extend(device.map(|device| ("device".to_owned(), device)));
        folder.write("a/run.json", &header.to_string());
    };
    with(Some(serde_json::json!({ "kind": "cuda", "name": "X1", "precision": "tf32" })));
    let err = refused(&folder, "run --resume a");
    assert!(err.contains("was started on X1, tf32 and cannot be resumed on CPU, fp32"), "{err}");
    with(Some(serde_json::json!({ "kind": "cuda", "name": "X1", "precision": "bf16" })));
    let err = refused(&folder, "run --resume a");
    assert!(err.contains("was started on X1, bf16 and cannot be resumed on CPU, fp32"), "{err}");
    // An older folder does not say, but its spec does.
    with(None);
    let said = folder.run("run --resume a");
    assert_ne!(said.code, 2, "{}", said.err);
    // Another processor of the same kind.
    with(Some(serde_json::json!({ "kind": "cpu", "name": "another", "precision": "fp32" })));
    assert_ne!(folder.run("run --resume a").code, 2);
}
