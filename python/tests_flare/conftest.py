"""What all tests share."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("COREFED", str(Path(__file__).parents[2] / "target/release/corefed"))

# Without FLARE there is nothing to test, and pytest fails: it collected nothing.
if find_spec("nvflare") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def command() -> str:
    """The command of this build."""
    return os.environ["COREFED"]


@pytest.fixture(scope="session")
def jobs(tmp_path_factory):
    """Jobs in simulators, all at once: they mostly wait for each other's processes."""
    from simulated import EXAMPLE, simulate

    here = Path(__file__).parent
    asked = {
        "hospitals": ("--rounds", "4"),
        "silent": (),
        "torch": (),
    }
    scripts = {"hospitals": EXAMPLE / "job.py"}
    with ThreadPoolExecutor() as pool:
        yield {
            name: pool.submit(
                simulate,
                tmp_path_factory.mktemp(name),
                *arguments,
                script=scripts.get(name, here / f"{name}_job.py"),
            )
            for name, arguments in asked.items()
        }
