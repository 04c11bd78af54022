"""What a run writes down about its models, by the definitions in docs/run-format.md."""

import math

import numpy as np

from core import everybody_against, kappa_against, log_welfare, share, tangent_gap, welfare_gradient


def spread(prefix, values):
    """Eight numbers about one value per agent; agents count equally."""
    ordered = np.sort(np.array(values, float))
    tenth = math.ceil(len(ordered) / 10)
    found = {
        "mean": ordered.mean(),
        "std": ordered.std(),
        "min": ordered[0],
        "max": ordered[-1],
        "worst10": ordered[:tenth].mean(),
        "best10": ordered[-tenth:].mean(),
        "entropy": math.nan,
        "cos1": math.nan,
    }
    if ordered[0] >= 0 and ordered.sum() > 0:
        parts = ordered[ordered > 0] / ordered.sum()
        found["entropy"] = -np.sum(parts * np.log(parts))
    if ordered.any():
        found["cos1"] = ordered.sum() / np.linalg.norm(ordered) / math.sqrt(len(ordered))
    return {f"{prefix}_{name}": value for name, value in found.items()}


def equity_gap(losses, samples):
    """Over all pairs, how far the ratio of losses is from the inverse ratio of samples."""
    agents = range(len(losses))
    pairs = [(i, j) for i in agents for j in agents if i != j]
    ratio = {(i, j): math.log(losses[i] / losses[j]) for i, j in pairs}
    return max(abs(ratio[i, j] - math.log(samples[j] / samples[i])) for i, j in pairs)


def accuracies(data, theta):
    """The share of rows each agent sees predicted right; ties go to the first class."""
    found = []
    for x, y in zip(data.inputs, data.targets, strict=True):
        if data.family == "logistic":
            scores = np.column_stack([np.zeros(len(y)), x @ theta])
        else:
            scores = x @ theta.reshape(len(data.classes), -1).T
        found.append(np.mean(scores.argmax(axis=1) == y))
    return np.array(found)


def measures(data, ceilings, weights, average, radius, thetas, proven):
    """One record per model. Every coalition is tried with every earlier model.

    Ceilings are those stated at the start; one that training raised is the server's affair. `proven` says
    whether they are at least the worst losses on the ball, so that one gradient bounds kappa.
    """
    samples = [len(y) for y in data.targets]
    records, earlier = [], []
    for theta in thetas:
        losses = data.losses(theta)
        utilities = np.array(ceilings) - losses
        happy = utilities.min() > 0
        record = {
            "loss": np.average(losses, weights=average),
            "log_welfare": log_welfare(utilities, weights) if happy else -math.inf,
            "headroom": kappa_against(utilities, ceilings, weights),
            "headroom_everybody": everybody_against(utilities, ceilings),
            "kappa": max((kappa_against(utilities, u, weights) for u in earlier), default=math.nan),
            "everybody": max((everybody_against(utilities, u) for u in earlier), default=math.nan),
            "equity_gap": equity_gap(losses, samples),
            **spread("utility", utilities),
        }
        if proven and happy:
            _, gradient = welfare_gradient(data, ceilings, weights, theta)
            record["bound"] = 1 + tangent_gap(gradient, theta, radius) / sum(weights)
        if data.family != "linear":
            right = accuracies(data, theta)
            record["accuracy"] = np.average(right, weights=average)
            record |= spread("accuracy", right)
        earlier.append(utilities)
        records.append(record)
    return records


def reached(coalition, incumbent, rival, weights):
    """The factor of one coalition with one rival."""
    return share(coalition, weights) * min(rival[i] / incumbent[i] for i in coalition)


def worst_losses(data, radius):
    """Bounds on every agent's loss over the ball; least squares exactly, by its dual in one variable."""
    found = []
    for x, y in zip(data.inputs, data.targets, strict=True):
        lengths = np.linalg.norm(x, axis=1)
        if data.family == "logistic":
            worst = np.mean(np.logaddexp(0, radius * lengths))
        elif data.family == "softmax":
            rivals = math.log(len(data.classes) - 1)
            worst = np.mean(np.logaddexp(0, rivals + math.sqrt(2) * radius * lengths))
        else:
            worst = farthest(x.T @ x / len(y), x.T @ y / len(y), y @ y / len(y), radius)
        found.append(worst + data.l2 / 2 * radius**2)
    return np.array(found)


def farthest(a, b, c, radius):
    """The largest `t'At - 2b't + c` on the ball: there the gradient points outwards, `(m - A)t = -b`.

    In the basis of eigenvectors the norm of t falls in m above the largest eigenvalue, so bisection
    finds the m whose t lies on the sphere. Generic data only: b has a part along the last eigenvector.
    """
    values, vectors = np.linalg.eigh(a)
    b = vectors.T @ b
    low, high = values[-1], values[-1] + np.linalg.norm(b) / radius
    for _ in range(200):
        middle = (low + high) / 2
        outside = middle == low or np.linalg.norm(b / (middle - values)) > radius
        low, high = (middle, high) if outside else (low, middle)
    return c + high * radius**2 + np.sum(b**2 / (high - values))
