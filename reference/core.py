"""The core by its definitions: utilities, welfare, blocking, kappa. Every coalition is tried."""

import math
from itertools import chain, combinations

import numpy as np


def coalitions(n):
    """All non-empty sets of agents."""
    return chain.from_iterable(combinations(range(n), size) for size in range(1, n + 1))


def proper(n):
    """Those that leave somebody behind."""
    return (s for s in coalitions(n) if len(s) < n)


def share(members, weights):
    return sum(weights[i] for i in members) / sum(weights)


def blocks(members, incumbent, rival, weights):
    """Definition 1: all at least as well off after their share is taken, one strictly better.

    Utilities at or below zero count as nothing: anybody who has nothing must get something.
    """
    fraction = share(members, weights)
    left = [fraction * rival[i] - max(0, incumbent[i]) for i in members]
    served = all(incumbent[i] > 0 or rival[i] > 0 for i in members)
    return served and all(x >= 0 for x in left) and any(x > 0 for x in left)


def blocking_coalitions(incumbent, rival, weights):
    """Who would leave for the rival. Exact for exact numbers such as fractions."""
    return [set(s) for s in proper(len(incumbent)) if blocks(s, incumbent, rival, weights)]


def kappa_against(incumbent, rival, weights):
    """The best factor of a coalition, not everybody, with one rival.

    Infinite when somebody who has nothing gets something.
    """
    pairs = list(zip(incumbent, rival, strict=True))
    if len(pairs) > 1 and any(now <= 0 < then for now, then in pairs):
        return math.inf
    positive = [s for s in proper(len(incumbent)) if all(incumbent[i] > 0 for i in s)]
    factors = [share(s, weights) * min(rival[i] / incumbent[i] for i in s) for s in positive]
    return max([0, *factors])


def everybody_against(incumbent, rival):
    """The factor by which everybody gains at once with one rival."""
    pairs = list(zip(incumbent, rival, strict=True))
    if any(then <= 0 for _, then in pairs):
        return 0
    return min((then / now for now, then in pairs if now > 0), default=math.inf)


def improves(incumbent, rival):
    """Whether everybody together prefers the rival by the strict rule."""
    everybody = tuple(range(len(incumbent)))
    return blocks(everybody, incumbent, rival, [1] * len(incumbent))


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
    point = tangent_point(conflict)
    held, value, slope = 0.0, 0.0, np.zeros_like(point)
    for i, p in zip(conflict["agents"], conflict["multipliers"], strict=True):
        loss, gradient = federation.loss_and_gradient(i, point)
        held += p * utilities[i]
        value += p * (ceilings[i] - loss)
        slope -= p * gradient
    if conflict.get("sphere") is None:
        return (value + tangent_gap(slope, point, radius)) / held
    return (value + curved_rise(federation, conflict, slope, radius)) / held


def tangent_point(conflict):
    """Where the bound of a conflict is taken; the point may lie between doubles."""
    return np.array(conflict["point"]) + np.array(conflict.get("correction", 0.0))


def curved_rise(federation, conflict, slope, radius):
    """How much the sum of utilities can rise from the point, by how losses curve and the sphere's multiplier."""
    point, nu = tangent_point(conflict), conflict["sphere"]
    curvature = nu * np.eye(len(point))
    for i, p in zip(conflict["agents"], conflict["multipliers"], strict=True):
        own = federation.l2 * np.eye(len(point))
        if federation.family == "linear":
            x = federation.inputs[i]
            own = own + 2 * x.T @ x / len(x)
        curvature += p * own
    assert np.linalg.eigvalsh(curvature).min() > 0, "the curvature must be positive definite"
    h = -slope + nu * point
    return nu / 2 * (radius**2 - point @ point) + h @ np.linalg.solve(curvature, h) / 2


def covered(conflicts, weights):
    """The smallest kappa that the conflicts prove: every coalition by the best that fits it."""
    best = {}
    for members in proper(len(weights)):
        inside = [c["bound"] for c in conflicts if set(c["agents"]) <= set(members)]
        best[members] = share(members, weights) * min(inside, default=math.inf)
    return max(best.values())
