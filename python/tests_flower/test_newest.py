"""The newest release of Flower that is accepted; all other tests run on the oldest."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
#: Rounds, resumes, audits, bad replies, secure sums and privacy in one process, and deployments
#: with nodes of our own: some beside a Python node, all known by their keys over TLS, and some
#: alone that are killed.
SELECTED = [
    "test_parity.py",
    "test_resume.py",
    "test_audit.py",
    "test_replies.py",
    "test_secure.py",
    "test_privacy.py",
    "test_private_replies.py",
    "test_node_messages.py",
    "test_node.py::test_nodes_of_both_kinds_train_and_sign_over_tls",
    "test_node.py::test_kills_of_a_node_and_of_the_superlink_lose_nothing",
]


def test_the_newest_flower_passes_the_same_tests(tmp_path):
    newest = tmp_path / "newest"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
    done = subprocess.run([*install, "--target", newest, "-r", HERE / "newest.txt"])
    assert done.returncode == 0, "the newest release cannot be installed"
    # Before the environment's own: its programs are started by name and import what comes first.
    environment = os.environ | {"PYTHONPATH": str(newest)}
    version = "import importlib.metadata as m; print(m.version('flwr'))"
    said = subprocess.run(
        [sys.executable, "-c", version], env=environment, capture_output=True, text=True
    )
    assert said.stdout.strip() == newest_version()
    chosen = [HERE / name for name in SELECTED]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
    done = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 10, done.stdout[-2000:]


def newest_version() -> str:
    return re.search(r"^flwr==(\S+)", (HERE / "newest.txt").read_text(), re.M).group(1)


@pytest.mark.parametrize("file", ["python/pyproject.toml", "examples/flower-torch/pyproject.toml"])
def test_packages_accept_every_release_that_is_tested(file):
    text = (HERE.parents[1] / file).read_text()
    low, high = re.search(r"flwr[^\"']*>=1\.(\d+),<1\.(\d+)", text).groups()
    assert int(low) == 41
    assert int(high) == int(newest_version().split(".")[1]) + 1
