"""A real Chromium and real run folders, made once for all tests."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).resolve().parent.parent
BINARY = Path(os.environ.get("COREFED", ROOT / "target/release/corefed"))
# Without these, Chromium itself looks for hosts on the network, which would hide a page that does.
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
)

# A network in a second or two, on images that are drawn by code.
NETWORK = """
data = "shapes"
model = "mlp"
ceiling = 3.0
held_out = 0.2
sample = 0.1
[partition]
method = "label-dirichlet"
agents = 3
alpha = 0.5
min_samples = 10
[train]
rounds = 2
[train.local]
epochs = 1
batch = 20
learning_rate = 0.05
"""


# More agents than have every coalition listed; each has a line of its own.
MANY = """
data = "many.csv"
agent = "clinic"
target = "y"
model = "linear"
ceiling = 4.0
"""


def many_rows() -> str:
    """Fourteen clinics with slopes between one and two."""
    rows = [
        f"clinic-{k},{x / 8},{(1 + k / 13) * x / 8 + (x * 7 + k) % 5 / 10}" for k in range(14) for x in range(-8, 9)
    ]
    return "\n".join(["clinic,x,y", *rows]) + "\n"


def corefed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the binary in a folder; verdicts are not failures."""
    done = subprocess.run([BINARY, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    return done


def chromium(profile: Path, *flags: str) -> webdriver.Chrome:
    """A browser with a profile of its own that logs the console and every request."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}", *flags):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    # A checker that walks a long page takes half a minute on a busy machine.
    driver.set_script_timeout(300)
    return driver


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    driver = chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder of every kind: exact, trained, a network, compared, swept, with held-out rows, many agents."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "network.toml").write_text(NETWORK)
    corefed(folder, "run", "network.toml", "--out", "network")
    corefed(folder, "run", "--out", "exact")
    corefed(folder, "run", "hospitals-rounds", "--out", "trained")
    compared = ("--rules", "fedavg,corefed,afl", "--seeds", "2", "--out", "compared")
    corefed(folder, "compare", "hospitals-rounds", *compared)
    corefed(folder, "sweep", "hospitals", "--values", "0.5,0.72,0.8,1,2", "--out", "swept")
    corefed(folder, "run", "--set", "held_out=0.3", "--out", "stayed")
    corefed(folder, "ceiling", "hospitals", "--out", "searched")
    (folder / "many.csv").write_text(many_rows())
    (folder / "many.toml").write_text(MANY)
    corefed(folder, "run", "many.toml", "--out", "many")
    return folder
