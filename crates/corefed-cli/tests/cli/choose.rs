//! Choices among models: from a table, from folders, and what is refused.

use crate::harness::Folder;

const LOSSES: &str = "model,north,south,west\nfedavg,0.61,0.44,0.58\ncorefed,0.55,0.49,0.52\n\
    afl,0.57,0.57,0.57\nlocal,0.50,0.90,0.80\n";

#[test]
fn a_choice_comes_with_a_certificate_that_holds_on_its_table_only() {
    let folder = Folder::new(&[("l.csv", LOSSES)]);
    let said = folder.run("choose l.csv --losses --certificate c.json");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("Take corefed: no group can veto it.\n"), "{}", said.out);
    let said = folder.run("verify c.json --data l.csv");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("nobody can veto 1 of 4 models: corefed"), "{}", said.out);
    assert_eq!(folder.run("verify c.json --json").json()["status"], "consistent");
    // The same claim about larger-is-better is another document, and refused.
    let text = folder.read("c.json").replace("\"smaller\"", "\"larger\"");
    folder.write("c.json", &text);
    let said = folder.run("verify c.json --data l.csv");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("the certificate rests on the opposite"), "{}", said.err);
    folder.write("l.csv", &LOSSES.replace("0.61", "0.62"));
    let said = folder.run("verify c.json --data l.csv");
    assert_eq!((said.code, said.err.matches("stale").count()), (2, 1), "{}", said.err);
}

#[test]
fn the_answer_as_json_names_coalitions_and_what_they_prefer() {
    let folder = Folder::new(&[("l.csv", LOSSES)]);
    let answer = folder.run("choose l.csv --losses --json").json();
    assert_eq!((&answer["kind"], &answer["chosen"][0]), (&"choice".into(), &"corefed".into()));
    // Everybody is better off with corefed than with afl.
    let veto = &answer["models"][2]["veto"];
    assert_eq!(veto["coalition"].as_array().map(Vec::len), Some(3));
    assert_eq!(veto["better"][0], "corefed");
}

#[test]
fn the_rules_of_a_comparison_and_the_rounds_of_a_training_are_models() {
    let folder = Folder::new(&[]);
    let compare = "compare hospitals-rounds --rules fedavg,corefed,afl --seeds 2 \
        --set train.rounds=5 --set held_out=0.2 --out cmp";
    let said = folder.run(compare);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = folder.run("choose cmp --certificate c.json");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("losses on held-out rows, means over 2 seeds:"), "{}", said.out);
    assert_eq!(folder.run("verify c.json --data cmp/choices.csv").code, 0);
    assert!(folder.run("choose cmp --seed 2").out.starts_with("losses on held-out rows: "));
    let said = folder.run("choose cmp --seed 9");
    assert_eq!((said.code, said.err.contains("has no seed 9")), (2, true), "{}", said.err);
    let rounds = folder.run("choose cmp/corefed-seed-1 --json").json();
    assert_eq!(rounds["models"].as_array().map(Vec::len), Some(5));
    assert_eq!(rounds["models"][0]["model"], "round 1");
}

#[test]
fn the_rules_of_an_exact_run_are_models() {
    let folder = Folder::new(&[]);
    let said = folder.run("run --set held_out=0.3 --out run");
    assert!(said.code < 2, "{}", said.err);
    let said = folder.run("choose run --certificate c.json");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("losses on held-out rows:"), "{}", said.out);
    assert_eq!(folder.run("verify c.json --data run/choices.csv").code, 0);
    let table = folder.read("run/choices.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "model,Aachen,Bergen,Coimbra,Dresden,Evora");
    let models: Vec<&str> = lines[1..].iter().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(models, ["core", "utilitarian", "egalitarian"]);
    let core: serde_json::Value =
        serde_json::from_str(&folder.read("run/core.predictor.json")).expect("JSON");
    let loss = &core["held_out"]["agents"][0]["model"]["loss"];
    assert_eq!(lines[1].split(',').nth(1), Some(loss.to_string().as_str()));
}

#[test]
fn tables_that_leave_nothing_to_choose_are_refused_by_name() {
    let folder = Folder::new(&[
        ("one.csv", "model,a,b\nx,1,2\n"),
        ("hole.csv", "model,a,b\nx,1,NaN\ny,2,1\n"),
        ("w.csv", "agent,weight\na,0\nb,1\n"),
        ("two.csv", "model,a,b\nx,1,2\ny,2,1\n"),
    ]);
    for (arguments, message) in [
        ("choose one.csv", "one.csv: the table has one model"),
        ("choose hole.csv", "line 2, column `b`: model `x` has `NaN`: the value is not finite"),
        ("choose two.csv --group rule", "has no column `rule` to group models by"),
        ("choose two.csv --weights w.csv", "w.csv"),
        ("choose two.csv --seed 1", "`--seed` chooses among the seeds of a comparison"),
        ("choose .", "run.json"),
    ] {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{arguments}: {}", said.out);
        assert!(said.err.contains(message), "{arguments}: {}", said.err);
    }
}
