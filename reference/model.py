"""Losses and gradients from raw rows, in NumPy, by their definitions.

Encoding: numeric columns in file order, centred and divided by their population standard deviation
over all rows; then one indicator per level of every text column, levels sorted; the intercept last.
"""

import csv
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy


@dataclass(frozen=True)
class Federation:
    """Encoded rows of every agent, in order of first appearance."""

    family: str
    l2: float
    names: list
    features: list
    classes: list
    inputs: list  # one matrix per agent
    targets: list  # numbers, or indices of classes
    exposures: list = None  # one array per agent, for counts

    @property
    def dim(self):
        return len(self.features) * (len(self.classes) if self.family == "softmax" else 1)

    def loss(self, agent, theta):
        """Mean loss of one agent, penalty included."""
        return self.loss_and_gradient(agent, theta)[0]

    def losses(self, theta):
        return np.array([self.loss(agent, theta) for agent in range(len(self.names))])

    def loss_and_gradient(self, agent, theta):
        x, y = self.inputs[agent], self.targets[agent]
        if self.family == "poisson":
            value, gradient = poisson_deviance(x, y, theta, self.exposures[agent])
        else:
            value, gradient = LOSSES[self.family](x, y, theta, len(self.classes))
        return value + self.l2 / 2 * theta @ theta, gradient + self.l2 * theta


def squared_error(x, y, theta, _classes):
    residual = x @ theta - y
    return np.mean(residual**2), 2 / len(y) * (x.T @ residual)


def logistic_loss(x, y, theta, _classes):
    sign = 2 * y - 1
    margin = sign * (x @ theta)
    slope = -sign / (1 + np.exp(np.minimum(margin, 700)))
    return np.mean(np.logaddexp(0, -margin)), x.T @ slope / len(y)


def cross_entropy(x, y, theta, classes):
    scores = x @ theta.reshape(classes, -1).T
    scores = scores - scores.max(axis=1, keepdims=True)
    normaliser = np.log(np.exp(scores).sum(axis=1))
    label = y.astype(int)
    surprise = np.exp(scores - normaliser[:, None])
    surprise[np.arange(len(y)), label] -= 1
    return np.mean(normaliser - scores[np.arange(len(y)), label]), (surprise.T @ x).ravel() / len(y)


def poisson_deviance(x, y, theta, exposure):
    """Half the deviance: `mu - y + y log(y / mu)`, and `mu` where nothing was counted."""
    mean = exposure * np.exp(x @ theta)
    return np.mean(mean - y + xlogy(y, y / mean)), x.T @ (mean - y) / len(y)


LOSSES = {"linear": squared_error, "logistic": logistic_loss, "softmax": cross_entropy}


def read_columns(path):
    """The cells of a CSV file by column."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {name: np.array(cells) for name, cells in zip(header, zip(*rows), strict=True)}


def numbers(cells):
    """A column as finite numbers, or None when some cell is none."""
    try:
        values = cells.astype(float)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def encode(path, agent, target, family, raw=False, intercept=True, l2=0.0, exposure=None):
    """Reads a federation from a CSV file."""
    columns = read_columns(path)
    owners, targets = columns.pop(agent), columns.pop(target)
    exposures = np.ones(len(owners)) if exposure is None else columns.pop(exposure).astype(float)
    numeric, indicators = [], []
    for name, cells in columns.items():
        values = numbers(cells)
        if values is None:
            indicators += [(f"{name}={level}", 1.0 * (cells == level)) for level in np.unique(cells)]
        elif raw:
            numeric.append((name, values))
        else:
            numeric.append((name, (values - values.mean()) / values.std()))
    encoded = numeric + indicators
    if intercept:
        encoded.append(("(intercept)", np.ones(len(owners))))
    design = np.column_stack([values for _, values in encoded])
    classes, labels = classify(targets, family)
    if family == "linear" and not raw and labels.std() > 0:
        labels = (labels - labels.mean()) / labels.std()
    features = [name for name, _ in encoded]
    return split(design, labels, owners, family, l2, features, classes, exposures)


NUMBERS = ("linear", "poisson")


def classify(cells, family):
    """Classes in label order (numbers sort as numbers), and every row's label or target."""
    if family in NUMBERS:
        return [], cells.astype(float)
    classes = np.unique(cells)
    if (values := numbers(classes)) is not None:
        classes = classes[np.argsort(values)]
    return list(classes), np.argmax(cells[:, None] == classes[None, :], axis=1).astype(float)


def split(design, labels, owners, family, l2, features, classes, exposures):
    """Rows by owner."""
    names = list(dict.fromkeys(owners.tolist()))
    rows = [owners == name for name in names]
    by_owner = lambda values: [values[r] for r in rows]
    inputs, targets = by_owner(design), by_owner(labels)
    return Federation(family, l2, names, features, classes, inputs, targets, by_owner(exposures))


def decode(path, predictor):
    """Reads a federation by the encoding that a predictor states, not by a fresh one."""
    encoding, columns = predictor["encoding"], read_columns(path)
    rows = len(next(iter(columns.values())))
    encoded = {
        "numeric": lambda f: (columns[f["column"]].astype(float) - f["mean"]) / f["scale"],
        "level": lambda f: 1.0 * (columns[f["column"]] == f["level"]),
        "intercept": lambda _: np.ones(rows),
    }
    features = encoding["features"]
    design = np.column_stack([encoded[feature["kind"]](feature) for feature in features])
    cells, classes = columns[encoding["target_column"]], np.array(encoding["classes"])
    if predictor["family"] in NUMBERS:
        labels = cells.astype(float)
        if scale := encoding.get("target_scale"):
            labels = (labels - scale["mean"]) / scale["scale"]
    else:
        labels = np.argmax(cells[:, None] == classes[None, :], axis=1).astype(float)
    owners = columns[encoding["agent_column"]]
    family, l2 = predictor["family"], predictor["l2"]
    column = encoding.get("exposure_column")
    exposures = np.ones(rows) if column is None else columns[column].astype(float)
    return split(design, labels, owners, family, l2, features, list(classes), exposures)
