//! The folders whose files are damaged: how each kind is made, and what is then asked of it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::Place;
use super::cases::{ASK, CONCLUDE, EXPORT, OTHER, SUMMARISE, words};
use super::tree::{self, Tree};

/// What happens in a folder before it is damaged.
enum Step {
    /// Somebody writes a file.
    Write(&'static str, &'static str),
    /// A command runs to its end.
    Call(&'static str),
    /// A command is killed as soon as a file is there.
    Cut(&'static str, &'static str),
    /// Somebody replaces a text in a file.
    Edit(&'static str, &'static str, &'static str),
}

use Step::{Call, Cut, Edit, Write};

/// A kind of folder.
pub(super) struct Made {
    steps: &'static [Step],
    /// Where its files are; what lies elsewhere is not damaged.
    pub(super) place: &'static str,
    /// Names and words of the calls that read it.
    pub(super) asked: &'static [(&'static str, &'static str)],
}

const ROUNDS: &str =
    "run hospitals-rounds --set train.rounds=200 --set train.record.checkpoint_every=20 --out out";
/// Every file that a training of a table writes.
const WHOLE: &str = "run hospitals-rounds --set train.rounds=100 --set train.record.checkpoint_every=20 \
                     --set train.record.tensorboard=true --set train.search=off --set held_out=0.1 \
                     --set validation=0.2 --out out";
const COMPARE: &str = "compare hospitals-rounds --rules fedavg,corefed --seeds 2 --set train.rounds=60 --out out --resume";
const CHANGED: &str = "run --resume out --changed-spec";
/// With two agents, linear summaries hold all that is ever asked: the session ends with its certificate.
const SUMMARISE_LINEAR: [&str; 2] = [
    "summarise --data h.csv --agent A --target disease --model linear --l2 0.1 --out post/A.json",
    "summarise --data h.csv --agent B --target disease --model linear --l2 0.1 --out post/B.json",
];
const ANSWERS: [&str; 2] = [
    "answer post/questions-01.json --data h.csv --agent A --account A.json --out post/answers-A.json",
    "answer post/questions-01.json --data h.csv --agent B --account B.json --out post/answers-B.json",
];
const RESUME: &str = "run --resume out";
const REPORT: &str = "report out";
const EXPORT_ROUNDS: &str = "export out --table rounds --out out/rounds.csv";
/// Rows that a partition gives to agents.
const PARTED: &str = "data = \"shapes\"\nmodel = \"softmax\"\nheld_out = 0.2\n[partition]\n\
                      method = \"label-dirichlet\"\nagents = 4\n[train]\nrounds = 3\n[train.local]\n\
                      learning_rate = 0.005\n";

/// Folders of every kind that the command makes, whole and cut off.
pub(super) const FOLDERS: &[Made] = &[
    Made {
        steps: &[Call(ROUNDS)],
        place: "out/",
        asked: &[
            ("run, resumed", RESUME),
            ("run, reported", REPORT),
            ("run, exported", EXPORT_ROUNDS),
        ],
    },
    Made {
        steps: &[Cut(ROUNDS, "out/checkpoints/00000080.checkpoint")],
        place: "out/",
        asked: &[("run cut off, resumed", RESUME)],
    },
    Made {
        steps: &[Call(WHOLE), Call("stay out")],
        place: "out/",
        asked: &[
            ("run with all its files, resumed", RESUME),
            ("run with all its files, reported", REPORT),
        ],
    },
    Made {
        steps: &[
            Cut(ROUNDS, "out/checkpoints/00000080.checkpoint"),
            Edit("out/spec.toml", "\nfloor = 0.1\n", "\nfloor = 0.2\n"),
            Call(CHANGED),
        ],
        place: "out/",
        asked: &[
            ("run with a changed spec, resumed", RESUME),
            ("run with a changed spec, reported", REPORT),
        ],
    },
    Made {
        steps: &[Write("parted.toml", PARTED), Call("run parted.toml --out out")],
        place: "out/",
        asked: &[("run of a partition, resumed", RESUME), ("run of a partition, reported", REPORT)],
    },
    Made {
        steps: &[Call("run hospitals --set held_out=0.25 --out out")],
        place: "out/",
        asked: &[("exact run, reported", REPORT)],
    },
    Made {
        steps: &[Cut(COMPARE, "out/fedavg-seed-1/report.html")],
        place: "out/",
        asked: &[("comparison cut off, resumed", COMPARE)],
    },
    Made { steps: &[Call(COMPARE)], place: "out/", asked: &[("comparison, reported", REPORT)] },
    Made {
        steps: &[Call("sweep hospitals --values 0.72,1 --out out")],
        place: "out/",
        asked: &[("sweep, reported", REPORT)],
    },
    Made {
        steps: &[Call("stay hospitals --out out")],
        place: "out/",
        asked: &[("stay, reported", REPORT)],
    },
    Made {
        steps: &[Call("ceiling hospitals --policy pooled-constant --out out")],
        place: "out/",
        asked: &[("ceiling, reported", REPORT)],
    },
    Made {
        steps: &[
            Call(EXPORT),
            Call(SUMMARISE),
            Call(OTHER),
            Call(ASK),
            Call(ANSWERS[0]),
            Call(ANSWERS[1]),
            Call(CONCLUDE),
        ],
        place: "post/",
        asked: &[("mail in its second round, audited", CONCLUDE)],
    },
    Made {
        steps: &[
            Call(EXPORT),
            Call(SUMMARISE_LINEAR[0]),
            Call(SUMMARISE_LINEAR[1]),
            Call(CONCLUDE),
        ],
        place: "post/",
        asked: &[("mail that is done, audited", CONCLUDE)],
    },
];

impl Made {
    /// Makes the folder.
    pub(super) fn make(&self, place: &Place, number: usize) -> Result<Tree> {
        let folder = place.folder("made", number)?;
        for step in self.steps {
            step.take(place, &folder)?;
        }
        tree::read(&folder)
    }
}

impl Step {
    fn take(&self, place: &Place, folder: &Path) -> Result<()> {
        match *self {
            Write(name, text) => Ok(fs::write(folder.join(name), text)?),
            Call(call) => {
                let said = place.program.run(folder, &words(call))?;
                if said.crashed() || said.code == Some(2) {
                    bail!("`{call}` does not run: {}", said.text);
                }
                Ok(())
            }
            Cut(call, file) => {
                let mut child = place.program.start(folder, &words(call))?;
                let path = folder.join(file);
                while !path.exists()
                    && child.try_wait().context("cannot ask for its state")?.is_none()
                {
                    std::thread::sleep(Duration::from_millis(1));
                }
                // It may have ended by itself, which the caller's undamaged run shows.
                child.kill().ok();
                child.wait().context("it does not end")?;
                Ok(())
            }
            Edit(file, then, now) => {
                let path = folder.join(file);
                let text = fs::read_to_string(&path)?;
                if !text.contains(then) {
                    bail!("`{file}` does not hold `{then}`: {text}");
                }
                Ok(fs::write(path, text.replace(then, now))?)
            }
        }
    }
}
