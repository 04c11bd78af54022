"""Seconds per round of a deployed federation: a SuperLink and three SuperNodes on loopback.

    python bench/flower_deployed.py        # in an environment with `corefed`, Flower and safetensors

A round is an exchange for training, and one for evaluation where the model is measured. Nodes of Flower look for messages
every three seconds and start a Python process for each, which is most of what is measured here.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python/tests_flower"))
sys.path.insert(0, str(ROOT / "examples/flower-hospitals"))

from deployment import Deployment  # noqa: E402
from prepare import prepare  # noqa: E402

NAMES = ("Aachen", "Dresden", "Evora")
ROUNDS = 6


def seconds_per_round(deployment: Deployment, folder: Path, evaluate_every: int) -> list[float]:
    run = folder / f"run-{evaluate_every}"
    process = deployment.submit(
        ROOT / "examples/flower-hospitals",
        run=run,
        agents=",".join(NAMES),
        rounds=ROUNDS,
        evaluate_every=evaluate_every,
        audit=False,
    )
    seen: list[float] = []
    while process.poll() is None:
        lines = (run / "rounds.jsonl").read_text().count("\n") if run.exists() else 0
        seen += [time.monotonic()] * (lines - len(seen))
        time.sleep(0.02)
    # The last round is measured whatever was asked for.
    return [after - before for before, after in zip(seen[:-2], seen[1:-1], strict=True)]


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    prepare(folder / "data", only=NAMES)
    with Deployment(folder / "deployment") as deployment:
        for name in NAMES:
            deployment.node(name, f'agent="{name}" data="{folder}/data/{name}.csv"')
        for every, what in ((ROUNDS, "training"), (1, "training and evaluation")):
            found = seconds_per_round(deployment, folder, every)
            print(f"{what}: median {statistics.median(found):.1f} s, {min(found):.1f} to {max(found):.1f} s")
