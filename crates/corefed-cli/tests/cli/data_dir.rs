//! Published sets in a folder that the command line names.

use std::fmt::Write as _;
use std::fs;

use crate::harness::{Folder, Said};

/// The set below is not the one that UCI published.
const EXACT: &str = "data = 'heart'\nmodel = 'logistic'\nmissing = 'mean'\nallow = ['damaged']\n";
const TRAINED: &str = "data = 'heart'\nmodel = 'logistic'\nmissing = 'mean'\nheld_out = 0.2\n\
                       allow = ['damaged']\n\
                       [train]\nrule = 'fedavg'\nrounds = 2\n";

/// Two specs, and a set in the layout of UCI's Heart Disease below `elsewhere`.
fn folder() -> Folder {
    let folder = Folder::new(&[("exact.toml", EXACT), ("trained.toml", TRAINED)]);
    let set = folder.path("elsewhere/heart");
    fs::create_dir_all(&set).expect("a folder");
    for (k, hospital) in ["cleveland", "hungarian", "switzerland", "va"].iter().enumerate() {
        let mut rows = String::new();
        for row in 0..30 {
            let cell = |turn: usize, values: usize| (row * turn + k * 5 + row / 4) % values;
            writeln!(
                rows,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                40 + cell(7, 31),
                cell(3, 2),
                1 + cell(5, 4),
                110 + cell(11, 47),
                200 + cell(13, 97),
                cell(9, 2),
                cell(7, 3),
                120 + cell(17, 61),
                cell(5, 2),
                cell(3, 5),
                1 + cell(2, 3),
                cell(7, 4),
                3 + cell(4, 5),
                cell(11, 2)
            )
            .expect("text");
        }
        fs::write(set.join(format!("processed.{hospital}.data")), rows).expect("written");
    }
    folder
}

fn done(said: &Said) {
    assert!([0, 1, 3].contains(&said.code), "{}\n{}", said.out, said.err);
}

#[cfg(unix)]
#[test]
fn a_set_behind_a_link_out_of_the_data_folder_is_refused() {
    let folder = folder();
    fs::create_dir(folder.path("data")).expect("a folder");
    std::os::unix::fs::symlink("../elsewhere/heart", folder.path("data/heart")).expect("a link");
    let precious = folder.path("elsewhere/heart/processed.va.data.partial");
    fs::write(&precious, "precious").expect("written");
    for command in [
        "data inspect heart --allow damaged --data-dir data",
        "run exact.toml --data-dir data --out r",
        "data fetch heart --data-dir data --mirror http://127.0.0.1:9",
    ] {
        let said = folder.run(command);
        assert_eq!(said.code, 2, "{}", said.out);
        assert!(said.err.contains("leads out of the data folder"), "{command}: {}", said.err);
    }
    assert_eq!(fs::read_to_string(precious).expect("it is there"), "precious");
    assert!(!folder.path("elsewhere/heart/.lock").exists());
    done(&folder.run("data inspect heart --allow damaged --data-dir elsewhere"));
}

/// Every file below a folder, as text.
fn texts(folder: &Folder, name: &str) -> Vec<String> {
    let mut open = vec![folder.path(name)];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).expect("readable").map(|e| e.expect("entry").path()));
        } else {
            let bytes = fs::read(&path).expect("readable");
            found.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    found
}

#[test]
fn every_command_that_reads_sets_takes_their_folder() {
    let folder = folder();
    for command in [
        "run exact.toml --out r/exact",
        "run trained.toml --out r/trained",
        "compare trained.toml --rules fedavg,corefed --out r/compare",
        "sweep exact.toml --values 1,2 --out r/sweep",
        "sweep trained.toml --values 1,2 --out r/sweep-trained",
    ] {
        done(&folder.run(&format!("{command} --data-dir elsewhere")));
    }
    // Nothing that was written says where this machine keeps its data.
    for text in texts(&folder, "r") {
        assert!(!text.contains("elsewhere"), "{text}");
    }
}

#[test]
fn a_folder_without_the_set_is_named() {
    let folder = folder();
    done(&folder.run("run trained.toml --out r --data-dir elsewhere"));
    for command in [
        "run exact.toml --out no",
        "run trained.toml --out no",
        "run --resume r",
        "compare trained.toml --out no",
        "sweep exact.toml --values 1 --out no",
        "reproduce adult --out no",
        "reproduce cifar10 --quick --out no",
    ] {
        let said = folder.run(&format!("{command} --data-dir nowhere"));
        assert_eq!(said.code, 2, "{command}: {}", said.err);
        assert!(said.err.contains("nowhere"), "{command}: {}", said.err);
    }
}

#[test]
fn a_training_continues_with_data_that_have_moved() {
    let folder = folder();
    done(&folder.run("run trained.toml --out r --data-dir elsewhere"));
    fs::rename(folder.path("elsewhere"), folder.path("moved")).expect("moved");
    done(&folder.run("run --resume r --data-dir moved"));
}

#[test]
fn a_set_that_is_not_the_published_one_is_refused_before_it_is_read() {
    let folder = folder();
    for command in [
        "run exact.toml --set allow=[] --out no",
        "run trained.toml --set allow=[] --out no",
        "compare trained.toml --rules fedavg --set allow=[] --out no",
        "sweep exact.toml --values 1 --set allow=[] --out no",
        "stay exact.toml --set allow=[] --out no",
        "data inspect heart",
        "data export heart --out no.csv",
        "data partition heart --method iid --agents 2 --out no.json",
    ] {
        let said = folder.run(&format!("{command} --data-dir elsewhere"));
        assert_eq!(said.code, 2, "{command}: {}", said.out);
        for part in
            ["processed.cleveland.data", "bytes instead of", "fetch heart", "--allow damaged"]
        {
            assert!(said.err.contains(part), "{command}: {part}: {}", said.err);
        }
    }
    let known = folder.run("data inspect heart --data-dir elsewhere --allow damaged");
    done(&known);
    // Of the right size, with wrong bytes.
    let file = folder.path("elsewhere/heart/processed.cleveland.data");
    fs::write(&file, vec![b'0'; 18_461]).expect("written");
    let said = folder.run("data inspect heart --data-dir elsewhere");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("checksum"), "{}", said.err);
    fs::write(&file, vec![b'0'; 200_000_000]).expect("written");
    let said = folder.run("data inspect heart --data-dir elsewhere --allow damaged");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("holds more than 188160064 bytes"), "{}", said.err);
}
