//! The files of a release: a static program, a wheel, a source distribution, their bill of materials and
//! checksums, in `dist/`. Each is then installed where there is no Rust, and gives the first answer.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{cargo, run};
use crate::packages::{files, is_sources};
use crate::python::{in_environment, pip};
use crate::sha256::sha256;
use crate::sources::root;
use crate::{installed, sbom};

/// Everything but GPUs: a static program cannot load the driver of one.
const FEATURES: &str = "corefed-cli/portable";
/// As `rustc` names the platform.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";
/// What lies in `data` here goes into the environment, beside the package: maturin wants the name of the module.
const DATA: &str = "python/corefed._corefed.data";
const SHELLS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/corefed"),
    ("zsh", "zsh/site-functions/_corefed"),
    ("fish", "fish/vendor_completions.d/corefed.fish"),
];

/// Builds, lists and tries everything.
pub(crate) fn dist() -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("releases are built on Linux x86_64");
    }
    let version = env!("CARGO_PKG_VERSION");
    let folder = root().join("dist");
    if folder.exists() {
        fs::remove_dir_all(&folder).context("cannot empty `dist`")?;
    }
    fs::create_dir(&folder)?;
    let programs = static_programs()?;
    let share = root().join("target/dist-share");
    pages(&programs.join("corefed"), &share)?;
    archive(&folder, &format!("corefed-{version}-x86_64-linux"), &programs, &share)?;
    let tools = tools()?;
    python_package(&tools, &folder, &share)?;
    let bill = sbom::bill("corefed-cli", version, PLATFORM)?;
    fs::write(folder.join(format!("corefed-{version}.cdx.json")), bill)?;
    checksums(&folder)?;
    installed::check(&folder)
}

/// `corefed` and `corefed-verify`, which need nothing of the machine but its kernel.
fn static_programs() -> Result<PathBuf> {
    let programs = ["--bin", "corefed", "--bin", "corefed-verify"];
    let build = ["build", "--locked", "--profile", "dist", "--target", PLATFORM];
    let packages = ["-p", "corefed-cli", "-p", "corefed-verify", "--features", FEATURES];
    // With a target, these flags are not those of build scripts and macros, which cannot be static.
    let flags = [("RUSTFLAGS", "-C target-feature=+crt-static -C strip=symbols")];
    cargo(&[&build[..], &packages, &programs].concat(), &flags)?;
    Ok(root().join("target").join(PLATFORM).join("dist"))
}

/// Manual pages and completions, as packages lay them out below `share/`.
fn pages(program: &Path, share: &Path) -> Result<()> {
    if share.exists() {
        fs::remove_dir_all(share)?;
    }
    fs::create_dir_all(share.join("man/man1"))?;
    run(Command::new(program).arg("man").arg(share.join("man/man1")))?;
    for (shell, path) in SHELLS {
        let said = Command::new(program).args(["completions", shell]).output()?;
        if !said.status.success() {
            bail!("no completions for {shell}: {}", String::from_utf8_lossy(&said.stderr));
        }
        let path = share.join(path);
        fs::create_dir_all(path.parent().unwrap_or(share))?;
        fs::write(path, said.stdout)?;
    }
    Ok(())
}

/// One folder to unpack: programs, pages, completions, schemas, licences.
fn archive(folder: &Path, name: &str, programs: &Path, share: &Path) -> Result<()> {
    let inside = folder.join(name);
    fs::create_dir(&inside)?;
    for program in ["corefed", "corefed-verify"] {
        fs::copy(programs.join(program), inside.join(program))?;
    }
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(file), inside.join(file))?;
    }
    run(Command::new("cp").arg("-r").arg(share).arg(inside.join("share")))?;
    fs::create_dir(inside.join("schemas"))?;
    for entry in fs::read_dir(root().join("schemas"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            fs::copy(&path, inside.join("schemas").join(path.file_name().unwrap_or_default()))?;
        }
    }
    // Equal files make an equal archive, regardless of who packs them and when.
    let same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    let packed = folder.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    run(tar.args(same).arg("-C").arg(folder).arg("-czf").arg(packed).arg(name))?;
    Ok(fs::remove_dir_all(inside)?)
}

/// What builds and checks wheels, in an environment of its own.
fn tools() -> Result<PathBuf> {
    let folder = root().join("target/dist-tools");
    let python = folder.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    run(pip(&python, "install").arg("-r").arg(root().join("xtask/requirements.txt")))?;
    Ok(python)
}

/// The wheel, for every Linux since 2014, and the source distribution.
fn python_package(python: &Path, folder: &Path, share: &Path) -> Result<()> {
    let beside = root().join(DATA);
    if beside.exists() {
        fs::remove_dir_all(&beside)?;
    }
    let data = beside.join("data");
    fs::create_dir_all(&data)?;
    run(Command::new("cp").arg("-r").arg(share).arg(data.join("share")))?;
    let manifest = root().join("python");
    let linked = ["--zig", "--compatibility", "manylinux2014"];
    let mut wheel = in_environment(python)?;
    wheel.args(["-m", "maturin", "build", "--release", "--strip", "--locked"]).args(linked);
    run(wheel.arg("--out").arg(folder).current_dir(&manifest))?;
    let mut sources = in_environment(python)?;
    run(sources.args(["-m", "maturin", "sdist", "--out"]).arg(folder).current_dir(&manifest))?;
    fs::remove_dir_all(beside)?;
    let packages: Vec<PathBuf> = files(folder)?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "whl") || is_sources(path))
        .collect();
    run(in_environment(python)?.args(["-m", "twine", "check", "--strict"]).args(&packages))?;
    let wheels = packages.iter().filter(|path| !is_sources(path));
    run(in_environment(python)?.args(["-m", "auditwheel", "show"]).args(wheels))
}

/// `SHA256SUMS`, as `sha256sum --check` reads it.
fn checksums(folder: &Path) -> Result<()> {
    let mut lines = String::new();
    for path in files(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        writeln!(lines, "{}  {name}", sha256(&fs::read(&path)?))?;
    }
    Ok(fs::write(folder.join("SHA256SUMS"), lines)?)
}
