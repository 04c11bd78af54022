"""What a client-round costs when the client does nothing: Flower on Ray, and corefed.

10,000 parameters go to every client and come back unchanged. All clients take part in every
round, so that waiting between polls is shared by as many as possible.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from rounds import corefed_run, machine

ROOT = Path(__file__).resolve().parent.parent
PARAMETERS = 10_000
REQUIREMENTS = "bench/requirements-rounds.txt"


def arguments() -> argparse.Namespace:
    """Command line; `--child` is how the script calls itself."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("COREFED", ROOT / "target/release/corefed")
    parser.add_argument("--corefed", type=Path, default=default, help="the release binary")
    parser.add_argument("--only", choices=("flower", "corefed"))
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10, help="the first is given apart")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.rounds < 2:
        parser.error("--rounds must be at least 2")
    return args


def child(clients: int, rounds: int) -> None:
    """Flower in this process: the first round, and milliseconds per client in each later one."""
    import numpy as np  # noqa: PLC0415 (after the parent's check that packages are there)
    from rounds.flower_sim import echo, simulate  # noqa: PLC0415

    cohorts = np.tile(np.arange(clients), (rounds, 1))
    model = [np.zeros(PARAMETERS, np.float32)]
    first, later, _ = simulate(echo, clients, cohorts, model, {})
    print(json.dumps({"first": first, "each": (1e3 * later / clients).tolist()}), flush=True)


def flower(args: argparse.Namespace) -> tuple[list[float], float]:
    """Milliseconds per client-round, and seconds of the first round with Ray's start."""
    command = [sys.executable, __file__, "--child", "--clients", str(args.clients)]
    command += ["--rounds", str(args.rounds)]
    with TemporaryDirectory() as folder:
        environment = {**os.environ, **machine.thread_limits(1), **machine.quiet(Path(folder))}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"Flower failed:\n{done.stderr.strip()[-2000:]}")
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["each"], answer["first"]


def corefed(args: argparse.Namespace) -> list[float]:
    """Milliseconds per client-round, on as many threads as Flower has workers."""
    rounds = 100 * args.rounds
    threads = os.cpu_count() or 1
    return [1e3 * corefed_run.idle(args.corefed, args.clients, rounds, args.seed, threads)]


def main() -> None:
    args = arguments()
    if args.child:
        return child(args.clients, args.rounds)
    peers = [args.only] if args.only else ["corefed", "flower"]
    packages = {"numpy"} | ({"flwr", "ray"} if "flower" in peers else set())
    versions = machine.versions(packages, REQUIREMENTS)
    if "corefed" in peers and not args.corefed.exists():
        sys.exit(f"no binary at `{args.corefed}`\nhint: cargo build --release, or --corefed PATH")
    print(f"## One client-round without work, {PARAMETERS} parameters\n\n{machine.describe()}.")
    print(f"{', '.join(f'{name} {number}' for name, number in versions.items())}.")
    print(f"{args.clients} clients, all of them in each of {args.rounds} rounds.\n")
    found: dict[str, list[float]] = {}
    try:
        if "corefed" in peers:
            found["corefed"] = corefed(args)
        if "flower" in peers:
            found["Flower on Ray"], first = flower(args)
    except RuntimeError as error:
        sys.exit(str(error))
    # Means, because Flower waits in steps of a tenth of a second: single rounds jump between them.
    print("| | ms per client-round | best round | worst round | times corefed's |")
    print("|---|---:|---:|---:|---:|")
    for name, each in found.items():
        ratio = f"{mean(each) / mean(found['corefed']):.0f}" if "corefed" in found else ""
        spread = f"{min(each):.3f} | {max(each):.3f}" if len(each) > 1 else "|"
        print(f"| {name} | {mean(each):.4f} | {spread} | {ratio} |")
    if "flower" in peers:
        print(f"\nFlower: rounds 2 to {args.rounds}; the first, with Ray's start, took {first:.1f} s.")


if __name__ == "__main__":
    main()
