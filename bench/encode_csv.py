"""How fast a CSV file becomes numbers: corefed beside pandas and polars, one thread each.

Everybody reads the same file from the page cache, one-hot encodes its text columns, standardises
its numbers and groups the rows by agent. Repetitions are interleaved, and minima are quoted.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import adult_like
import pandas as pd
import polars as pl
import polars.selectors as cs

AGENT, TARGET = "relationship", "income"


def with_pandas(path):
    """read_csv, get_dummies, standardise, sort by agent."""
    frame = pd.read_csv(path)
    agents, target = frame.pop(AGENT), frame.pop(TARGET)
    numbers = frame.select_dtypes("number").astype("float64")
    numbers = (numbers - numbers.mean()) / numbers.std(ddof=0)
    dummies = pd.get_dummies(frame.select_dtypes(exclude="number"))
    order = agents.astype("category").cat.codes.argsort(kind="stable")
    labels = target.astype("category").cat.codes.astype("float64")
    return pd.concat([numbers, dummies], axis=1).iloc[order].shape, labels.iloc[order].shape


def with_polars(path, dense):
    """read_csv, levels as codes (as corefed keeps them) or as dummies, standardise, sort by agent."""
    frame = pl.read_csv(path, infer_schema_length=100)
    features = cs.exclude(AGENT, TARGET)
    numbers = features & cs.numeric()
    texts = features & cs.string()
    encoded = frame.with_columns(
        ((numbers.cast(pl.Float64) - numbers.mean()) / numbers.std(ddof=0)),
        (texts | cs.by_name(AGENT, TARGET)).cast(pl.Categorical),
    )
    if dense:
        names = [name for name, kind in encoded.schema.items() if kind == pl.Categorical]
        encoded = encoded.to_dummies([name for name in names if name not in (AGENT, TARGET)])
    else:
        encoded = encoded.with_columns(cs.categorical().to_physical())
    return encoded.sort(AGENT, maintain_order=True).shape


READERS = {
    "pandas": with_pandas,
    "polars, codes": lambda path: with_polars(path, dense=False),
    "polars, dummies": lambda path: with_polars(path, dense=True),
}


def child(name, path):
    """Runs one reader in this process."""
    start = time.perf_counter()
    READERS[name](path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "peak_bytes": peak}))


def measure(command, environment):
    """One run in a process of its own, so that peaks are its own."""
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default="target/release/examples/encode")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--file", help="use this file, and write it if it is not there")
    parser.add_argument("--only-corefed", action="store_true")
    parser.add_argument("--before", help="the same example of an earlier build, for a ratio")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(*args.child)

    folder = tempfile.TemporaryDirectory()
    path = args.file or os.path.join(folder.name, "adult_like.csv")
    if not os.path.exists(path):
        adult_like.write(path, args.megabytes * 1_000_000)
    size = os.path.getsize(path)
    threads = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment = {**os.environ, **threads}
    commands = {"corefed": [args.binary, path, AGENT, TARGET]}
    if args.before:
        commands["corefed before"] = [args.before, path, AGENT, TARGET]
    if not args.only_corefed:
        own = [sys.executable, os.path.abspath(__file__), "--child"]
        commands |= {name: [*own, name, path] for name in READERS}
    runs = {name: [] for name in commands}
    for _ in range(args.repeat):
        for name, command in commands.items():
            runs[name].append(measure(command, environment))

    best = {name: min(run["seconds"] for run in of) for name, of in runs.items()}
    peaks = {name: min(run["peak_bytes"] for run in of) for name, of in runs.items()}
    encoded = runs["corefed"][0]["encoded_bytes"]
    print(f"{size / 1e6:.0f} MB, {runs['corefed'][0]['rows']} rows, load {os.getloadavg()[0]:.1f}\n")
    print("| | seconds | MB/s | times corefed's | peak MB | peak / encoded |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, seconds in best.items():
        print(
            f"| {name} | {seconds:.3f} | {size / 1e6 / seconds:.0f} | {seconds / best['corefed']:.2f} "
            f"| {peaks[name] / 1e6:.0f} | {peaks[name] / encoded:.2f} |"
        )


if __name__ == "__main__":
    main()
