"""Agents with a convex loss that no family has, in NumPy, and the pooled audit by SciPy."""

from itertools import combinations

import numpy as np
from inprocess import InProcess, Node
from scipy.optimize import minimize

from corefed import flower

RADIUS = 4.0


class Huber:
    """Huber regression: squares near zero, and lines beyond one."""

    def __init__(self, seed: int, bend: float) -> None:
        rng = np.random.default_rng(seed)
        self.x = np.column_stack([rng.normal(size=(40, 2)), np.ones(40)])
        self.y = self.x @ np.array([bend, 0.6, -bend / 2]) + rng.standard_t(3, size=40) / 3

    def __call__(self, theta):
        off = self.x @ theta - self.y
        loss = np.where(np.abs(off) <= 1, off**2 / 2, np.abs(off) - 0.5)
        return float(loss.mean()), self.x.T @ np.clip(off, -1, 1) / len(off)


#: They disagree about two of three coefficients.
BENDS = {"east": 1.2, "north": 0.9, "south": -0.2, "west": -0.8}
LOSSES = {name: Huber(k, bend) for k, (name, bend) in enumerate(BENDS.items())}
NAMES = list(BENDS)


def clients(keep, losses=LOSSES, **how):
    """One `ConvexClient` per agent, each with a folder for its key."""
    return {
        name: flower.ConvexClient(
            loss,
            parameters=3,
            samples=40,
            model="huber",
            data=name.encode(),
            keep=keep / name,
            **how,
        )
        for name, loss in losses.items()
    }


def grid(own) -> InProcess:
    return InProcess([Node(flower.convex_app(client), name) for name, client in own.items()])


def best_gain(members, theta, ceilings, l2=0.0):
    """The largest factor by which all members gain at once, over the ball: a convex program."""
    now = {name: ceilings[name] - value(name, theta, l2)[0] for name in members}

    def gains(z):
        return [(ceilings[n] - value(n, z[:3], l2)[0]) / now[n] - z[3] for n in members]

    def slopes(z):
        return [[*(-value(n, z[:3], l2)[1] / now[n]), -1.0] for n in members]

    limits = [
        {"type": "ineq", "fun": gains, "jac": slopes},
        {
            "type": "ineq",
            "fun": lambda z: RADIUS**2 - z[:3] @ z[:3],
            "jac": lambda z: [*(-2 * z[:3]), 0.0],
        },
    ]
    best = 0.0
    for start in (theta, np.zeros(3)):
        found = minimize(
            lambda z: -z[3],
            [*start, 0.5],
            jac=lambda z: [0.0, 0.0, 0.0, -1.0],
            constraints=limits,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        # What it really reaches, whatever the solver says.
        best = max(best, min(gains(np.array([*found.x[:3], 0.0]))))
    return best


def value(name, theta, l2):
    loss, gradient = LOSSES[name](theta)
    return loss + l2 / 2 * theta @ theta, gradient + l2 * theta


def pooled_kappa(theta, ceilings, l2=0.0):
    """Kappa over all proper coalitions with equal say, the coalition, and everybody's factor."""
    sizes = range(1, len(NAMES))
    every = [members for k in sizes for members in combinations(NAMES, k)]
    found = {m: len(m) / len(NAMES) * best_gain(m, theta, ceilings, l2) for m in every}
    who = max(found, key=found.get)
    return found[who], who, best_gain(NAMES, theta, ceilings, l2)
