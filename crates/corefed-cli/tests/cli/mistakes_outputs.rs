//! What people get wrong about audits, predictions, checks, pages and output files: every answer names the
//! mistake and the way out.

use std::fs;

use crate::harness::{Folder, Said};

const GOOD: &str = "agent,x,z,y\nA,1,p,0\nA,2,q,1\nA,3,p,0\nB,4,q,1\nB,5,p,0\nB,6,q,1\n";
const SOLVE: &str = "solve d.csv --agent agent --target y --model logistic --ceiling 2";

/// A folder with data, a predictor, its certificate, a table of utilities and a run.
fn folder() -> Folder {
    let folder = Folder::hospitals();
    folder.write("d.csv", GOOD);
    folder.write("t.csv", "model,A,B\nnow,1,2\nthen,2,1\n");
    let said = folder.run(&format!("{SOLVE} --json --certificate c.json"));
    folder.write("fit.json", &said.out);
    folder
}

fn refused(said: &Said, context: &str, message: &str, hint: &str) {
    let context = format!("{context}\n{}{}", said.out, said.err);
    assert_eq!(said.code, 2, "{context}");
    assert!(said.err.contains(message), "no `{message}`: {context}");
    let found = said.err.split("hint: ").nth(1).unwrap_or_default();
    assert!(found.contains(hint), "no hint `{hint}`: {context}");
    assert!(!said.err.contains("internal error") && said.out.is_empty(), "{context}");
}

#[test]
fn mistakes_are_named_with_a_way_out() {
    let folder = folder();
    folder.write("no-z.csv", "x\n1\n");
    folder.write("new.csv", "x,z\n1,other\n");
    folder.write("hole.csv", "x,z\n,p\n");
    let audit = "audit d.csv --predictor fit.json";
    let cases: &[(&str, &str, &str)] = &[
        // Options that say something else than the file.
        (
            &format!("{audit} --model linear"),
            "`linear`, but `fit.json` holds a logistic",
            "leave it out",
        ),
        (&format!("{audit} --l2 0.5"), "`0.5`, but `fit.json` was fitted with `0`", "leave it out"),
        (&format!("{audit} --no-intercept"), "has an intercept", "leave it out"),
        (&format!("{audit} --raw"), "standardised or text columns", "leave it out"),
        (&format!("{audit} --missing error"), "`--missing` is given", "leave it out"),
        (&format!("{audit} --column x=text"), "`--column` is given", "leave it out"),
        (&format!("{audit} --target x"), "predicts from `x`", "leave it out"),
        (&format!("{audit} --agent z"), "predicts from `z`", "leave it out"),
        (&format!("{audit} --positive 0"), "speaks for the class `1`", "leave it out"),
        (&format!("{audit} --units raw"), "`--units` is given", "leave it out"),
        // Nothing, or the wrong thing.
        ("audit d.csv", "nothing to audit", "`--incumbent NAME`"),
        ("predict d.csv fit.json", "is a table", "corefed predict fit.json d.csv"),
        ("predict fit.json no-z.csv", "no column `z`", "needs the columns `x`, `z`"),
        ("predict fit.json new.csv", "`other`", "--unknown blank"),
        ("predict fit.json hole.csv", "line 2", "--unknown neutral"),
        ("predict absent.json d.csv", "absent.json", "check the path"),
        ("verify c.json --data t.csv", "digest", "federation.csv"),
        ("report nowhere", "nowhere", "below `runs/`"),
        // Output files.
        (
            &format!("{SOLVE} --report absent/x.html"),
            "cannot write `absent/x.html`",
            "folder that exists",
        ),
        (&format!("{SOLVE} --certificate run"), "cannot write `run`", "folder that exists"),
        (&format!("{SOLVE} --certificate a --report a"), "both name `a`", "file of its own"),
        (&format!("{SOLVE} --json --certificate -"), "both want standard output", "to a file"),
        (
            "predict fit.json d.csv --out absent/p.csv",
            "cannot write `absent/p.csv`",
            "folder that exists",
        ),
        (
            "choose t.csv --certificate absent/c.json",
            "cannot write `absent/c.json`",
            "folder that exists",
        ),
        ("run --out d.csv/run", "cannot create `d.csv/run`", "`--out`"),
        // Before anything is read.
        (
            "data partition none.csv --method iid --out absent/p.json",
            "cannot write `absent/p.json`",
            "folder that exists",
        ),
        (
            "data inspect none.csv --picture absent/p.svg",
            "cannot write `absent/p.svg`",
            "folder that exists",
        ),
        (
            "data inspect none.csv --report absent/p.html",
            "cannot write `absent/p.html`",
            "folder that exists",
        ),
        ("data inspect d.csv --picture - --json", "both want standard output", "to a file"),
        ("data inspect d.csv --picture p --report p", "both name `p`", "of its own"),
        (
            "data partition d.csv --method iid --out - --json",
            "both want standard output",
            "to a file",
        ),
    ];
    let before = folder.names();
    for (command, message, hint) in cases {
        refused(&folder.run(command), command, message, hint);
        assert_eq!(folder.names(), before, "{command}");
    }
}

