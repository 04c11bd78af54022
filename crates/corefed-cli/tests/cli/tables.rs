//! Comparisons, sweeps and the stream of events.

use serde_json::Value;

use crate::harness::Folder;
use crate::run_folder::lines;

const COMPARE: &str = "compare hospitals-rounds --rules fedavg,corefed --seeds 2 \
     --set train.rounds=10 --out table";

/// A CSV table as columns by name.
fn parse(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn a_comparison_is_one_table_in_five_formats() {
    let folder = Folder::new(&[]);
    let said = folder.run(&format!("{COMPARE} --json"));
    assert_eq!(said.code, 0, "{}", said.err);
    let answer = said.json();
    // Printed it says where it was written, stored it does not know where it lies.
    let [told, stored] = ["table", "."].map(|own| format!("\"folder\": \"{own}\",\n"));
    assert_eq!(folder.read("table/compare.json"), said.out.replacen(&told, &stored, 1));
    let agents = answer["agents"].as_array().expect("agents").clone();
    assert_eq!(agents.len(), 5);
    let runs = answer["runs"].as_array().expect("runs").clone();
    assert_eq!(runs.len(), 4);
    for run in &runs {
        for field in ["rule", "seed", "folder", "verdict", "kappa", "headroom", "utilities"] {
            assert!(!run[field].is_null(), "{field}: {run}");
        }
        let inside = run["folder"].as_str().expect("a folder");
        assert!(folder.path("table").join(inside).join("certificate.json").exists(), "{inside}");
    }

    let csv = parse(&folder.read("table/compare.csv"));
    let column = |name: &str| csv[0].iter().position(|found| found == name).expect(name);
    for row in &csv[1..] {
        let own: Vec<&Value> = runs.iter().filter(|run| run["rule"] == row[0].as_str()).collect();
        assert_eq!(own.len(), 2);
        for (k, agent) in agents.iter().enumerate() {
            let mean =
                own.iter().map(|run| run["utilities"][k].as_f64().expect("number")).sum::<f64>()
                    / 2.0;
            let cell = &row[column(&format!("u({})", agent.as_str().expect("name")))];
            assert!((cell.parse::<f64>().expect("number") - mean).abs() < 1e-12, "{cell} {mean}");
        }
    }
    // CoreFed against itself: one for each of five agents.
    assert_eq!(csv[2][0], "corefed");
    assert_eq!(csv[2][column("sum u/u(corefed)")], "5");

    let markdown = folder.read("table/compare.md");
    // What it comes to, then the paper's table, then differences over seeds.
    assert!(markdown.starts_with("Too few seeds to tell: corefed has the largest log-welfare"));
    let mut rows = markdown.lines().skip_while(|line| !line.starts_with('|'));
    let rows: Vec<&str> = rows.by_ref().take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 4, "{markdown}");
    assert!(markdown.contains("## Differences over seeds") && !markdown.contains("Settings"));
    assert!(rows[0].starts_with("| rule | u(Aachen) |") && rows[1].starts_with("|---|---:|"));
    assert!(rows.iter().all(|row| row.matches('|').count() == csv[0].len() + 1), "{markdown}");
    assert!(rows[2].contains('±'), "{markdown}");
    let latex = folder.read("table/compare.tex");
    assert!(latex.starts_with("\\begin{tabular}{l") && latex.ends_with("\\end{tabular}\n"));
    let rows: Vec<&str> = latex.lines().filter(|line| line.ends_with("\\\\")).collect();
    assert_eq!(rows.len(), 3, "{latex}");
    assert!(rows.iter().all(|row| row.matches('&').count() == csv[0].len() - 1), "{latex}");
    assert!(folder.read("table/compare.txt").contains("fedavg"));
}

#[test]
fn every_format_can_be_printed_and_tables_are_never_overwritten() {
    let folder = Folder::new(&[]);
    assert_eq!(folder.run(COMPARE).code, 0);
    let again = folder.run(COMPARE);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("exists already") && again.err.contains("--out"), "{}", again.err);
    let sweep = "sweep hospitals --values 1.0 --format";
    for (format, ending) in [("text", "txt"), ("markdown", "md"), ("csv", "csv"), ("latex", "tex")]
    {
        let said = folder.run(&format!("{sweep} {format} --out {format}"));
        assert_eq!(said.code, 0, "{}", said.err);
        let written = folder.read(&format!("{format}/sweep.{ending}"));
        assert!(said.out.starts_with(&written), "{format}: {}", said.out);
    }
}

#[test]
fn what_is_stored_names_no_place_on_the_machine() {
    let folder = Folder::new(&[]);
    for (arguments, document) in [
        ("compare hospitals-rounds --rules fedavg --set train.rounds=1", "compare.json"),
        ("sweep hospitals-rounds --field train.rounds --values 1", "sweep.json"),
    ] {
        let out = folder.path(document.trim_end_matches(".json"));
        let said = folder.run(&format!("{arguments} --out {}", out.display()));
        assert_eq!(said.code, 0, "{}", said.err);
        let text = std::fs::read_to_string(out.join(document)).expect("written");
        assert!(!text.contains(&*folder.path("").to_string_lossy()), "{text}");
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(answer["folder"], ".");
        // The page finds the trainings wherever the folder lies.
        let moved = folder.path("moved");
        std::fs::rename(&out, &moved).expect("moved");
        assert_eq!(folder.run("report moved").code, 0);
        std::fs::remove_dir_all(&moved).expect("removed");
    }
}

