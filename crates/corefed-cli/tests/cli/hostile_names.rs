//! Names that act: escapes, line breaks, marks of direction, formulas. Every command shows them, none lets them through.

use std::fmt::Write;
use std::fs;

use crate::harness::Folder;
use crate::hostile::{AGENTS, ODD, files_harmless, hospitals, quoted, refused, told, told_of};

#[test]
fn commands_on_a_table_show_every_name() {
    let folder = hospitals();
    let said = told(&folder, "solve d.csv COLUMNS --certificate c.json --report r.html");
    assert!(said.out.contains("\\u001b[2J\\u001b[Hverified\\u001b[8m"), "{}", said.out);
    assert!(said.out.contains("a\\u000aFORGED"), "{}", said.out);
    let json = told(&folder, "solve d.csv COLUMNS --json");
    let agents = json.json()["agents"].as_array().expect("agents").clone();
    let named = |name: &str| agents.iter().any(|agent| agent["name"] == name);
    assert!(AGENTS.iter().all(|name| named(name)), "JSON means the names: {agents:?}");
    folder.write("fit.json", &json.out);
    for command in [
        "audit d.csv --predictor fit.json",
        "audit d.csv --predictor fit.json --json",
        "verify c.json --data d.csv",
        "verify c.json --data d.csv --json",
        "verify c.json",
        "data inspect d.csv --agent hospital --target TARGET --report i.html",
        "data inspect d.csv --agent hospital --json",
        "data partition d.csv --method column --column hospital --out p.json",
        "data partition d.csv --method column --column hospital --out p.json --json",
        "stay d.csv COLUMNS --out stay",
        "stay d.csv COLUMNS --json",
        "ceiling d.csv COLUMNS --out ceiling",
        "ceiling d.csv COLUMNS --json",
        "predict fit.json d.csv --out predicted.csv",
        "report fit.json",
    ] {
        told(&folder, command);
    }
    files_harmless(&folder.path(""));
}

#[test]
fn runs_comparisons_and_sweeps_show_every_name_on_the_console_and_in_every_file() {
    let folder = hospitals();
    for command in [
        "run exact.toml --out exact",
        "run exact.toml --json --out exact-json",
        "run rounds.toml --out rounds",
        "run rounds.toml --json --out events",
        "run --resume rounds",
        "report exact",
        "report rounds",
        "stay exact",
        "stay rounds",
        "export rounds --table agents --out agents.csv",
        "export rounds --out rounds.csv",
        "choose rounds --certificate chosen.json",
        "verify chosen.json --data rounds/choices.csv",
        "compare rounds.toml --rules fedavg,corefed --out c-text",
        "compare rounds.toml --rules fedavg,corefed --out c-markdown --format markdown",
        "compare rounds.toml --rules fedavg,corefed --out c-csv --format csv",
        "compare rounds.toml --rules fedavg,corefed --out c-latex --format latex",
        "compare rounds.toml --rules fedavg,corefed --out c-json --json",
        "choose c-text",
        "report c-text",
        "sweep exact.toml --values 0.9,1.2 --out sweep",
        "sweep rounds.toml --values 0.9,1.2 --out swept --json",
        "report sweep",
    ] {
        told(&folder, command);
    }
    assert!(folder.read("agents.csv").contains("'=HYPERLINK"), "{}", folder.read("agents.csv"));
    let summary = folder.read("exact/summary.md");
    assert!(summary.contains("\\\\u001b"), "{summary}");
    files_harmless(&folder.path(""));
}

#[test]
fn models_and_utilities_of_any_name_are_shown() {
    let folder = hospitals();
    let mut utilities = format!("model,{}\n", AGENTS.map(quoted).join(","));
    for (k, model) in [ODD, "y"].iter().enumerate() {
        writeln!(utilities, "{},0.5,0.6,0.{},0.4", quoted(model), 3 + k).expect("a string");
    }
    folder.write("u.csv", &utilities);
    let mut predictions = format!("{},y\n", quoted(ODD));
    for k in 0..80 {
        writeln!(predictions, "0.{},0.5", 1 + k % 8).expect("a string");
    }
    folder.write("m.csv", &predictions);
    for command in [
        "audit u.csv --incumbent ODD --certificate u.json --report u.html",
        "verify u.json --data u.csv",
        "choose u.csv --certificate v.json",
        "verify v.json --data u.csv",
        "choose u.csv --json",
        "audit d.csv --predictions m.csv --loss log --agent hospital --target TARGET --positive 1 --ceiling 2",
    ] {
        told(&folder, command);
    }
    files_harmless(&folder.path(""));
}

