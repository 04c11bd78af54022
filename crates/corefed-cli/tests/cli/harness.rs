//! A folder of files and the binary run in it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder in which commands run.
pub(crate) struct Folder(TempDir);

/// What a command said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, contents) in files {
            folder.write(name, contents);
        }
        folder
    }

    /// A folder with the embedded hospitals already run in `run/`.
    pub(crate) fn hospitals() -> Self {
        let folder = Self::new(&[]);
        let said = folder.run("run --out run");
        assert_eq!(said.code, 0, "{}", said.err);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: &str) {
        fs::write(self.path(name), contents).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    /// Names of everything in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("readable");
        let name = |e: std::io::Result<fs::DirEntry>| {
            e.expect("entry").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// Runs `corefed` with arguments separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Said {
        self.run_with(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn run_with(&self, arguments: &[&str]) -> Said {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_corefed"))
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .expect("the binary runs");
        Said {
            code: status.code().expect("an exit code"),
            out: String::from_utf8(stdout).expect("UTF-8"),
            err: String::from_utf8(stderr).expect("UTF-8"),
        }
    }
}

impl Said {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}\nstdout: {}\nstderr: {}", self.out, self.err))
    }
}

/// Two agents with losses `t^2` and `(t - 1)^2` under `--raw --no-intercept --model linear`.
pub(crate) const PARABOLAS: &str = "agent,x,y\nA,1,0\nB,1,1\n";
/// Flags that make [`PARABOLAS`] what it says.
pub(crate) const PLAIN: &str =
    "--agent agent --target y --model linear --raw --no-intercept --radius 2";