#[test]
fn flags_without_an_effect_are_refused() {
    let folder = folder();
    let before = folder.names();
    for (command, message, hint) in [
        (
            "audit d.csv --predictor fit.json --loss log",
            "`--loss` has no effect",
            "`--predictions`",
        ),
        ("audit t.csv --incumbent now --radius 2", "`--radius` has no effect", "`--predictor`"),
        ("audit t.csv --incumbent now --ceiling 2", "`--ceiling` has no effect", "`--predictor`"),
        ("audit t.csv --incumbent now --l2 2", "`--l2` has no effect", "`--predictor`"),
        ("audit t.csv --incumbent now --agent x", "`--agent` has no effect", "`--predictor`"),
        ("predict fit.json d.csv --rule core", "`--rule` has no effect", "folder of an exact run"),
        ("choose run --losses", "`--losses` has no effect", "drop it"),
        ("run --device cuda", "`--device` has no effect on `logistic`", "drop it"),
        ("run hospitals-rounds --device cpu", "`--device` has no effect on `logistic`", "drop it"),
        ("run mnist --time-limit 5", "`--time-limit` has no effect on images", "drop it"),
        ("run table1-mnist --time-limit 5", "`--time-limit` has no effect on images", "drop it"),
        ("run --watch", "`--watch` shows trainings", "leave it out"),
        ("run --resume run --seed 2", "cannot be used with", ""),
        ("stay --coalitions 5", "`--coalitions` has no effect: all groups of 5", "drop"),
        ("stay --split time:age --repeats 2", "nothing to repeat", "leave `--repeats` out"),
        ("stay hospitals-rounds --rule core", "`--rule` is for optima", "--set train.rule"),
        (
            "stay hospitals --agent age",
            "`--agent`, `--target` and `--model` are for tables",
            "--set",
        ),
        ("reproduce adult --device cuda", "`--device cuda` has no effect on `adult`", "drop"),
        ("reproduce adult --tf32", "`--tf32` is for GPUs", "--device cuda"),
        ("data export hospitals --model linear --out e.csv", "--corrupt", ""),
        ("data export hospitals --test-out e.csv --out t.csv", "--test-share", ""),
        ("ceiling hospitals --l2 0.1", "a spec says itself", "--set l2=0.01"),
        (
            "data partition d.csv --target y --method iid --alpha 2",
            "`--alpha` has no effect",
            "`label-dirichlet`",
        ),
    ] {
        refused(&folder.run(command), command, message, hint);
        assert_eq!(folder.names(), before, "{command}");
    }
}

#[test]
fn standard_output_takes_a_certificate() {
    let folder = folder();
    for place in ["-", "/dev/stdout"] {
        let said = folder.run(&format!("{SOLVE} --certificate {place}"));
        assert_eq!(said.json()["format"], "corefed-certificate");
        assert!(said.err.contains("log-welfare"), "{}", said.err);
    }
    let divided = folder.run("data partition d.csv --method iid --agents 2 --out -");
    assert_eq!(divided.json()["format"], "corefed-partition", "{}", divided.err);
    assert!(divided.err.contains("agent"), "{}", divided.err);
    let drawn = folder.run("data inspect d.csv --agent agent --target y --picture -");
    assert!(drawn.out.starts_with("<svg") && drawn.err.contains("6 rows"), "{}", drawn.err);
    let rows = folder.run("predict fit.json d.csv").out;
    assert_eq!(folder.run("predict fit.json d.csv --out -").out, rows);
}

#[test]
fn a_link_stays_a_link() {
    let folder = folder();
    folder.write("target.json", "old");
    std::os::unix::fs::symlink("target.json", folder.path("link.json")).unwrap();
    assert_eq!(folder.run(&format!("{SOLVE} --certificate link.json")).code, 0);
    assert!(fs::symlink_metadata(folder.path("link.json")).unwrap().is_symlink());
    assert!(folder.read("target.json").contains("corefed-certificate"));
}

#[test]
fn a_pipe_stays_a_pipe_and_is_written_into() {
    use std::os::unix::fs::FileTypeExt;

    let folder = folder();
    let pipe = folder.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).expect("readable")
    });
    let said = folder.run(&format!("{SOLVE} --certificate pipe"));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(reader.join().unwrap().contains("corefed-certificate"));
    assert!(fs::metadata(pipe).unwrap().file_type().is_fifo());
}

#[test]
fn trainings_of_a_comparison_or_a_sweep_share_one_table() {
    use std::os::unix::fs::MetadataExt;

    let folder = Folder::new(&[]);
    let said = folder.run(
        "compare hospitals-rounds --rules fedavg,corefed --seeds 1 --set train.rounds=2 --out c",
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let tables =
        ["fedavg", "corefed"].map(|rule| folder.path(&format!("c/{rule}-seed-1/federation.csv")));
    let [first, second] = tables.map(|path| fs::metadata(path).unwrap());
    assert_eq!((first.ino(), first.nlink()), (second.ino(), 2));
    let said = folder.run("sweep hospitals-rounds --field train.rounds --values 1,2 --out s");
    assert_eq!(said.code, 0, "{}", said.err);
    let [first, second] = ["000", "001"]
        .map(|k| fs::metadata(folder.path(&format!("s/{k}/federation.csv"))).unwrap());
    assert_eq!((first.ino(), first.nlink()), (second.ino(), 2));
}
