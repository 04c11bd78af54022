"""The core by its definitions: utilities, welfare, blocking, kappa. Every coalition is tried."""

import math
from itertools import chain, combinations

import numpy as np


def coalitions(n):
    """All non-empty sets of agents."""
    return chain.from_iterable(combinations(range(n), size) for size in range(1, n + 1))


def share(members, weights):
    return sum(weights[i] for i in members) / sum(weights)


def blocks(members, incumbent, rival, weights):
    """Definition 1: all at least as well off after their share is taken, one strictly better."""
    fraction = share(members, weights)
    left = [fraction * rival[i] - incumbent[i] for i in members]
    return all(x >= 0 for x in left) and any(x > 0 for x in left)


def blocking_coalitions(incumbent, rival, weights):
    """Who would leave for the rival. Exact for exact numbers such as fractions."""
    everyone = coalitions(len(incumbent))
    return [set(s) for s in everyone if blocks(s, incumbent, rival, weights)]


def kappa_against(incumbent, rival, weights):
    """The best factor of any coalition with one rival; infinite when somebody has nothing to lose."""
    if any(u <= 0 for u in incumbent):
        alone = ([i] for i in range(len(incumbent)) if incumbent[i] <= 0)
        if any(blocks(s, incumbent, rival, weights) for s in alone):
            return math.inf
    positive = [s for s in coalitions(len(incumbent)) if all(incumbent[i] > 0 for i in s)]
    factors = [share(s, weights) * min(rival[i] / incumbent[i] for i in s) for s in positive]
    return max([0, *factors])


def log_welfare(utilities, weights):
    return float(np.dot(weights, np.log(utilities)))


def welfare_gradient(federation, ceilings, weights, theta):
    """Log-welfare and its gradient; minus infinity where somebody has nothing."""
    pairs = [federation.loss_and_gradient(i, theta) for i in range(len(ceilings))]
    utilities = np.array([m - loss for m, (loss, _) in zip(ceilings, pairs, strict=True)])
    if utilities.min() <= 0:
        return -math.inf, np.zeros_like(theta)
    slope = -sum(w / u * g for w, u, (_, g) in zip(weights, utilities, pairs, strict=True))
    return log_welfare(utilities, weights), slope


def tangent_gap(gradient, theta, radius):
    """How much a concave function with this gradient can gain over the ball."""
    return radius * np.linalg.norm(gradient) - gradient @ theta


def dual_bound(federation, ceilings, utilities, conflict, radius):
    """What a conflict proves: no rival in the ball gives all of its agents more than this gain."""
    point = np.array(conflict["point"])
    held, value, slope = 0.0, 0.0, np.zeros_like(point)
    for i, p in zip(conflict["agents"], conflict["multipliers"], strict=True):
        loss, gradient = federation.loss_and_gradient(i, point)
        held += p * utilities[i]
        value += p * (ceilings[i] - loss)
        slope -= p * gradient
    return (value + tangent_gap(slope, point, radius)) / held


def covered(conflicts, weights):
    """The smallest kappa that the conflicts prove: every coalition by the best that fits it."""
    best = {}
    for members in coalitions(len(weights)):
        inside = [c["bound"] for c in conflicts if set(c["agents"]) <= set(members)]
        best[members] = share(members, weights) * min(inside, default=math.inf)
    return max(best.values())
