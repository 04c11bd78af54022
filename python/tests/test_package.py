"""The package as it is installed: light to import, typed, documented."""

import doctest
import importlib
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import corefed

PACKAGE = Path(corefed.__file__).parent


def python(code):
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_importing_it_imports_nothing_heavy():
    code = "import corefed, sys; corefed.aggregate, corefed.run; print(*sys.modules)"
    loaded = {name.split(".")[0] for name in python(code).split()}
    heavy = {"pandas", "sklearn", "scipy", "torch", "flwr", "tqdm", "matplotlib", "IPython"}
    assert not loaded & heavy


def test_public_names_exist_and_have_words():
    for name in corefed.__all__:
        thing = getattr(corefed, name)
        assert name == "__version__" or thing.__doc__, name
    assert set(corefed.__all__) <= set(dir(corefed))
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = corefed.nothing_like_this


@pytest.mark.parametrize("module", ["_server", "_audit", "_run"])
def test_examples_in_docstrings_run(module):
    failed, tried = doctest.testmod(importlib.import_module(f"corefed.{module}"))
    assert tried > 0
    assert failed == 0


def test_types_are_declared_and_hold(root):
    assert (PACKAGE / "py.typed").exists()
    config = ["--config-file", str(root / "python" / "pyproject.toml")]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *config, "-p", "corefed"],
        capture_output=True,
        text=True,
        check=False,
        cwd=root / "python" / "tests",
    )
    assert ran.returncode == 0, ran.stdout


def test_the_stub_of_the_compiled_half_is_current():
    ran = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "corefed._corefed", "--ignore-disjoint-bases"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


def test_the_style_is_kept(root):
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or "ruff"
    for words in (["check"], ["format", "--check"]):
        ran = subprocess.run(
            [ruff, *words, str(root / "python")], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_wheel_holds_what_it_should():
    installed = metadata.distribution("corefed")
    files = {str(file) for file in installed.files}
    assert {"corefed/py.typed", "corefed/_corefed.pyi", "corefed/__init__.py"} <= files
    assert any(file.startswith("corefed/_corefed.") and ".abi3." in file for file in files)
    assert not any("test" in file for file in files)
    assert [entry.name for entry in installed.entry_points] == ["corefed"]
    assert set(installed.metadata.get_all("Provides-Extra")) >= {"flower", "pandas", "sklearn"}
    assert installed.version == corefed.__version__


def test_every_public_name_has_one_home():
    from corefed import _HOME_OF

    assert sorted(_HOME_OF) == sorted(corefed.__all__)
