"""The same work as specs for `corefed run`, and the last event that it prints."""

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from rounds.settings import Workload


def mnist_spec(work: Workload, data: Path) -> str:
    """The workload in TOML. corefed deals rows and draws cohorts itself, from the same seed."""
    return f"""\
seed = {work.seed}
rounds = {work.rounds}

[data]
name = "mnist"
path = {json.dumps(str((data / "mnist").resolve()))}

[partition]
name = "iid"
agents = {work.clients}

[cohort]
size = {work.cohort}

[model]
name = "softmax"

[local]
epochs = 1
batch = {work.batch}
rate = {work.rate}

[rule]
name = "fedavg"
"""


def idle_spec(agents: int, rounds: int, seed: int) -> str:
    """Agents that do nothing: 999 columns, an intercept and ten classes are 10,000 parameters."""
    return f"""\
seed = {seed}
rounds = {rounds}

[data]
name = "synthetic"
rows = {10 * agents}
columns = 999
classes = 10

[partition]
name = "iid"
agents = {agents}

[cohort]
size = {agents}

[model]
name = "softmax"

[local]
steps = 0

[rule]
name = "fedavg"
"""


def last_event(binary: Path, spec: str, threads: int) -> dict[str, float]:
    """Runs a spec in a fresh folder; raises with corefed's own message if it fails."""
    with TemporaryDirectory() as folder:
        path, out = Path(folder) / "spec.toml", Path(folder) / "run"
        path.write_text(spec)
        command = [str(binary), "run", str(path), "--out", str(out), "--json", "--threads", str(threads)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"`corefed run` exited with {done.returncode}:\n{done.stderr.strip()}")
    event = json.loads(done.stdout.splitlines()[-1])
    if event.get("event") != "end":
        raise RuntimeError(f"`corefed run` ended with `{event.get('event')}` instead of `end`")
    return event


def run(binary: Path, work: Workload, data: Path, threads: int) -> dict[str, float]:
    """Seconds inside the rounds by corefed's own clock, and test accuracy."""
    event = last_event(binary, mnist_spec(work, data), threads)
    return {"seconds": event["seconds_rounds"], "accuracy": event["test_accuracy"]}
