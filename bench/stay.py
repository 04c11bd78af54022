"""Every coalition's model: `corefed stay` beside a loop over scikit-learn.

Twelve agents of 500 rows, 20 columns, logistic: 4,095 coalitions, each trained on the rows of its
members and measured on everybody's held-out rows. Both sides do the same work on the same machine:
the loop fits `LogisticRegression` to the pooled training rows of each coalition and takes log losses
of all agents. `corefed stay` also finds who would leave, contributions and the least core.

    python bench/stay.py [--agents 12] [--rows 500] [--columns 20] [--corefed target/release/corefed]

Prints seconds of both, and their ratio. The loop may be timed on a sample of the coalitions, whose
mean size is that of all, and scaled (`--sample 400`).
"""

import argparse
import itertools
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np


def draw(agents, rows, columns, seed=1):
    """Agents whose true parameters differ a little."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=columns)
    for agent in range(agents):
        x = rng.normal(size=(rows, columns))
        own = common + 0.3 * rng.normal(size=columns)
        y = rng.random(rows) < 1 / (1 + np.exp(-x @ own))
        yield f"agent-{agent:02d}", x, y.astype(int)


def write(path, data):
    """Write one table of all agents."""
    with path.open("w", encoding="utf-8") as file:
        first = data[0][1]
        file.write("agent," + ",".join(f"x{k}" for k in range(first.shape[1])) + ",y\n")
        for name, x, y in data:
            for row, label in zip(x, y, strict=True):
                file.write(
                    name + "," + ",".join(f"{v:.9g}" for v in row) + f",{label}\n"
                )


def own(binary, path, threads):
    """Seconds of the whole command, and its answer."""
    begin = time.perf_counter()
    done = subprocess.run(
        [
            binary,
            "--threads",
            str(threads),
            "stay",
            path,
            "--agent",
            "agent",
            "--target",
            "y",
        ]
        + ["--model", "logistic", "--l2", "0.001", "--json"],
        check=False,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)
    return seconds, json.loads(done.stdout)


def naive(data, share, sample, seed=2):
    """Seconds of a loop over coalitions, and of its fits; scaled if only some are asked."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss

    rng = np.random.default_rng(seed)
    train, test = [], []
    for _, x, y in data:
        order = rng.permutation(len(y))
        cut = round(share * len(y))
        test.append((x[order[:cut]], y[order[:cut]]))
        train.append((x[order[cut:]], y[order[cut:]]))
    n = len(data)
    groups = [g for k in range(1, n + 1) for g in itertools.combinations(range(n), k)]
    asked = groups
    if sample and sample < len(groups):
        asked = [
            groups[k] for k in sorted(rng.choice(len(groups), sample, replace=False))
        ]
    begin, fitting = time.perf_counter(), 0.0
    for group in asked:
        x = np.concatenate([train[k][0] for k in group])
        y = np.concatenate([train[k][1] for k in group])
        start = time.perf_counter()
        model = LogisticRegression(C=1 / (0.001 * len(y)), max_iter=1000).fit(x, y)
        fitting += time.perf_counter() - start
        for x, y in test:
            log_loss(y, model.predict_proba(x)[:, 1], labels=[0, 1])
    scale = len(groups) / len(asked)
    return (
        (time.perf_counter() - begin) * scale,
        fitting * scale,
        len(asked) / len(groups),
    )


def main():
    """Time both."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--agents", type=int, default=12)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--corefed", default="target/release/corefed")
    parser.add_argument("--no-peer", action="store_true")
    asked = parser.parse_args()
    data = list(draw(asked.agents, asked.rows, asked.columns))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agents.csv"
        write(path, data)
        seconds, answer = own(asked.corefed, str(path), asked.threads)
    print(
        f"corefed stay: {seconds:.2f} s, {len(answer['groups'])} groups, {answer['verdict']}"
    )
    if not asked.no_peer:
        peer, fitting, part = naive(data, 0.3, asked.sample)
        scaled = "" if part == 1 else f" (scaled from {100 * part:.0f} % of the groups)"
        print(
            f"scikit-learn loop: {peer:.1f} s{scaled}, {peer / seconds:.1f} times as long"
        )
        print(
            f"  of which fitting: {fitting:.1f} s, {fitting / seconds:.1f} times as long"
        )


if __name__ == "__main__":
    main()