#[test]
fn refusals_show_what_they_refuse() {
    let folder = hospitals();
    told(&folder, "solve d.csv COLUMNS --certificate c.json");
    // A certificate whose first agent clears the screen and says that it was verified.
    let text = folder.read("c.json");
    let mut forged: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    forged["agents"][0]["name"] = format!("\u{1b}[2J\u{1b}[Hverified{ODD}\u{1b}[8m").into();
    folder.write("forged.json", &forged.to_string());
    // A tag is a word, not the number of a variant.
    let numbered = text.replacen("\"kind\": \"numeric\"", "\"kind\": 0", 1);
    assert_ne!(numbered, text);
    folder.write("numbered.json", &numbered);
    let rows = "hospital,x,y\n\"a\u{1b}[2J\nFORGED\",oops\u{1b}[2J,1\nb,1,0\nb,2\n";
    folder.write("bad.csv", rows);
    folder.write("bad.json", "{\"kind\": \"au\\u001b[2Jdit\\nFORGED\"}");
    for command in [
        "verify forged.json --data d.csv",
        "verify forged.json --data d.csv --json",
        "verify numbered.json --data d.csv",
        "verify bad.json",
        "audit d.csv --predictor bad.json",
        "audit u.csv --incumbent ODD",
        "solve d.csv --agent ODD --target TARGET --model logistic",
        "solve d.csv --agent hospital --target ODD --model logistic",
        "solve bad.csv --agent hospital --target y --model logistic",
        "stay d.csv COLUMNS --without ODD",
        "run ODD",
        "run exact.toml --set ODD=1 --out x",
        "report ODD",
        "export ODD --out e.csv",
        "run --resume ODD",
        "verify c.json ODD ODD",
    ] {
        refused(&folder, command);
    }
}

#[test]
fn a_federation_by_mail_shows_its_agents() {
    let folder = Folder::new(&[]);
    let agents = ["a\u{1b}[2J", ODD];
    fs::create_dir(folder.path("post")).expect("a folder");
    for (k, agent) in agents.iter().enumerate() {
        let mut rows = String::from("agent,x,y\n");
        for row in 0..20_usize {
            writeln!(rows, "{},{},{}", quoted(agent), row % 7, (row * row + k) % 2).expect("text");
        }
        folder.write(&format!("{k}.csv"), &rows);
        let summarise =
            format!("summarise --data {k}.csv --target y --model logistic --out post/{k}.json");
        let words: Vec<&str> = summarise.split(' ').chain(["--agent", agent]).collect();
        told_of(&folder, &words);
    }
    let said = told(&folder, "audit --answers post --ceiling initial:1.5");
    assert_eq!(said.code, 3, "{}", said.out);
    let names = fs::read_dir(folder.path("post")).expect("a folder");
    let names =
        names.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
    let questions = names.into_iter().find(|name| name.contains("questions")).expect("questions");
    for (k, agent) in agents.iter().enumerate() {
        let answer = format!("answer post/{questions} --data {k}.csv --out post/a{k}.json");
        told_of(&folder, &answer.split(' ').chain(["--agent", agent]).collect::<Vec<_>>());
    }
    told(&folder, "audit --answers post");
}

#[test]
fn suggested_commands_are_quoted_for_the_shell() {
    let name = "x$(touch pwn);`id` it's.csv";
    let folder = hospitals();
    fs::copy(folder.path("d.csv"), folder.path(name)).expect("a copy");
    let export =
        ["data", "export", name, "--agent", "hospital", "--target", "other", "--out", "y$(id).csv"];
    let said = told_of(&folder, &export);
    let next = "next: corefed solve 'y$(id).csv' --agent agent --target other";
    assert!(said.out.contains(next), "{}", said.out);
    let spec = folder.read("exact.toml").replace("held_out = 0.25\n", "").replace("d.csv", name);
    folder.write("odd.toml", &spec);
    let said = told(&folder, "run odd.toml --out o;ut");
    let check = "verify 'o;ut/core.certificate.json' --data 'x$(touch pwn);`id` it'\\''s.csv'\n";
    assert!(said.out.contains(check), "{}", said.out);
    let summary = folder.read("o;ut/summary.md");
    assert!(summary.contains("it'\\''s.csv'\n```"), "{summary}");
    let page = folder.read("o;ut/report.html");
    let check =
        "core.certificate.json --data &#39;../x$(touch pwn);`id` it&#39;\\&#39;&#39;s.csv&#39;";
    assert!(page.contains(check), "{page}");
    told_of(&folder, &["sweep", "odd.toml", "--field", "name", "--values", "a;id,b", "--out", "s"]);
    assert!(folder.read("s/report.html").contains("--field name --values &#39;a;id,b&#39;"));
}

