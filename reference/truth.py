"""What is true of a federation, by brute force: for judging whether an accepted claim is false.

Every coalition's best rival is sought with SciPy from several starts, then moved into the ball and
evaluated with fifty digits. What a rival reaches, it reaches: such a number is a lower bound of the
truth, whatever the optimiser thinks of it.
"""

import functools
import json
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from mpmath import mp
from scipy.optimize import minimize

from core import coalitions
from model import decode, read_columns

DIGITS = 50
STARTS = 3
# An optimiser's word counts only beyond this: it may stop short of the best rival.
SLACK = 1e-6


@dataclass(frozen=True)
class Truth:
    """The best that coalitions were seen to reach: all but everybody, and everybody."""

    kappa: float
    everybody: float


def truth(certificate, data_path):
    """The largest `kappa` and `everybody` found."""
    if certificate["subject"]["kind"] == "table":
        return table_truth(certificate, data_path)
    subject, agents = certificate["subject"], certificate["agents"]
    ceilings = tuple(agent["ceiling"] for agent in agents)
    weights = tuple(agent["weight"] for agent in agents)
    return predictor_truth(str(data_path), json.dumps(subject), ceilings, weights)


def falsehood(certificate, data_path):
    """Why the claim is false, or None: a rival reaches more, or nobody reaches as much."""
    claim, found = certificate["claim"], truth(certificate, data_path)
    limit = 1 + claim["tolerance"]
    for name, reached in (("kappa", found.kappa), ("everybody", found.everybody)):
        lo, hi = float(claim[name]["lo"]), float(claim[name]["hi"])
        if reached > hi:
            return f"{name} is at least {reached!r}, above {hi!r}"
        if lo > reached * (1 + SLACK) + SLACK:
            return f"{name} is said to be at least {lo!r}, and {reached!r} was the most found"
    if claim["verdict"] == "stable" and max(found.kappa, found.everybody) > limit:
        return f"stable, and somebody reaches {max(found.kappa, found.everybody)!r}"
    if claim["verdict"] == "blocked" and found.kappa < limit - SLACK:
        return f"blocked, and nobody reaches more than {found.kappa!r}"
    if claim["verdict"] == "improvable" and found.everybody < limit - SLACK:
        return f"improvable, and everybody reaches no more than {found.everybody!r}"
    return None


@functools.lru_cache(maxsize=256)
def predictor_truth(data_path, subject, ceilings, weights):
    subject = json.loads(subject)
    search = Search(decode(data_path, subject), subject, ceilings, weights)
    everyone = tuple(range(len(ceilings)))
    kappa = max(search.best(members) for members in coalitions(len(ceilings)) if members != everyone)
    return Truth(kappa, search.best(everyone))


