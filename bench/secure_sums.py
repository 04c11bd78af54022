"""Secure sums beside answers in the open: seconds and bytes per round, one model, one sitting.

    python bench/secure_sums.py                 # in process, then ten SuperNodes on loopback
    python bench/secure_sums.py --only process

A round in the open is an exchange for training and one for evaluation. A round of secure sums is an
exchange for sealed messages and one for seeds; what evaluation would tell follows from the sums.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from flwr.app import Array, ArrayRecord

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python/tests_flower"))
sys.path.insert(0, str(ROOT / "bench"))

import conftest  # noqa: E402, F401 (messages outside of a task of Flower's)
from deployment import Deployment  # noqa: E402
from hospitals import module  # noqa: E402
from inprocess import InProcess, Node  # noqa: E402
from rounds import machine  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402

from corefed.flower import CoreFed  # noqa: E402
from corefed.secure import Ring  # noqa: E402

APP = ROOT / "bench/secure_app"


def array_bytes(messages: list) -> int:
    """Bytes of arrays and of texts in messages."""
    whole = 0
    for message in messages:
        for record in message.content.array_records.values():
            whole += sum(len(array.data) for array in record.values())
        for record in message.content.config_records.values():
            whole += sum(len(str(value)) for value in record.values())
    return whole


def in_process(args: argparse.Namespace, folder: Path, secure: bool, rows: int):
    """Median seconds, of the clock and of processors, and bytes of a round in one process."""
    client = module(APP / "client_app.py").app
    nodes = [
        Node(
            client,
            f"agent-{k}",
            **{"partition-id": k, "keep": str(folder / f"keep-{secure}-{rows}-{k}")},
        )
        for k in range(args.agents)
    ]
    for node in nodes:
        node.context.run_config |= {"secure": secure, "rows": rows, "epochs": 5}
    grid = InProcess(nodes)
    run = folder / f"process-{secure}-{rows}"
    guards = {"share_cap": None, "norm_cap": None, "correction": "none", "average": "equal"}
    strategy = CoreFed(ceilings=100.0, min_agents=args.agents, secure=secure, run=run, **guards)
    seen, worked, counted = [], [], []

    def after(number: int, arrays: ArrayRecord) -> None:
        seen.append(time.perf_counter())
        worked.append(time.process_time())
        counted.append(array_bytes(grid.sent) + array_bytes(grid.answered))

    start = ArrayRecord({"t": Array(np.zeros(args.parameters, np.float32))})
    strategy.start(grid, start, num_rounds=args.rounds + 1, timeout=600, evaluate_fn=after)
    clock, busy = (median(np.diff(times)[-args.rounds :]) for times in (seen, worked))
    per_round = (counted[-1] - counted[0]) / (len(counted) - 1)
    return clock, busy, per_round, run


def deployed(running: Deployment, args: argparse.Namespace, folder: Path, secure: bool):
    """Seconds of every round but the first, over a SuperLink."""
    run = folder / f"deployed-{secure}"
    process = running.submit(
        APP,
        run=run,
        rounds=args.rounds + 1,
        agents=args.agents,
        parameters=args.parameters,
        secure=secure,
    )
    seen: list[float] = []
    while process.poll() is None:
        path = run / "rounds.jsonl"
        lines = path.read_text().count("\n") if path.exists() else 0
        seen += [time.monotonic()] * (lines - len(seen))
        time.sleep(0.02)
    if process.returncode != 0:
        sys.exit(running.logs()[-4000:])
    return [after - before for before, after in zip(seen[1:-1], seen[2:], strict=True)], run


def compare(open_run: Path, secure_run: Path) -> float:
    """Largest difference between the two models."""
    first, second = (load_file(run / "model.safetensors")["t"] for run in (open_run, secure_run))
    return float(np.abs(first.astype(float) - second.astype(float)).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, default=10)
    parser.add_argument("--parameters", type=int, default=1_000_000)
    parser.add_argument(
        "--rounds", type=int, default=3, help="after a first one that is not counted"
    )
    parser.add_argument("--rows", type=int, default=2000, help="of every agent that trains")
    parser.add_argument("--only", choices=("process", "deployed"))
    args = parser.parse_args()
    print(f"{machine.describe()}.")
    print(
        f"{args.agents} agents, {args.parameters:,} parameters of 4 bytes, {args.rounds} rounds.\n"
    )
    print(f"Fixed point: sums are exact to {Ring(args.agents).error:.2g}.\n")
    print(
        "| a round | open, s | secure, s | ratio | open, CPU s | secure, CPU s | ratio | "
        "open, MB | secure, MB | ratio | largest difference |"
    )
    print("|---" + 10 * "|---:" + "|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if args.only != "deployed":
            for rows, what in ((0, "no training"), (args.rows, f"5 epochs of {args.rows} rows")):
                found = [in_process(args, folder, secure, rows) for secure in (False, True)]
                (*plain, one), (*sealed, two) = found
                plain[2], sealed[2] = plain[2] / 1e6, sealed[2] / 1e6
                pairs = zip(plain, sealed, strict=True)
                cells = [f"{a:.2f} | {b:.2f} | {b / a:.2f}" for a, b in pairs]
                told = " | ".join(cells)
                print(f"| in process, {what} | {told} | {compare(one, two):.1e} |", flush=True)
        if args.only != "process":
            with Deployment(folder / "deployment") as running:
                for k in range(args.agents):
                    running.node(f"node-{k}", f'partition-id={k} keep="{folder}/keep-{k}"')
                (first, one), (second, two) = (
                    deployed(running, args, folder, s) for s in (False, True)
                )
            a, b = median(first), median(second)
            print(
                f"| SuperLink | {a:.1f} | {b:.1f} | {b / a:.2f} | | | | | | "
                f"| {compare(one, two):.1e} |"
            )
            print(f"\nRounds in the open: {first}; of secure sums: {second}.")


if __name__ == "__main__":
    main()