#[test]
fn settings_that_hints_suggest_are_quoted_for_the_shell() {
    let (column, quoted_column) = ("my `id` it's", "--column 'my `id` it'\\''s=");
    let folder = Folder::new(&[]);
    let rows = |name: &str, cell: &dyn Fn(usize) -> String| {
        let row = |k: usize| {
            format!("{},\"{}\",{},{}\n", ["A", "B"][k % 2], cell(k), "7".repeat(k % 2), k / 2 % 2)
        };
        let rows: String = (0..80).map(row).collect();
        folder.write(name, &format!("agent,\"{column}\",other,y\n{rows}"));
        let solve = format!("solve {name} --agent agent --target y --model logistic --missing");
        (format!("{solve} auto --l2 0.1"), format!("{solve} drop"))
    };
    let only_odd = |k: usize| if k.is_multiple_of(2) { k.to_string() } else { String::new() };
    let asked = [
        ("unit", rows("unit.csv", &|k| format!("{k}.5 kg")).0),
        ("thousands", rows("thousands.csv", &|k| format!("{},751.34", k + 1)).0),
        ("no rows", rows("holes.csv", &only_odd).1),
        ("dates", rows("dates.csv", &|k| format!("0{}/0{}/2024", k % 9 + 1, k / 9 + 1)).0),
        (
            "mixed",
            rows("mixed.csv", &|k| if k == 7 { "$(id)".to_owned() } else { k.to_string() }).0,
        ),
    ];
    for (what, solve) in &asked {
        let said = refused(&folder, solve);
        assert!(said.err.contains(quoted_column), "{what}: {}", said.err);
        assert!(*what != "mixed" || said.err.contains("--na '$(id)'"), "{}", said.err);
    }
    let many: Vec<String> =
        (0..40).map(|k| format!("A,{k},{}\nB,{k},{}\n", k % 2, k % 3 % 2)).collect();
    // A predictor and a table in the wrong order.
    let (rows, fit) = ("r;id.csv", "f`id`.json");
    folder.write(rows, &format!("agent,x,y\n{}", many.concat()));
    let solve =
        ["solve", rows, "--agent", "agent", "--target", "y", "--model", "logistic", "--json"];
    folder.write(fit, &told_of(&folder, &solve).out);
    let said = folder.run_with(&["predict", rows, fit]);
    assert!(said.err.contains("corefed predict 'f`id`.json' 'r;id.csv'"), "{}", said.err);
    // A metric whose name says nothing, and a class.
    let metric = "m`id`;x";
    let site = format!("{{\"g\": {{\"{metric}\": 0.5}}}}");
    folder.write("cross.json", &format!("{{\"s\": {site}, \"t\": {site}}}"));
    let said = refused(&folder, "audit cross.json --incumbent g");
    assert!(said.err.contains("--target 'm`id`;x'"), "{}", said.err);
    let rows = "A,no\nB,no\nA,y;es\nB,y;es\n".repeat(10);
    folder.write("classes.csv", &format!("agent,y\n{rows}"));
    folder.write("shares.csv", &format!("m\n{}", "0.5\n".repeat(40)));
    let asked = "--loss log --agent agent --target y --ceiling 2";
    let said = refused(&folder, &format!("audit classes.csv --predictions shares.csv {asked}"));
    assert!(said.err.contains("--positive 'y;es'"), "{}", said.err);
}

