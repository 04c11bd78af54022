"""A hospital: a logistic regression on rows of its own."""

import csv
import sys
from pathlib import Path

import numpy as np
import nvflare.client as flare

from corefed.flare import report

#: What the hospitals agreed on: the middle and the spread of every column.
SCALES = {
    "age": (60, 10),
    "blood_pressure": (130, 20),
    "cholesterol": (6, 1.5),
    "heart_rate": (75, 15),
    "glucose": (6, 1.5),
}


def rows(folder, hospital):
    """The table of a hospital: one column per measurement, the sex, and a constant."""
    with (Path(folder) / f"{hospital}.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    x = [[(float(row[c]) - m) / s for c, (m, s) in SCALES.items()] for row in table]
    sex = [[float(row["sex"] == "male"), 1.0] for row in table]
    return np.hstack([x, sex]), np.array([row["disease"] == "1" for row in table])


def loss(weight, x, y):
    return float(np.logaddexp(0, np.where(y, -1, 1) * (x @ weight)).mean())


def train(weight, x, y, steps=5, rate=0.5):
    for _ in range(steps):
        weight = weight - rate * x.T @ (1 / (1 + np.exp(-x @ weight)) - y) / len(y)
    return weight


def main(folder):
    flare.init()
    x, y = rows(folder, flare.get_site_name())
    while flare.is_running():
        received = flare.receive()
        if flare.is_submit_model():  # FLARE's cross-site evaluation asks for a model of its own
            report(received, {"numpy_key": train(np.zeros(x.shape[1]), x, y, steps=2000)})
            continue
        weight = received.params["numpy_key"].astype(float)
        trained = {"numpy_key": train(weight, x, y)}
        report(received, trained, loss=loss(weight, x, y), samples=len(y))


if __name__ == "__main__":
    main(sys.argv[1])
