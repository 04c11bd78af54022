//! Pages stay light: an ordinary run below 1 MB, a thousand agents and ten thousand rounds below 2 MB.

mod common;

use common::{agents, full, model, run};
use corefed_report::{Page, render};

#[test]
fn an_ordinary_run_is_far_below_a_megabyte() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut page = full();
    page.agents = agents(&names);
    page.models = ["core", "fedavg", "afl"].map(|name| model(name, &[0.123_456_789; 8])).into();
    page.runs = ["core", "fedavg", "afl"].map(|name| run(name, &names, 200)).into();
    let size = render(&page).len();
    assert!(size < 1_000_000, "{size} bytes");
}

#[test]
fn a_thousand_agents_and_ten_thousand_rounds_stay_usable() {
    let names: Vec<String> = (0..1000).map(|k| format!("hospital {k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let utilities: Vec<f64> = (0..1000).map(|k| 0.1 + 0.9 * f64::from(k) / 1013.7).collect();
    let run = run("corefed", &names, 10_000);
    let page = Page {
        agents: agents(&names),
        models: vec![model("corefed", &utilities)],
        rivals: run.snapshots.clone(),
        runs: vec![run],
        sweep: None,
        data: None,
        ..full()
    };
    let html = render(&page);
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    assert!(html.contains("Each point stands for up to 34 rounds"));
    assert!(html.contains("The 20 worst off"));
    assert!(html.contains("100 of 1000 rows are shown; the downloads have all."));
    if let Ok(path) = std::env::var("COREFED_LARGE_PAGE") {
        std::fs::write(path, html).unwrap();
    }
}