class Search:
    """The rivals of one incumbent."""

    def __init__(self, data, subject, ceilings, weights):
        self.data, self.ceilings, self.weights = data, ceilings, weights
        self.radius, self.theta = subject["radius"], np.array(subject["parameters"], float)
        self.now = [self.utility(i, self.theta) for i in range(len(ceilings))]
        self.shares = [Fraction(w) for w in weights]
        self.rng = np.random.default_rng(0)

    def utility(self, agent, point):
        with mp.workdps(DIGITS):
            return mp.mpf(self.ceilings[agent]) - precise_loss(self.data, agent, point)

    def best(self, members):
        """The share times the smallest gain, at the best point found; everybody has share one."""
        whole = len(members) == len(self.ceilings)
        share = 1 if whole else sum(self.shares[i] for i in members) / sum(self.shares)
        return max(float(share) * self.least_gain(members, x) for x in self.points(members))

    def least_gain(self, members, point):
        gains = []
        for i in members:
            now, then = self.now[i], self.utility(i, point)
            # Rounded down: what a rival is said to reach, it must reach.
            ratio = float(then / now) * (1 - 1e-15) if now > 0 and then > 0 else math.inf
            gains.append(ratio if then > 0 else 0.0)
        return min(gains)

    def points(self, members):
        yield self.inside(self.theta)
        for _ in range(STARTS):
            start = self.rng.normal(size=self.theta.size)
            start *= self.radius * self.rng.random() / (np.linalg.norm(start) or 1)
            for scaled in (True, False):
                yield self.inside(self.climb(members, start, scaled))

    def climb(self, members, start, scaled):
        """The largest `t` with every gain at least `t`; unscaled, every utility."""
        units = [float(self.now[i]) if scaled and self.now[i] > 0 else 1.0 for i in members]
        pairs = list(zip(members, units, strict=True))

        def gain(z, i, unit):
            return (self.ceilings[i] - self.data.loss(i, z[:-1])) / unit - z[-1]

        def slope(z, i, unit):
            return np.append(-self.data.loss_and_gradient(i, z[:-1])[1] / unit, -1.0)

        rules = [{"type": "ineq", "fun": gain, "jac": slope, "args": pair} for pair in pairs]
        ball = {
            "type": "ineq",
            "fun": lambda z: 1 - z[:-1] @ z[:-1] / self.radius**2,
            "jac": lambda z: np.append(-2 * z[:-1] / self.radius**2, 0.0),
        }
        first = min(gain(np.append(start, 0.0), *pair) for pair in pairs)
        last = np.append(np.zeros(start.size), -1.0)
        with np.errstate(all="ignore"):
            found = minimize(
                lambda z: -z[-1],
                np.append(start, first),
                jac=lambda _: last,
                constraints=[*rules, ball],
                method="SLSQP",
                options={"maxiter": 200, "ftol": 1e-14},
            )
        return found.x[:-1]

    def inside(self, point):
        point = np.nan_to_num(point)
        length = np.linalg.norm(point)
        return point * (self.radius / length * (1 - 1e-15)) if length > self.radius else point


def precise_loss(data, agent, point):
    """The mean loss with fifty digits, by its definition."""
    theta = [mp.mpf(float(x)) for x in point]
    rows = zip(data.inputs[agent], data.targets[agent], strict=True)
    losses = [row_loss(data, [mp.mpf(float(v)) for v in x], float(y), theta) for x, y in rows]
    penalty = mp.mpf(data.l2) / 2 * mp.fsum(t * t for t in theta)
    return mp.fsum(losses) / len(losses) + penalty


def row_loss(data, x, y, theta):
    if data.family == "linear":
        return (mp.fdot(x, theta) - mp.mpf(y)) ** 2
    if data.family == "logistic":
        sign = 1 if y == 1 else -1
        return mp.log1p(mp.exp(-sign * mp.fdot(x, theta)))
    size = len(x)
    scores = [mp.fdot(x, theta[k * size : (k + 1) * size]) for k in range(len(data.classes))]
    return mp.log(mp.fsum(mp.exp(s) for s in scores)) - scores[int(y)]


def table_truth(certificate, data_path):
    """Over the other rows, in fractions; a number that is not a double is rounded down."""
    columns = read_columns(data_path)
    models = list(columns.pop("model"))
    rows = [[Fraction(str(cells[k])) for cells in columns.values()] for k in range(len(models))]
    now = rows.pop(models.index(certificate["subject"]["incumbent"]))
    weights = [Fraction(agent["weight"]) for agent in certificate["agents"]]
    everyone = tuple(range(len(now)))
    best = {True: Fraction(0), False: Fraction(0)}
    for members in coalitions(len(now)):
        whole = members == everyone
        share = 1 if whole else sum(weights[i] for i in members) / sum(weights)
        for row in rows:
            gains = [math.inf if now[i] <= 0 else row[i] / now[i] for i in members if row[i] > 0]
            reached = share * min(gains) if len(gains) == len(members) else 0
            best[whole] = max(best[whole], reached)
    return Truth(*(float(best[whole]) * (1 - 1e-15) for whole in (False, True)))
