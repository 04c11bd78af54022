"""Optima by other people's solvers: CVXPY with Clarabel, polished by SciPy."""

import warnings

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize
from scipy.special import xlogy

from core import proper, share, welfare_gradient


def loss_expressions(federation, theta):
    """Every agent's loss as a convex expression."""
    penalty = federation.l2 / 2 * cp.sum_squares(theta)
    losses = []
    for x, y in zip(federation.inputs, federation.targets, strict=True):
        if federation.family == "linear":
            loss = cp.sum_squares(x @ theta - y) / len(y)
        elif federation.family == "logistic":
            loss = cp.sum(cp.logistic(cp.multiply(1 - 2 * y, x @ theta))) / len(y)
        elif federation.family == "poisson":
            exposure = federation.exposures[len(losses)]
            score, fit = x @ theta, np.sum(xlogy(y, y / exposure) - y)
            loss = cp.sum(cp.multiply(exposure, cp.exp(score)) - cp.multiply(y, score)) + fit
            loss = loss / len(y)
        else:
            dim, label = x.shape[1], np.eye(len(federation.classes))[y.astype(int)]
            scores = x @ cp.reshape(theta, (dim, len(federation.classes)), order="F")
            loss = cp.sum(cp.log_sum_exp(scores, axis=1)) - cp.sum(cp.multiply(label, scores))
            loss = loss / len(y)
        losses.append(loss + penalty)
    return losses


def inside(theta, radius):
    """The point itself, or the nearest of the ball: solvers leave it by their tolerance."""
    return theta * min(1, radius / np.linalg.norm(theta)) if theta.any() else theta


def maximise(objective, theta, radius, constraints=()):
    problem = cp.Problem(cp.Maximize(objective), [cp.norm(theta) <= radius, *constraints])
    with warnings.catch_warnings():
        # Near ties Clarabel stops a digit early and says so; the caller's tolerance judges it.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver=cp.CLARABEL)
    assert problem.status in ("optimal", "optimal_inaccurate"), problem.status
    return inside(theta.value, radius)


def nash(federation, ceilings, weights, radius):
    """The maximiser of log-welfare over the ball."""
    theta, utilities = cp.Variable(federation.dim), cp.Variable(len(weights))
    losses = loss_expressions(federation, theta)
    constraints = [loss <= ceilings[i] - utilities[i] for i, loss in enumerate(losses)]
    start = maximise(np.array(weights) @ cp.log(utilities), theta, radius, constraints)

    def objective(point):
        value, gradient = welfare_gradient(federation, ceilings, weights, point)
        return (-value, -gradient) if np.isfinite(value) else (1e300, gradient)

    return polished(objective, start, radius)


def utilitarian(federation, weights, radius):
    """The minimiser of the weighted sum of losses over the ball."""
    theta = cp.Variable(federation.dim)
    losses = loss_expressions(federation, theta)
    total = sum(w * loss for w, loss in zip(weights, losses, strict=True))
    start = maximise(-total, theta, radius)

    def objective(point):
        pairs = [federation.loss_and_gradient(i, point) for i in range(len(weights))]
        value = sum(w * loss for w, (loss, _) in zip(weights, pairs, strict=True))
        return value, sum(w * gradient for w, (_, gradient) in zip(weights, pairs, strict=True))

    return polished(objective, start, radius)


def ball(radius, dim):
    """The ball as a constraint of SLSQP on the first `dim` variables."""
    padded = lambda x: np.append(x[:dim], np.zeros(len(x) - dim))
    return {
        "type": "ineq",
        "fun": lambda x: (radius**2 - x[:dim] @ x[:dim]) / radius,
        "jac": lambda x: -2 / radius * padded(x),
    }


def polished(objective, start, radius):
    """The better of a point and what SLSQP makes of it, both inside the ball."""
    found = minimize(
        objective,
        start,
        jac=True,
        constraints=[ball(radius, len(start))],
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 500},
    )
    return min(start, inside(found.x, radius), key=lambda point: objective(point)[0])


def egalitarian(federation, ceilings, radius):
    """The largest smallest utility over the ball, and where it is."""
    theta, least = cp.Variable(federation.dim), cp.Variable()
    losses = loss_expressions(federation, theta)
    constraints = [m - loss >= least for m, loss in zip(ceilings, losses, strict=True)]
    point = maximise(least, theta, radius, constraints)
    return point, float(min(np.array(ceilings) - federation.losses(point)))


def coalition_value(federation, ceilings, utilities, members, radius):
    """V(S): the largest gain that some rival gives every member."""
    theta, gain = cp.Variable(federation.dim), cp.Variable()
    losses = loss_expressions(federation, theta)
    constraints = [ceilings[i] - losses[i] >= gain * utilities[i] for i in members]
    start = maximise(gain, theta, radius, constraints)

    def worst_gain(rival):
        return min((ceilings[i] - federation.loss(i, rival)) / utilities[i] for i in members)

    # The same program for SLSQP, from there: the last point is (rival, gain).
    def slack(point):
        pairs = [federation.loss_and_gradient(i, point[:-1]) for i in members]
        rows = zip(members, pairs, strict=True)
        return [(ceilings[i] - loss) / utilities[i] - point[-1] for i, (loss, _) in rows]

    def slope(point):
        gradients = [federation.loss_and_gradient(i, point[:-1])[1] for i in members]
        rows = zip(members, gradients, strict=True)
        return np.array([np.append(-g / utilities[i], -1.0) for i, g in rows])

    last = np.append(np.zeros(federation.dim), 1.0)
    found = minimize(
        lambda point: (-point[-1], -last),
        np.append(start, worst_gain(start)),
        jac=True,
        constraints=[{"type": "ineq", "fun": slack, "jac": slope}, ball(radius, federation.dim)],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 300},
    )
    return max(worst_gain(start), worst_gain(inside(found.x[:-1], radius)))


def kappa(federation, ceilings, weights, utilities, radius):
    """kappa and its coalition, one program per coalition."""
    values = {
        s: share(s, weights) * coalition_value(federation, ceilings, utilities, s, radius)
        for s in proper(len(weights))
    }
    best = max(values, key=values.get)
    return values[best], best


