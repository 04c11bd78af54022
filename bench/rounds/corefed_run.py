"""The same work as specs for `corefed run`, and the last event that it prints."""

import json
import os
import random
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rounds.settings import Workload


def mnist_spec(work: Workload) -> str:
    """The workload in TOML. corefed deals rows and draws cohorts itself, from the same seed."""
    return f"""\
data = "mnist"
seed = {work.seed}
model = "softmax"
test = true

[partition]
method = "iid"
agents = {work.clients}

[train]
rule = "fedavg"
rounds = {work.rounds}
project = false
correction = "none"

[train.local]
epochs = 1
batch = {work.batch}
learning_rate = {work.rate}

[train.participation]
cohort = {work.cohort}

[train.record]
evaluate_every = 0
checkpoint_every = {work.rounds}
"""


def idle_spec(agents: int, rounds: int, seed: int, folder: Path) -> str:
    """Agents that do nothing: 999 columns, an intercept and ten classes are 10,000 parameters.

    Two rows each, because reporting a loss is arithmetic, and this is about everything else.
    """
    rng = random.Random(seed)
    columns = [f"x{k}" for k in range(999)]
    lines = [",".join(["agent", "class", *columns])]
    for row in range(2 * agents):
        cells = [f"{rng.random():.3f}" for _ in columns]
        lines.append(",".join([f"a{row // 2}", str(row % 10), *cells]))
    (folder / "idle.csv").write_text("\n".join(lines) + "\n")
    return f"""\
data = "idle.csv"
seed = {seed}
agent = "agent"
target = "class"
model = "softmax"
raw = true
allow = ["wide"]

[train]
rule = "fedavg"
rounds = {rounds}
project = false
correction = "none"

[train.local]
steps = 0

[train.record]
evaluate_every = 0
checkpoint_every = {rounds}
"""


def events(binary: Path, spec: str, threads: int, folder: Path, data: Path | None) -> list[dict[str, Any]]:
    """Runs a spec in a folder; raises with corefed's own message if it fails."""
    path, out = folder / "spec.toml", folder / "run"
    path.write_text(spec)
    command = [str(binary), "run", str(path), "--out", str(out), "--json", "--threads", str(threads)]
    environment = dict(os.environ) if data is None else {**os.environ, "COREFED_DATA": str(data.resolve())}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    # Codes 1 and 3 are verdicts, not failures.
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"`corefed run` exited with {done.returncode}:\n{done.stderr.strip()}")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if not found or found[-1].get("event") != "end":
        raise RuntimeError("`corefed run` did not end with the event `end`")
    return found


def seconds_of_rounds(found: list[dict[str, Any]]) -> float:
    """Seconds per round times rounds, by corefed's own clock.

    The last round is left out: all agents are evaluated in it, which peers do after their clocks stopped.
    """
    times = [event["seconds"] for event in found if event["event"] == "round"]
    rounds = len(times) - 1
    return (times[-2] - times[0]) * rounds / (rounds - 1)


def run(binary: Path, work: Workload, data: Path, threads: int) -> dict[str, float]:
    """Seconds inside the rounds by corefed's own clock, and test accuracy."""
    with TemporaryDirectory() as folder:
        found = events(binary, mnist_spec(work), threads, Path(folder), data)
    return {"seconds": seconds_of_rounds(found), "accuracy": found[-1]["test_accuracy"]}


def idle(binary: Path, agents: int, rounds: int, seed: int, threads: int) -> float:
    """Seconds per client-round without work."""
    with TemporaryDirectory() as folder:
        spec = idle_spec(agents, rounds, seed, Path(folder))
        found = events(binary, spec, threads, Path(folder), None)
    return seconds_of_rounds(found) / (agents * rounds)