#[test]
fn nothing_to_compare_is_said_before_a_folder_is_made() {
    let folder = Folder::new(&[]);
    for (arguments, fragments) in [
        ("compare hospitals --out t", &["[train]"][..]),
        ("compare hospitals-rounds --rules fedavg,corfed --out t", &["corfed", "`corefed`"]),
        ("compare hospitals-rounds --rules fedavg,fedavg --out t", &["fedavg"]),
        ("compare hospitals-rounds --set train.rouns=1 --out t", &["rouns", "`rounds`"]),
        (
            "compare hospitals-rounds --rules newton --set train.participation.dropout=0.5 --out t",
            &["newton"],
        ),
        ("sweep hospitals --values 1.0,-1,many --out t", &["ceiling", "-1"]),
        ("sweep hospitals --values 1.0,many --out t", &["ceiling", "many"]),
        ("sweep hospitals --field ceilings --values 1 --out t", &["ceilings", "`ceiling`"]),
    ] {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{arguments}: {}", said.out);
        for fragment in fragments {
            assert!(said.err.contains(fragment), "{arguments}: {}", said.err);
        }
        assert!(said.err.contains("hint:"), "{arguments}: {}", said.err);
        assert!(folder.names().is_empty(), "{arguments}: {:?}", folder.names());
    }
}

#[test]
fn a_sweep_over_ceilings_finds_where_the_core_begins() {
    let folder = Folder::new(&[]);
    let said = folder.run("sweep hospitals --field ceiling --values 0.72,1.0 --out s --json");
    assert_eq!(said.code, 0, "{}", said.err);
    let answer = said.json();
    assert_eq!(answer["field"], "ceiling");
    let verdict = |k: usize| answer["points"][k]["verdict"].clone();
    assert_eq!((verdict(0), verdict(1)), ("blocked".into(), "stable".into()));
    let csv = parse(&folder.read("s/sweep.csv"));
    assert_eq!((csv.len(), csv[0][0].as_str()), (3, "ceiling"));
    assert_eq!((csv[1][0].as_str(), csv[2][0].as_str()), ("0.72", "1.0"));
    for (k, row) in csv[1..].iter().enumerate() {
        let utility = answer["points"][k]["utilities"][4].as_f64();
        assert_eq!(row[5].parse().ok(), utility, "{row:?}");
    }
}

#[test]
fn a_sweep_trains_where_the_spec_does() {
    let folder = Folder::new(&[]);
    let said = folder.run(
        "sweep hospitals-rounds --field train.local.learning_rate --values 0.01,1 \
         --set train.rounds=5 --out s --json",
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let points = said.json()["points"].clone();
    let welfare = |k: usize| points[k]["log_welfare"].as_f64().expect("number");
    assert!(welfare(0) < welfare(1), "{points}");
    for (folder_name, rate) in [("000", "0.01"), ("001", "1")] {
        let spec = folder.read(&format!("s/{folder_name}/spec.toml"));
        assert!(spec.contains(&format!("learning_rate = {rate}")), "{spec}");
        assert_eq!(folder.records(&format!("s/{folder_name}/rounds.jsonl")).len(), 6);
    }
}

#[test]
fn the_stream_of_events_has_a_beginning_every_round_and_an_end() {
    let folder = Folder::new(&[]);
    let said = folder.run("run hospitals-rounds --set train.rounds=4 --json --out run");
    let events = lines(&said.out);
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(kinds, ["start", "round", "round", "round", "round", "round", "end"]);
    assert_eq!((&events[0]["agents"], &events[0]["rounds"]), (&5.into(), &4.into()));
    assert_eq!(events[0]["resumed_after"], Value::Null);
    // The events of rounds are the records, with a name and a time in front.
    for (event, record) in events[1..6].iter().zip(folder.records("run/rounds.jsonl")) {
        let mut event = event.clone();
        let fields = event.as_object_mut().expect("an object");
        let seconds = fields.remove("seconds").and_then(|seconds| seconds.as_f64());
        assert!(fields.remove("event").is_some() && seconds.is_some_and(|s| s >= 0.0));
        assert_eq!(event, record);
    }
    let end = &events[6];
    assert!(end["seconds_rounds"].as_f64().is_some_and(|seconds| seconds >= 0.0), "{end}");
    let audit: Value = serde_json::from_str(&folder.read("run/audit.json")).expect("JSON");
    assert_eq!((&end["verdict"], &end["kappa"]), (&audit["verdict"], &audit["kappa"]));
    // Resuming says from where.
    let again = lines(&folder.run("run --resume run --json").out);
    assert_eq!((again.len(), &again[0]["resumed_after"]), (2, &4.into()));
}
