//! Programs to be carried to a machine that has no Rust: the fuzzer, the command and this tool itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::fuzz;
use crate::sources::root;

/// Puts stripped programs and the corpus into a folder. There, `./xtask fuzz --programs .` and
/// `./xtask torture --programs .` need nothing else.
pub(crate) fn programs(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else { bail!("name one folder to put the programs into") };
    let folder = Path::new(folder);
    fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    let fuzzer = fuzz::build()?;
    let built = |name: &str| root().join("target/debug").join(name);
    for (program, name) in
        [(fuzzer, "corefed-fuzzer"), (built("corefed"), "corefed"), (built("xtask"), "xtask")]
    {
        strip(&program, &folder.join(name))?;
    }
    copy(&root().join("fuzz/corpus"), &folder.join("corpus"))
}

fn strip(from: &PathBuf, to: &Path) -> Result<()> {
    let mut command = Command::new("strip");
    let status = command.arg("-o").arg(to).arg(from).status().context("cannot start `strip`")?;
    if !status.success() {
        bail!("cannot strip `{}`; is it built?", from.display());
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create `{}`", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot list `{}`", from.display()))? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).context("cannot copy an input")?;
        }
    }
    Ok(())
}
