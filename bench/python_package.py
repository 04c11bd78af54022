"""The Python package: audits, the server step beside NumPy's, import time and the wheel's size. Prints Markdown.

Updates are `f32` and in memory already. Every contender of the server step runs in a process of its own, so
that peaks are its own; repetitions are interleaved and minima are quoted.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

RULES = ["fedavg", "corefed", "term", "fedmgda"]


def losses(count):
    return np.linspace(0.5, 2.0, count)


def plain_numpy(rule, model, updates, ceiling=3.0):
    """A rule as one would write it: weights, then a sum of arrays."""
    loss = losses(len(updates))
    if rule == "fedavg":
        weights = np.full(len(updates), 1 / len(updates))
    elif rule == "corefed":
        pulls = 1 / np.maximum(ceiling - loss, 0.1 * ceiling)
        weights = pulls / pulls.sum()
    elif rule == "term":
        pulls = np.exp(loss)
        weights = pulls / pulls.sum()
    if not all(np.isfinite(update @ update) for update in updates):
        raise ValueError("an update is not finite")
    step = sum(np.float32(weight) * update for weight, update in zip(weights, updates, strict=True))
    return model + step


def contender(name, rule, count, params, repeats):
    rng = np.random.default_rng(1)
    base = rng.standard_normal(params, dtype=np.float32)
    updates = [base * np.float32(1 + s / 1000) for s in range(count)]
    model = base.copy()
    if name == "numpy":
        step = lambda: plain_numpy(rule, model, updates)
    else:
        import corefed

        settings = {"losses": losses(count), "ceilings": 3.0}
        step = lambda: corefed.aggregate(rule, model, updates, **settings).model
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    walls, busy = [], []
    for _ in range(repeats):
        new = None  # The previous model is not part of the next step's peak.
        begin = time.perf_counter(), time.process_time()
        new = step()
        walls.append(time.perf_counter() - begin[0])
        busy.append(time.process_time() - begin[1])
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    extra, checked = (after - before) / 1024, float(new[:1000].sum())
    print(json.dumps({"wall": min(walls), "cpu": min(busy), "extra_mb": extra, "sum": checked}))


def run(*words):
    ran = subprocess.run([sys.executable, __file__, *map(str, words)], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def times(measured):
    return f"{measured['wall']:.3f} s ({measured['cpu']:.3f} s)"


def audit_table(agents, rivals, repeats):
    import corefed

    rng = np.random.default_rng(2)
    now, table = rng.uniform(0.5, 1, agents), rng.uniform(0, 2, (rivals, agents))
    walls, busy = [], []
    for _ in range(repeats):
        begin = time.perf_counter(), time.process_time()
        found = corefed.audit(now, table)
        walls.append(time.perf_counter() - begin[0])
        busy.append(time.process_time() - begin[1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    corefed.audit(now, table)
    extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    shown = f"{1e3 * min(walls):.1f} ms, {1e3 * min(busy):.1f} ms of processor time"
    print(f"\n| audit of {agents} agents x {rivals} rivals | {shown} |")
    print(f"| table {table.nbytes / 2**20:.1f} MB, further peak of a repetition | {extra:.2f} MB |")
    assert found.kappa.lo > 0


def import_time(repeats):
    def one(code):
        """Processor time of an interpreter: imports wait for nothing but the disk."""
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime

    bare, numpy, ours = (min(one(code) for _ in range(repeats)) for code in ["pass", "import numpy", "import corefed"])
    print(f"| `import corefed` beyond a bare interpreter | {1e3 * (ours - bare):.0f} ms |")
    print(f"| `import numpy`, which the first name that needs it adds | {1e3 * (numpy - bare):.0f} ms |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="wheel to weigh")
    parser.add_argument("--params", type=int, default=10_000_000)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--contender", nargs=2)
    args = parser.parse_args()
    if args.contender:
        contender(*args.contender, args.count, args.params, args.repeats)
        return
    sizes = ["--params", args.params, "--count", args.count, "--repeats", args.repeats]
    print(f"{args.count} updates of {args.params} f32 on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| rule | corefed, wall (processor) | extra peak | NumPy, wall (processor) | extra peak | ratio of walls |")
    print("|---|---:|---:|---:|---:|---:|")
    for rule in RULES:
        ours = run("--contender", "corefed", rule, *sizes)
        if rule == "fedmgda":
            print(f"| {rule} | {times(ours)} | {ours['extra_mb']:.0f} MB | | | |")
            continue
        plain = run("--contender", "numpy", rule, *sizes)
        assert np.isclose(ours["sum"], plain["sum"], rtol=1e-4), (ours, plain)
        ratio = plain["wall"] / ours["wall"]
        print(
            f"| {rule} | {times(ours)} | {ours['extra_mb']:.0f} MB | {times(plain)} "
            f"| {plain['extra_mb']:.0f} MB | {ratio:.1f} |"
        )
    print("\n| | |\n|---|---|", end="")
    audit_table(1000, 1000, 20)
    import_time(10)
    if args.wheel:
        print(f"| wheel | {args.wheel.stat().st_size / 2**20:.1f} MB |")


if __name__ == "__main__":
    main()
