"""Seeded federations, written to CSV files as a user would have them."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from model import encode


@dataclass(frozen=True)
class Case:
    """A data file and how to read it."""

    path: Path
    family: str
    raw: bool = False
    l2: float = 0.0
    exposure: str | None = None

    def flags(self):
        flags = ["--agent", "agent", "--target", "y", "--model", self.family]
        flags += ["--raw", "--no-intercept"] if self.raw else []
        flags += ["--exposure", self.exposure] if self.exposure else []
        return flags + (["--l2", str(self.l2)] if self.l2 else [])

    def federation(self):
        intercept = not self.raw
        return encode(
            self.path, "agent", "y", self.family, self.raw, intercept, self.l2, self.exposure
        )


def write(path, header, rows):
    """Writes a CSV file and returns its path."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def targets(rng, family, scores):
    """Targets that depend on two scores per row, with noise."""
    if family == "linear":
        return [f"{v:.6f}" for v in scores[:, 0] + 0.3 * rng.normal(size=len(scores))]
    noisy = np.column_stack([scores, np.zeros(len(scores))]) + rng.gumbel(size=(len(scores), 3))
    if family == "logistic":
        return np.where(noisy[:, 0] > noisy[:, 2], "yes", "no").tolist()
    return np.array(["low", "mid", "top"])[noisy.argmax(axis=1)].tolist()


def federation(folder, family, seed, sizes, raw=False, l2=0.0, spread=1.0):
    """Agents of different sizes and opinions: `spread` is how far their true models lie apart."""
    rng = np.random.default_rng(seed)
    rows = []
    common = rng.normal(size=(3, 2))
    for agent, size in enumerate(sizes):
        x = rng.normal(loc=0.3 * agent, size=(size, 3))
        scores = x @ (common + spread * rng.normal(size=(3, 2)))
        y = targets(rng, family, scores)
        sites = rng.choice(["b", "a", "Ç"], size=size)
        for features, site, label in zip(x, sites, y, strict=True):
            cells = [f"{v:.6f}" for v in features]
            if raw:
                label = {"no": "0", "yes": "1", "low": "0", "mid": "1", "top": "2"}.get(label, label)
            rows.append([f"agent {agent}", *cells, *([] if raw else [site]), label])
    order = rng.permutation(len(rows))
    header = ["agent", "x1", "x2", "x3", *([] if raw else ["site"]), "y"]
    path = write(folder / f"{family}-{seed}.csv", header, [rows[k] for k in order])
    return Case(path, family, raw, l2)


def counts(folder, seed, sizes, exposed=True, raw=False, l2=0.0, spread=0.3):
    """Counts with rates that depend on two features, observed for a while, by agents that differ."""
    rng = np.random.default_rng(seed)
    rows = []
    common = rng.normal(size=2)
    for agent, size in enumerate(sizes):
        x = rng.normal(loc=0.2 * agent, size=(size, 2))
        rates = np.exp(0.5 * x @ (common + spread * rng.normal(size=2)))
        years = rng.uniform(0.25, 3.0, size=size).round(3) if exposed else np.ones(size)
        for features, year, count in zip(x, years, rng.poisson(rates * years), strict=True):
            cells = [f"{v:.6f}" for v in features]
            rows.append([f"agent {agent}", *cells, *([year] if exposed else []), count])
    order = rng.permutation(len(rows))
    header = ["agent", "x1", "x2", *(["years"] if exposed else []), "y"]
    path = write(folder / f"poisson-{seed}.csv", header, [rows[k] for k in order])
    return Case(path, "poisson", raw, l2, "years" if exposed else None)
