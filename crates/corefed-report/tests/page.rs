//! What is on a page, and what is behind it.

mod common;

use common::{EVIL, full, model};
use corefed_core::{Factors, Status, Verdict};
use corefed_documents::{HeldOutAgent, HeldOutAudit, OnHeldOut};
use corefed_report::{
    Evidence, HeldOutLine, Moving, Page, PairedLine, Scope, Stated, Worth, figures, render,
};
use serde_json::{Value, json};

/// The JSON inside the page.
fn embedded(html: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"corefed-data\">";
    let (_, rest) = html.split_once(start).expect("data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_hospital_called_script_is_shown_as_text() {
    let html = render(&full());
    assert!(!html.contains("<script>alert"), "a name acts");
    assert!(html.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"));
    // The page's own two scripts, and no third.
    assert_eq!(html.matches("<script").count(), 2);
    assert_eq!(html.matches("</script>").count(), 2);
    assert_eq!(embedded(&html)["agents"][0]["name"], EVIL);
    for figure in figures(&full()) {
        assert!(!figure.svg.contains("<script"), "{}", figure.name);
    }
}

#[test]
fn equal_pages_are_equal_bytes() {
    assert_eq!(render(&full()), render(&full()));
    assert_eq!(figures(&full()), figures(&full()));
}

#[test]
fn the_data_behind_the_charts_are_those_that_came_in() {
    let data = embedded(&render(&full()));
    // All digits: 0.1 + 0.2 is not 0.3.
    assert_eq!(data["models"][0]["utilities"], json!([0.1 + 0.2, 0.4]));
    assert_eq!(data["models"][0]["alone"], json!([0.9, null]));
    assert_eq!(data["models"][0]["coalitions"][1], json!([[1], 1.25, 1.3, [1.25]]));
    assert_eq!(data["models"][1]["kappa"], json!({"lo": 4.5, "hi": "inf"}));
    assert_eq!(data["models"][1]["deviation"]["members"], json!([0]));
    assert_eq!(data["rivals"][0]["utilities"], json!([0.2, 0.7]));
    // Worst first, and the ring: the better of its smaller groups gives agent 0 1.5 times 0.3.
    let agents = &data["tables"]["agents"];
    assert_eq!(
        agents["columns"],
        json!(["agent", "rows", "weight", "ceiling", "core", "fedavg", "alone", "best group"])
    );
    assert_eq!(
        agents["rows"][0],
        json!([EVIL, 120, 1.0, 1.0, 0.1 + 0.2, 0.1, 0.9, 1.5 * (0.1 + 0.2)])
    );
    assert_eq!(data["tables"]["sweep"]["rows"][0][2], json!(1.4));
    assert_eq!(data["tables"]["data-by-agent"]["rows"][1], json!(["Bergen", 120, 60, 60]));
    let rounds = &data["tables"]["rounds-log-welfare"]["rows"];
    assert_eq!(rounds.as_array().unwrap().len(), 6);
    assert_eq!(rounds[5], json!([5, 0.8]));
    assert_eq!(data["tables"]["closest"]["rows"][0][0], json!(EVIL));
}

#[test]
fn sections_come_and_go_with_their_data() {
    let all =
        ["answer", "comparison", "agents", "explorer", "ceiling", "training", "data", "provenance"];
    let shown = |page: &Page| -> Vec<&str> {
        let html = render(page);
        let here = |id: &&&str| html.contains(&format!("<section id=\"{id}\""));
        all.iter().filter(here).copied().collect()
    };
    assert_eq!(shown(&full()), all);
    assert_eq!(shown(&Page::default()), ["provenance"]);
    let without_models = Page { models: Vec::new(), ..full() };
    assert_eq!(shown(&without_models), ["comparison", "ceiling", "training", "data", "provenance"]);
    let only_models = Page { compared: None, sweep: None, runs: Vec::new(), data: None, ..full() };
    // Sizes are known by agent, so there still is something to say about data.
    assert_eq!(shown(&only_models), ["answer", "agents", "explorer", "data", "provenance"]);
}

#[test]
fn verdicts_are_told_in_plain_words() {
    let html = render(&full());
    assert!(html.contains("No group of banks can do better by more than its share allows."));
    assert!(html.contains("Certified for every model in the ball of radius 10"));
    assert!(html.contains("To leave, k of 2 banks would need 2/k times what they have."));
    assert!(html.contains(
        "With a model of its own it gets x9.00 what it has, and a group of 1 of 2 needs x2."
    ));
    assert!(
        html.contains("would have 0.900 instead of 0.300 (x3.00); leaving alone would need x2.")
    );
    let mut open = full();
    open.models = vec![model("given", &[0.2, 0.3])];
    open.models[0].verdict = Verdict::Undecided;
    open.models[0].scope = Scope::Met;
    let html = render(&open);
    assert!(html.contains("Only models met in training were tried as rivals."));
    assert!(html.contains("Kappa is an upper end for every group and every model"));
    open.models[0].kappa = common::interval(1.0, f64::INFINITY);
    let html = render(&open);
    assert!(html.contains("the best found, not exact") && html.contains("no upper end is known"));
    assert!(html.contains("<b>at least 1.0000</b>"), "nothing is beyond infinity");
    open.models[0].kappa = common::interval(1.0, 1.0);
    open.models[0].scope = Scope::Searched;
    let html = render(&open);
    assert!(html.contains("Rivals were searched for, and there may be better ones."));
    assert!(!html.contains("Only models met in training"));
    open.models[0].verdict = Verdict::Stable;
    assert!(render(&open).contains("Not even a model without any loss would do"));
    let first = &mut open.models[0];
    (first.verdict, first.obstacle) = (Verdict::Undecided, Some("The time ran out.".to_owned()));
    assert!(render(&open).contains("The time ran out."));
}

#[test]
fn everybody_is_no_group_that_leaves() {
    let mut page = full();
    page.models.truncate(1);
    let core = &mut page.models[0];
    core.verdict = Verdict::Improvable;
    core.everybody = common::interval(1.032, 1.2);
    core.coalitions[2].lower = 1.032;
    let html = render(&page);
    assert!(html.contains("class=\"verdict open\""), "not red");
    assert!(html.contains("Not converged: everybody could gain 3.2 % at once with another model."));
    let listed = &embedded(&html)["tables"]["closest"]["rows"];
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "only groups that leave somebody behind");
}

#[test]
fn a_group_at_the_tolerance_leaves_where_the_verdict_says_so() {
    // Half of the say and 2.02 times as much: 1.01, which is above one by a hair more than 0.01.
    let mut page = full();
    page.models.truncate(1);
    let core = &mut page.models[0];
    core.tolerance = 0.01;
    core.coalitions[1].lower = 2.02;
    let mut factors = Factors::UNKNOWN;
    factors.raise(0.5 * 2.02, 1.0);
    assert_eq!(factors.verdict(0.01), Verdict::Blocked);
    let html = render(&page);
    assert_eq!(embedded(&html)["tables"]["closest"]["rows"][0][1], "leaves");
    // The script of the page compares in the same way, and nowhere in another.
    assert!(
        html.contains("function exceeds(factor, tolerance) { return factor - 1.0 > tolerance; }")
    );
    assert!(!html.contains("1 + model.tolerance"));
}

#[test]
fn nothing_is_fetched_from_anywhere() {
    let html = render(&full());
    assert!(html.contains("default-src 'none'"));
    for word in ["src=", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest"] {
        assert!(!html.contains(word), "{word}");
    }
}

#[test]
fn headings_are_in_order_and_every_table_has_a_caption() {
    let html = render(&full());
    assert_eq!(html.matches("<h1>").count(), 1);
    let levels: Vec<u32> = html
        .match_indices("<h")
        .filter_map(|(at, _)| html[at + 2..].chars().next().and_then(|c| c.to_digit(10)))
        .collect();
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    assert_eq!(html.matches("<table>").count(), html.matches("<caption>").count());
}

#[test]
fn the_script_stays_small() {
    assert!(include_str!("../assets/page.js").len() < 30_000);
}

#[test]
fn what_a_statement_is_worth_is_said_with_it_and_intervals_have_a_level() {
    let stated = |worth, finding: &str| Stated {
        about: "Kappa".into(),
        worth,
        finding: finding.into(),
        rests_on: "a reason <b>".into(),
    };
    let evidence = Evidence {
        statements: vec![
            stated(Worth::Certified, "3.5"),
            stated(Worth::Estimated, ""),
            stated(Worth::SearchedOnly, "1.25"),
            stated(Worth::NotApplicable, ""),
        ],
        level: 0.9,
        held_out: vec![HeldOutLine {
            agent: EVIL.into(),
            rows: 40,
            mean: 0.1 + 0.2,
            interval: (0.25, 0.375),
        }],
        paired: vec![PairedLine { agent: "Bergen".into(), rows: 40, mean: 0.5, at_least: -0.125 }],
        conclusion: Some("Here that is open for Bergen.".into()),
    };
    let html = render(&Page { evidence: Some(evidence.clone()), ..full() });
    let (_, section) = html.split_once("<section id=\"evidence\"").expect("a section");
    let (section, _) = section.split_once("</section>").expect("its end");
    for said in [
        "</span> certified<",
        "</span> estimated<",
        "</span> searched only<",
        "</span> nothing said<",
    ] {
        assert!(section.contains(said), "{said} is missing in {section}");
    }
    for said in
        ["Kappa: 3.5", "a reason &lt;b&gt;", "at least (90\u{202f}%)", "0.375", "open for Bergen"]
    {
        assert!(section.contains(said), "{said} is missing in {section}");
    }
    let tables = &embedded(&html)["tables"];
    assert_eq!(tables["held-out-utilities"]["rows"], json!([[EVIL, 40, 0.1 + 0.2, 0.25, 0.375]]));
    assert_eq!(tables["paired-differences"]["rows"], json!([["Bergen", 40, 0.5, -0.125]]));
    // 99.9 % is not 100 %.
    let html = render(&Page { evidence: Some(Evidence { level: 0.999, ..evidence }), ..full() });
    assert!(html.contains("at least (99.9\u{202f}%)"), "the level is rounded");
    assert!(!render(&full()).contains("id=\"evidence\""), "nothing to be sure of");
}

#[test]
fn a_premise_that_nothing_rests_on_is_not_needed_and_not_red() {
    let mut page = full();
    page.models.truncate(1);
    page.models[0].assumptions[0].status = Status::Violated;
    page.models[0].assumptions[0].detail =
        "`b` has utility -424731; the claim does not use it".into();
    let html = render(&page);
    assert!(html.contains("</span> not needed</span>") && !html.contains("violated"));
    assert!(html.contains("<small>the claim does not use it</small>"), "a number that frightens");
    page.models[0].scope = Scope::Met;
    assert!(render(&page).contains("<li class=\"bad\"><span class=\"status\">"));
}

#[test]
fn nobody_hides_behind_others() {
    let names: Vec<String> = (0..20).map(|k| format!("clinic-{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let page = |members: Vec<usize>| {
        let mut one = model("core", &[0.5; 20]);
        one.verdict = Verdict::Blocked;
        one.deviation = Some(Moving { members, gains: Vec::new(), rival: "another model".into() });
        let agents = common::agents(&names);
        render(&Page { agents, noun: "clinics".into(), models: vec![one], ..Page::default() })
    };
    let seven = page((0..7).collect());
    assert!(seven.contains("clinic\u{2011}5 and clinic\u{2011}6 together would gain by leaving."));
    let most = page((0..18).collect());
    assert!(most.contains("all 20 clinics but clinic\u{2011}18 and clinic\u{2011}19 together"));
    assert!(page((0..13).collect()).contains("13 of the 20 clinics together"));
}

#[test]
fn held_out_rows_stand_beside_training_rows() {
    let on = |loss: f64| Some(OnHeldOut { loss, utility: 1.0 - loss, quality: Some(0.75) });
    let agent =
        |name: &str, alone| HeldOutAgent { name: name.into(), rows: 40, model: on(0.5), alone };
    let mut page = full();
    page.models[0].held_out = Some(HeldOutAudit {
        quality: "accuracy".into(),
        log_welfare: None,
        agents: vec![agent(EVIL, on(0.25)), agent("Bergen", None)],
    });
    let data = embedded(&render(&page));
    let table = &data["tables"]["held-out"];
    assert_eq!(table["columns"], json!(["agent", "core", "alone", "rows"]));
    assert_eq!(table["rows"][0], json!([EVIL, "0.5000 (75.0 %)", "0.2500 (75.0 %)", 40]));
    assert_eq!(table["rows"][1], json!(["Bergen", "0.5000 (75.0 %)", null, 40]));
}

#[test]
fn every_figure_has_a_name_of_its_own() {
    let mut names: Vec<String> = figures(&full()).into_iter().map(|figure| figure.name).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
}

#[test]
fn a_poor_model_is_warned_of_beside_its_verdict() {
    let mut page = full();
    assert!(!render(&page).contains("Before you use it"), "nothing to warn of");
    page.models[1].warnings.push("worse than the mean of <y>".to_owned());
    let html = render(&page);
    let (_, after) = html.split_once("Before you use it").expect("a warning");
    let (name, _) = after.split_once(": worse than the mean of &lt;y&gt;").expect("its words");
    assert!(name.ends_with(&page.models[1].name), "{name}");
}
