"""How long 100 rounds of FedAvg take: corefed beside NumPy, PyTorch, pfl-research and Flower.

Softmax regression on MNIST, 1000 clients, 10 per round, one epoch of SGD in batches of 10.
Prints Markdown: minima and medians over interleaved repetitions, each a process of its own.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rounds import corefed_run, machine
from rounds.settings import EXPECTED, TOLERANCE, Workload

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = "bench/requirements-rounds.txt"
Run = dict[str, float]


@dataclass(frozen=True)
class Peer:
    """Who is measured: its function in `rounds`, and the packages it needs."""

    label: str
    function: str = ""
    packages: tuple[str, ...] = ()
    # An engine that starts as many one-threaded workers as there are cores, and takes its time.
    engine: bool = False


PEERS = {
    "corefed": Peer("corefed"),
    "numpy": Peer("NumPy, cohort in one batch", "numpy_loop:batched", ("numpy",)),
    "numpy-loop": Peer("NumPy, client by client", "numpy_loop:one_by_one", ("numpy",)),
    "torch": Peer("PyTorch, eager", "torch_loop:run", ("torch",)),
    "pfl": Peer("pfl-research", "pfl_sim:run", ("pfl", "torch")),
    "flower": Peer("Flower on Ray", "flower_sim:run", ("flwr", "ray"), engine=True),
}


def arguments() -> argparse.Namespace:
    """Command line; `--child` is how the script calls itself."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with mnist/*.gz, as published")
    default = os.environ.get("COREFED", ROOT / "target/release/corefed")
    parser.add_argument("--corefed", type=Path, default=default, help="the release binary")
    parser.add_argument("--only", help=f"some of {','.join(PEERS)}")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions; Flower runs once")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="tried in turn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=100, help="fewer only to try the script")
    parser.add_argument("--json", type=Path, help="also write every run here")
    parser.add_argument("--child", nargs=2, metavar=("PEER", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not args.child and not args.data:
        parser.error("--data is needed")
    args.only = args.only.split(",") if args.only else list(PEERS)
    if unknown := [name for name in args.only if name not in PEERS]:
        parser.error(f"no peer is called `{unknown[0]}`; there are {', '.join(PEERS)}")
    return args


def child(name: str, folder: Path, work: Workload) -> None:
    """Runs one peer in this process; its answer is the last line."""
    module, function = PEERS[name].function.split(":")
    answer = getattr(importlib.import_module(f"rounds.{module}"), function)(folder, work)
    print(json.dumps(answer), flush=True)


def measure(args: argparse.Namespace, name: str, threads: int, folder: Path, work: Workload) -> Run:
    """One run in a process of its own."""
    if name == "corefed":
        return corefed_run.run(args.corefed, work, args.data, threads)
    limits = {**machine.thread_limits(threads), **machine.quiet(folder / "flwr")}
    command = [sys.executable, __file__, "--child", name, str(folder)]
    command += ["--seed", str(work.seed), "--rounds", str(work.rounds)]
    environment = {**os.environ, **limits}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"`{name}` failed:\n{done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def measure_all(args: argparse.Namespace, work: Workload) -> dict[str, dict[int, list[Run]]]:
    """Runs by peer and number of threads, in turns, so that a busy minute hits everybody."""
    from rounds.workload import write  # noqa: PLC0415 (after the check that NumPy is there)

    runs = {}
    for name in args.only:
        runs[name] = {threads: [] for threads in ([1] if PEERS[name].engine else args.threads)}
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(args.data, folder, work)
        for turn in range(args.repeat):
            for peer, by_threads in runs.items():
                if turn > 0 and PEERS[peer].engine:
                    continue
                for threads, found in by_threads.items():
                    found.append(measure(args, peer, threads, folder, work))
    return runs


def best(by_threads: dict[int, list[Run]]) -> tuple[int, list[Run]]:
    """The number of threads with the smallest minimum, and its runs."""
    return min(by_threads.items(), key=lambda item: min(run["seconds"] for run in item[1]))


def table(runs: dict[str, dict[int, list[Run]]], work: Workload) -> None:
    """Everybody at its own best number of threads."""
    chosen = {name: best(by_threads) for name, by_threads in runs.items()}
    least = {name: min(run["seconds"] for run in of) for name, (_, of) in chosen.items()}
    print("\n| | threads | seconds | median | times corefed's | test accuracy |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, (threads, of) in chosen.items():
        middle = median(run["seconds"] for run in of)
        ratio = f"{least[name] / least['corefed']:.1f}" if "corefed" in least else ""
        accuracy = f"{100 * of[0]['accuracy']:.2f} %"
        label = PEERS[name].label
        used = f"{os.cpu_count()} workers" if PEERS[name].engine else threads
        print(f"| {label} | {used} | {least[name]:.4f} | {middle:.4f} | {ratio} | {accuracy} |")
    if "flower" in chosen:
        first = chosen["flower"][1][0]["first_round"]
        print(f"\nFlower: rounds 2 to {work.rounds}; its first round, with Ray's start, took {first:.1f} s.")


def check_accuracy(runs: dict[str, dict[int, list[Run]]]) -> None:
    """A peer that does not reach the common accuracy did other work, and its time means nothing."""
    for name, by_threads in runs.items():
        for run in sum(by_threads.values(), []):
            if abs(run["accuracy"] - EXPECTED) > TOLERANCE:
                sys.exit(f"`{name}` reached {run['accuracy']:.4f}, not {EXPECTED} +- {TOLERANCE}")


def main() -> None:
    args = arguments()
    work = Workload(seed=args.seed, rounds=args.rounds)
    if args.child:
        return child(args.child[0], Path(args.child[1]), work)
    packages = {package for name in args.only for package in PEERS[name].packages}
    versions = machine.versions(packages | {"numpy"}, REQUIREMENTS)
    if "corefed" in args.only and not args.corefed.exists():
        sys.exit(f"no binary at `{args.corefed}`\nhint: cargo build --release, or --corefed PATH")
    where = machine.describe()
    print(f"## {work.rounds} rounds of FedAvg, softmax regression on MNIST\n\n{where}.")
    print(f"{', '.join(f'{name} {number}' for name, number in versions.items())}.")
    limits = ", ".join(f"{name}=n" for name in machine.thread_limits(1))
    print(f"{args.repeat} interleaved repetitions, seed {work.seed}; n threads means {limits}.")
    try:
        runs = measure_all(args, work)
    except RuntimeError as error:
        sys.exit(str(error))
    table(runs, work)
    if args.json:
        said = {"machine": where, "versions": versions, "workload": vars(work), "runs": runs}
        args.json.write_text(json.dumps(said, indent=1))
    if work.rounds == 100:
        check_accuracy(runs)


if __name__ == "__main__":
    main()
