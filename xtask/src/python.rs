//! The Python environment of the tests: one folder, pinned packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::run;
use crate::sources::root;

/// Folders whose `requirements.txt` the suites need.
const SUITES: [&str; 7] = [
    "reference",
    "networks",
    "python",
    "python/tests_flare",
    "python/tests_flower",
    "browser",
    "guides",
];

/// The packages that [`SUITES`] come to, with the hashes of their files.
const LOCK: &str = "requirements.lock";

/// Everything that the suites need, in one environment.
pub(crate) fn environment() -> Result<PathBuf> {
    let python = virtual_environment()?;
    let mut command = pip(&python, "install");
    // Of 7 GB of packages the tests import a part: byte code is written for what is imported, then.
    command.arg("--no-compile");
    if locked(&python)? {
        run(command.args(["--require-hashes", "--no-deps", "-r"]).arg(root().join(LOCK)))?;
    } else {
        run(command.args(requirements()))?;
    }
    Ok(python)
}

/// Writes the lock file again, for this interpreter and this machine.
pub(crate) fn lock() -> Result<()> {
    let python = virtual_environment()?;
    let output = Command::new(&python)
        .arg(root().join("python/tools/lock.py"))
        .args(requirements())
        .output()
        .context("cannot start Python")?;
    if !output.status.success() {
        bail!("pip resolves nothing: {}", String::from_utf8_lossy(&output.stderr));
    }
    std::fs::write(root().join(LOCK), output.stdout).context("cannot write `requirements.lock`")
}

/// Every package that a suite asks for is in the lock file, in the version it asks for.
pub(crate) fn check_lock() -> Result<()> {
    let lock = std::fs::read_to_string(root().join(LOCK)).context("cannot read the lock file")?;
    for folder in SUITES {
        let path = root().join(folder).join("requirements.txt");
        let wanted = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        if let Some(missing) = missing(&wanted, &lock) {
            bail!("{folder}/requirements.txt asks for `{missing}`: run `cargo xtask lock`");
        }
    }
    Ok(())
}

/// The first requirement that a lock file does not meet, as far as pinned versions tell.
fn missing<'a>(wanted: &'a str, lock: &str) -> Option<&'a str> {
    let lines = wanted.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.into_iter().find(|line| {
        let end = line.find(['=', '<', '>', '[', '~', ' ']).unwrap_or(line.len());
        let name = line[..end].to_lowercase();
        let version = line.split_once("==").map_or("", |(_, version)| version);
        let version = if version.is_empty() { String::new() } else { format!("{version} ") };
        !lock.lines().any(|locked| locked.starts_with(&format!("{name}=={version}")))
    })
}

/// Whether the lock file was made for this interpreter on this kind of machine; other ones resolve anew.
fn locked(python: &Path) -> Result<bool> {
    let asked = "import platform; print(platform.system(), platform.machine() + ', Python', \
                 '.'.join(platform.python_version_tuple()[:2]) + '.')";
    let here = Command::new(python).args(["-c", asked]).output().context("cannot start Python")?;
    let lock = std::fs::read_to_string(root().join(LOCK)).context("cannot read the lock file")?;
    let first = lock.lines().next().unwrap_or_default();
    Ok(first.ends_with(String::from_utf8_lossy(&here.stdout).trim()))
}

fn requirements() -> Vec<String> {
    let file = |folder: &str| root().join(folder).join("requirements.txt").display().to_string();
    SUITES.iter().flat_map(|folder| ["-r".to_owned(), file(folder)]).collect()
}

/// pip of an environment, quietly.
pub(crate) fn pip(python: &Path, what: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", what, "--quiet", "--disable-pip-version-check"]);
    command
}

/// `.venv`, made with the first Python that is new enough.
pub(crate) fn virtual_environment() -> Result<PathBuf> {
    let folder = root().join(".venv");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if python.exists() {
        return Ok(python);
    }
    let name = ["python3", "python"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
        .context("no Python found; the reference tests need Python 3.11 or later")?;
    run(Command::new(name).args(["-m", "venv"]).arg(&folder))?;
    Ok(python)
}

/// Python with the programs beside it found first, as in an activated environment: `maturin`
/// is called by name, and so are Flower's servers.
pub(crate) fn in_environment(python: &Path) -> Result<Command> {
    let beside = python.parent().map(Path::to_path_buf);
    let known = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(beside.into_iter().chain(std::env::split_paths(&known)))?;
    let mut command = Command::new(python);
    // Packages are installed without byte code: who imports one first writes it for the others.
    command.env("PATH", path).env_remove("PYTHONDONTWRITEBYTECODE");
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_requirement_that_is_not_locked_is_named() {
        let lock = "# For tests.\nflwr==1.41.0 --hash=sha256:0\nnumpy==2.4.6 --hash=sha256:1\n";
        assert_eq!(missing("numpy==2.4.6\nflwr[simulation]==1.41.0\n", lock), None);
        assert_eq!(missing("numpy==2.4\n", lock), Some("numpy==2.4"));
        assert_eq!(missing("num\n", lock), Some("num"));
    }
}
