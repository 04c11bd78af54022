//! What cannot be asked of `stay`, and what it cannot say.

use std::fmt::Write;

use crate::harness::Folder;
use crate::stay::{MEANS, NEAR, found, table};

#[test]
fn few_rows_say_nothing_and_say_so() {
    let folder = Folder::new(&[("sites.csv", &table(NEAR))]);
    let said = folder.run(&format!("stay sites.csv {MEANS} --support 31"));
    assert_eq!(said.code, 3, "{}", said.out);
    assert!(said.out.contains("Too few rows to say: a, b, c (fewer than 31"), "{}", said.out);
    let answer = folder.run(&format!("stay sites.csv {MEANS} --support 31 --json")).json();
    assert_eq!(answer["agents"][0]["few"], true);
    assert!(answer["agents"][0]["alone_gain"].is_null());
    assert_eq!(answer["kept"]["kept"], 0);
}

#[test]
fn groups_that_fail_are_named_and_leave_the_question_open() {
    let folder = Folder::new(&[]);
    // A cohort of two hospitals: groups without both cannot train.
    let said = folder.run_with(&[
        "stay",
        "hospitals-rounds",
        "--set",
        "train.rounds=2",
        "--set",
        "train.participation.draw=fixed",
        "--set",
        "train.participation.agents=[\"Aachen\", \"Bergen\"]",
    ]);
    assert!([1, 3].contains(&said.code), "{}", said.err);
    assert!(
        said.out.contains("groups have no model, and nothing is known of them"),
        "{}",
        said.out
    );
    assert!(said.out.contains("Coimbra alone: "), "{}", said.out);
}

#[test]
fn what_cannot_be_asked_is_named() {
    let sites = table(NEAR);
    let late = sites.replacen(",99,1,", ",soon,1,", 1);
    let folder = Folder::new(&[("sites.csv", &sites), ("late.csv", &late)]);
    let refused = |arguments: &str, expected: &[&str]| {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{arguments}: {}", said.out);
        for part in expected {
            assert!(said.err.contains(part), "{arguments}: {}", said.err);
        }
    };
    refused(
        &format!("stay late.csv {MEANS}"),
        &["late.csv", "line 299", "`day`", "`soon` is not a time"],
    );
    let by_group = MEANS.replace("time:day", "group:day");
    refused(&format!("stay sites.csv {by_group}"), &["group `0`", "`a` and `b`", "hint"]);
    refused(
        &format!("stay sites.csv {MEANS} --without z"),
        &["no agent is called `z`", "`a`, `b`, `c`"],
    );
    refused(&format!("stay sites.csv {MEANS} --without a,b,c"), &["about everybody"]);
    refused(&format!("stay sites.csv {MEANS} --repeats 3"), &["splits by time are the same"]);
    refused(&format!("stay sites.csv {MEANS} --held-out 1.5"), &["`1.5`", "between 0 and 1"]);
    refused(&format!("stay sites.csv {MEANS} --margin -1"), &["margin is `-1`"]);
    refused(&format!("stay sites.csv {MEANS} --level 90"), &["level is `90`"]);
    refused(&format!("stay sites.csv {MEANS} --support 2"), &["at least 4"]);
    refused("stay sites.csv", &["what do the columns of `sites.csv` mean?", "--agent"]);
    refused("stay --agent site", &["are for tables"]);
    refused("stay hospitals --missing mean", &["a spec says itself", "--set"]);
    refused("stay hospitals-rounds --rule core", &["`--rule` is for optima", "`corefed`"]);
    refused(&format!("stay sites.csv {}", MEANS.replace("time:day", "weeks")), &["group:COLUMN"]);
    refused(
        &format!("stay sites.csv {}", MEANS.replace("time:day", "time:dya")),
        &["`dya`", "day"],
    );
}

#[test]
fn an_agent_without_held_out_rows_is_named() {
    // One row cannot be divided.
    let sites = table(NEAR) + "d,50,1,2\n";
    let folder = Folder::new(&[("sites.csv", &sites)]);
    let asked = format!("stay sites.csv {MEANS} --allow one-sample");
    let said = folder.run(&asked);
    assert!(said.out.contains("Too few rows to say: d"), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("no rows"), "{}", said.out);
    assert!(said.out.contains("Missing: `d` has no held-out rows"), "{}", said.out);
    let answer = found(&folder.run(&format!("{asked} --json")));
    assert_eq!(
        (&answer["agents"][3]["held_out"], &answer["agents"][3]["few"]),
        (&0.into(), &true.into())
    );
    assert!(answer["agents"][3]["shared"].is_null());
    assert!(answer["contributions"]["everybody"].is_null());
}

#[test]
fn an_agent_that_trains_on_one_class_is_named() {
    let mut text = "site,day,x,y\n".to_owned();
    for day in 0..100 {
        for site in ["a", "b"] {
            // Site b sees the other class in its last days only.
            let sick = if site == "a" { day % 2 == 0 } else { day >= 90 };
            let sick = if sick { "yes" } else { "no" };
            writeln!(text, "{site},{day},{},{sick}", day % 7).expect("a string");
        }
    }
    let folder = Folder::new(&[("sites.csv", &text)]);
    let asked =
        "stay sites.csv --agent site --target y --model logistic --split time:day --l2 0.01";
    let said = folder.run(asked);
    assert!(said.out.contains("of one class at b"), "{}\n{}", said.out, said.err);
}

#[test]
fn ceilings_that_serve_nobody_are_an_error_that_names_them() {
    let folder = Folder::new(&[("sites.csv", &table(NEAR))]);
    let core = MEANS.replace("utilitarian", "core").replace("--ceiling 1000", "--ceiling 0.5");
    let said = folder.run(&format!("stay sites.csv {core}"));
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("cannot all have a positive utility"), "{}", said.err);
    assert!(said.err.contains("raise the ceilings"), "{}", said.err);
}

#[test]
fn an_answer_that_takes_too_long_is_refused_and_one_in_time_is_the_same() {
    let folder = Folder::new(&[]);
    for (limit, parts) in [
        ("0", ["not every group has its model within 0 s", "raise `--time-limit`"]),
        ("-1", ["`--time-limit` is `-1`", "seconds"]),
    ] {
        for what in ["hospitals", "hospitals-rounds"] {
            let said = folder.run(&format!("stay {what} --time-limit {limit} --out answer"));
            assert_eq!(said.code, 2, "{}", said.out);
            assert!(parts.iter().all(|part| said.err.contains(part)), "{}", said.err);
            assert!(!folder.path("answer").exists());
        }
    }
    let unlimited = folder.run("stay hospitals --json");
    let limited = folder.run("stay hospitals --json --time-limit 1e300");
    assert_eq!((limited.code, limited.out), (unlimited.code, unlimited.out), "{}", limited.err);
}
