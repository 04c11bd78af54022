"""How fast a cohort's updates become one: corefed beside Flower's aggregation, in one run.

Updates are `f32` and in memory already; only aggregation is timed. Every contender runs in processes
of its own, so that peaks are its own; repetitions are interleaved and minima are quoted. Prints Markdown.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from functools import reduce
from importlib.metadata import PackageNotFoundError, version

import numpy as np

LAYERS = 10


def updates(count, params):
    """Lists of layers, cheap to make and different for everybody."""
    layer = np.random.default_rng(1).standard_normal(params // LAYERS, dtype=np.float32)
    for s in range(count):
        yield [layer * np.float32(1 + (s * LAYERS + k) / 1000) for k in range(LAYERS)]


# What Flower does, re-derived. Its message API (`aggregate_arrayrecords`) divides each weight by their
# sum, then for every reply multiplies every layer by its share and adds the product to a running sum:
# one temporary per layer. Its older `aggregate` first multiplies all layers of all replies by
# their sample counts, adds them up with a reduction, and divides by the total: a second copy of everything.


def running_sum(data, weights):
    """The arithmetic of `aggregate_arrayrecords` on plain arrays."""
    total = sum(weights)
    out = None
    for layers, weight in zip(data, weights, strict=True):
        share = weight / total
        if out is None:
            out = [layer * share for layer in layers]
        else:
            for mean, layer in zip(out, layers, strict=True):
                mean += layer * share
    return out


def all_products(data, weights):
    """The arithmetic of the older `aggregate` on plain arrays."""
    products = [[layer * weight for layer in layers] for layers, weight in zip(data, weights, strict=True)]
    return [reduce(np.add, layers) / sum(weights) for layers in zip(*products, strict=True)]


def with_numpy(data, weights):
    return lambda: running_sum(data, weights)


def with_numpy_products(data, weights):
    return lambda: all_products(data, weights)


def with_flower_records(data, weights):
    """The real function. Its records hold serialised arrays, which it reads back as it goes."""
    from flwr.app import Array, ArrayRecord, MetricRecord, RecordDict
    from flwr.serverapp.strategy.strategy_utils import aggregate_arrayrecords

    def record(layers, weight):
        arrays = ArrayRecord({f"layer{k}": Array(layer) for k, layer in enumerate(layers)})
        return RecordDict({"arrays": arrays, "metrics": MetricRecord({"weight": weight})})

    records = [record(layers, weight) for layers, weight in zip(data, weights, strict=True)]
    return lambda: aggregate_arrayrecords(records, "weight")


def with_flower_arrays(data, weights):
    """The real older function."""
    from flwr.server.strategy.aggregate import aggregate

    results = list(zip(data, weights, strict=True))
    return lambda: aggregate(results)


FLOWER = {
    "Flower `aggregate_arrayrecords`": with_flower_records,
    "Flower `aggregate`": with_flower_arrays,
}
NUMPY = {
    "NumPy, as `aggregate_arrayrecords`": with_numpy,
    "NumPy, as `aggregate`": with_numpy_products,
}


def child(name, count, params):
    """Runs one contender in this process."""
    weights = [100 + s for s in range(count)]
    data = updates(count, params)
    if name != "Flower `aggregate_arrayrecords`":
        data = list(data)
    run = (FLOWER | NUMPY)[name](data, weights)
    start = time.perf_counter()
    run()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "peak_bytes": peak}))


def measure(command, environment):
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def flower_version():
    try:
        return version("flwr")
    except PackageNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="target/release/examples/aggregate")
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--params", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(args.child, args.updates, args.params)

    own = [sys.executable, os.path.abspath(__file__)]
    sizes = ["--updates", str(args.updates), "--params", str(args.params)]
    contenders = {}
    for threads in args.threads:
        command = [args.binary, str(args.updates), str(args.params), "1"]
        name = f"corefed, {threads} thread{'s' if threads > 1 else ''}"
        contenders[name] = (command, {"RAYON_NUM_THREADS": str(threads)})
    flower = flower_version()
    for name in NUMPY | (FLOWER if flower else {}):
        contenders[name] = ([*own, *sizes, "--child", name], {})

    load = os.getloadavg()[0]
    runs = {name: [] for name in contenders}
    for _ in range(args.repeat):
        for name, (command, environment) in contenders.items():
            runs[name].append(measure(command, {**os.environ, **environment}))

    size = args.updates * args.params * 4
    best = {name: min(run["seconds"] for run in of) for name, of in runs.items()}
    peaks = {name: min(run["peak_bytes"] for run in of) for name, of in runs.items()}
    streams = {
        name: min(run["stream_seconds"] for run in of) for name, of in runs.items() if "stream_seconds" in of[0]
    }
    norms = {name: min(run["norm_seconds"] for run in of) for name, of in runs.items() if name in streams}
    first = next(iter(best))
    print(f"{args.updates} updates of {args.params} `f32`, {size / 1e9:.1f} GB; NumPy {np.__version__}, ", end="")
    print(f"Flower {flower or 'not installed'}; load {load:.1f} before, {os.getloadavg()[0]:.1f} after\n")
    print("| | seconds | GB/s | of plain reading | times corefed's | peak GB | beyond the updates, GB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, seconds in best.items():
        reading = f"{100 * streams[name] / seconds:.0f} %" if name in streams else ""
        print(
            f"| {name} | {seconds:.3f} | {size / 1e9 / seconds:.1f} | {reading} | {seconds / best[first]:.1f} "
            f"| {peaks[name] / 1e9:.2f} | {(peaks[name] - size) / 1e9:.2f} |"
        )
    print()
    for name, seconds in norms.items():
        print(f"Norms and finite checks of all updates, {name}: {seconds:.3f} s")


if __name__ == "__main__":
    main()