#[test]
fn rows_for_a_spreadsheet_hold_no_formulas_and_others_say_so() {
    let folder = hospitals();
    let export = "data export d.csv --agent hospital --out o.csv";
    let said = told(&folder, export);
    assert!(said.out.contains("would take 20 cells for formulas"), "{}", said.out);
    assert!(folder.read("o.csv").contains("\n\"=HYPERLINK"));
    let said = told(&folder, &format!("{export} --spreadsheet"));
    assert!(!said.out.contains("formulas"), "{}", said.out);
    let text = folder.read("o.csv");
    assert!(text.contains("\n\"'=HYPERLINK") && !text.contains("\"=HYPERLINK"), "{text}");
}

#[test]
fn tables_of_a_comparison_hold_no_formulas() {
    let folder = Folder::new(&[]);
    let rules =
        "compare.rules=[{rule=\"fedavg\",label=\"=1+1\"},{rule=\"corefed\",label=\"@sum\"}]";
    let said = folder.run_with(&[
        "compare",
        "hospitals-rounds",
        "--set",
        "train.rounds=2",
        "--set",
        rules,
        "--out",
        "c",
    ]);
    assert_ne!(said.code, 2, "{}", said.err);
    let table = folder.read("c/compare.csv");
    assert!(table.contains("'=1+1") && table.contains("'@sum"), "{table}");
    for line in table.lines() {
        assert!(
            !line.starts_with(['=', '@']) && !line.contains(",=") && !line.contains(",@"),
            "{line}"
        );
    }
}

/// How a cell begins that a spreadsheet runs; tabs and line breaks are shown, and begin none.
const BEGINNINGS: [&str; 8] = ["=", "+", "-", "@", "＝", "＋", "－", "＠"];

/// Cells of a file that a spreadsheet would run.
fn formulas(text: &str) -> Vec<String> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let records: Vec<csv::StringRecord> =
        reader.records().map(|record| record.expect("CSV")).collect();
    let cells = records.iter().flatten().map(str::to_owned);
    let odd = ["\t", "\r", "\n"];
    let acts = |cell: &String| BEGINNINGS.iter().chain(&odd).any(|begin| cell.starts_with(begin));
    cells.filter(|cell| acts(cell) && cell.parse::<f64>().is_err()).collect()
}

#[test]
fn no_table_of_results_has_a_cell_that_a_spreadsheet_runs() {
    let mut rows = String::from("hospital,dose,ill\n");
    let acting = BEGINNINGS.map(|begin| format!("{begin}1+1"));
    let hidden = ["\t=1", "\n=1"].map(str::to_owned);
    let agents: Vec<&String> = acting.iter().chain(&hidden).collect();
    for k in 0..200 {
        let dose = (k * 37) % 50;
        let ill = usize::from((dose + k % 7) % 9 > 4);
        writeln!(rows, "{},{dose},{ill}", quoted(agents[k % agents.len()])).expect("a string");
    }
    let spec = "data = \"d.csv\"\nagent = \"hospital\"\ntarget = \"ill\"\nmodel = \"logistic\"\n\
                ceiling = 0.9\nheld_out = 0.25\n";
    let rounds = format!("{spec}[train]\nrounds = 2\n[train.local]\nlearning_rate = 0.1\n");
    let folder = Folder::new(&[("d.csv", &rows), ("exact.toml", spec), ("rounds.toml", &rounds)]);
    for command in [
        "run rounds.toml --out run",
        "stay run",
        "stay exact.toml --support 4 --out stay",
        "compare rounds.toml --rules fedavg,corefed --seeds 2 --out compare",
        "sweep exact.toml --values 0.9,1.2 --out sweep",
        "export run --table agents --out agents.csv",
        "export run --table rounds --out rounds.csv",
        "data export d.csv --agent hospital --spreadsheet --out sheet.csv",
    ] {
        told(&folder, command);
    }
    for name in [
        "agents.csv",
        "rounds.csv",
        "sheet.csv",
        "run/stay.csv",
        "stay/stay.csv",
        "compare/compare.csv",
        "compare/compare-paired.csv",
        "compare/compare-rows.csv",
        "sweep/sweep.csv",
    ] {
        let text = folder.read(name);
        assert_eq!(formulas(&text), [""; 0], "{name}: {text}");
    }
    for begin in BEGINNINGS {
        assert!(folder.read("agents.csv").contains(&format!("'{begin}1+1")), "{begin}");
    }
    assert!(!formulas(&folder.read("d.csv")).is_empty());
}
