"""Federated training by rounds, in NumPy, as the theory writes it.

Everybody takes part and every step sees all rows of an agent, so nothing is drawn. Settings are those of a
spec, with the defaults that its documentation states. A rule is a method that turns updates, and losses
reported before training, into one coefficient per update.
"""

from dataclasses import dataclass, field
from itertools import chain, combinations, product

import numpy as np

TRAIN = {"rule": "corefed", "step_length": "normalised", "gamma": 0.1, "q": 1.0, "t": 1.0}
TRAIN |= {"correction": "none", "memory": 1.0}
TRAIN |= {"spread": 1.0, "rounds": 100, "server_step": 1.0, "server_momentum": 0.0, "project": True}
LOCAL = {"epochs": 1, "learning_rate": 0.1, "momentum": 0.0, "weight_decay": 0.0}
LOCAL |= {"schedule": "constant", "decay": 0.1, "decay_every": 30}
SAFETY = {"at_ceiling": "floor", "floor": 0.1, "weight_cap": 100.0, "clip": np.inf}


@dataclass
class Round:
    """What happened in a round, and the model after it. Agents are indices."""

    theta: np.ndarray
    reported: np.ndarray = None
    weights: np.ndarray = None  # of the updates as they were sent
    update_norms: np.ndarray = None
    rate: float = None
    step_norm: float = None
    warm_up: bool = False
    floored: list = field(default_factory=list)
    capped: list = field(default_factory=list)
    clipped: list = field(default_factory=list)
    raised: dict = field(default_factory=dict)


class Trainer:
    """A server and its agents. `weights` are the say of agents, `average` FedAvg's weights."""

    def __init__(self, data, ceilings, weights, average, radius, train):
        self.data, self.radius, self.train = data, radius, TRAIN | train
        self.local = LOCAL | train.get("local", {})
        self.safety = SAFETY | train.get("safety", {})
        self.ceilings = np.array(ceilings, float)
        self.weights = np.array(weights) / np.mean(weights)
        self.average = np.array(average) / np.mean(average)
        self.multipliers = self.weights / self.weights.sum()
        self.theta = np.zeros(data.dim)
        self.velocity = np.zeros(data.dim)
        self.controls = np.zeros((len(self.weights), data.dim))
        self.averaged = None

    def run(self):
        """All rounds; the first is the initial state."""
        start = Round(self.theta)
        return [start, *(self.round(number) for number in range(1, self.train["rounds"] + 1))]

    def round(self, number):
        """Losses first, then training, then one step of the server."""
        self.now = Round(None, self.data.losses(self.theta), rate=self.rate(number))
        combine = getattr(self, self.train["rule"].replace("-", "_"))
        agents = range(len(self.weights))
        drift = np.zeros_like(self.controls)
        if self.train["correction"] == "control":
            # Pulls of rules without memory depend on losses alone, so updates of zero tell them.
            pulls = combine(drift)
            drift = pulls / pulls.sum() @ self.controls - self.controls
        updates = np.array([self.update(agent, drift[agent]) for agent in agents])
        if self.train["correction"] == "control":
            steps = np.arange(1, self.local["epochs"] + 1)
            momentum = self.local["momentum"]
            far = ((1 - momentum**steps) / (1 - momentum)).sum()
            self.controls = -drift - updates / (self.now.rate * far)
        norms = np.linalg.norm(updates, axis=1)
        shrink = np.minimum(1, self.safety["clip"] / norms)
        self.now.clipped = np.flatnonzero(shrink < 1).tolist()
        self.now.update_norms = norms
        self.now.weights = shrink * combine(shrink[:, None] * updates)
        self.velocity = self.train["server_momentum"] * self.velocity + self.now.weights @ updates
        there = self.theta + self.train["server_step"] * self.velocity
        if self.train["project"]:
            there = there * min(1, self.radius / np.linalg.norm(there))
        self.now.step_norm = np.linalg.norm(there - self.theta)
        self.theta = self.now.theta = there
        return self.now

    def rate(self, number):
        """The learning rate of a round, counted from one."""
        schedule = self.local["schedule"]
        if schedule == "inverse-sqrt":
            factor = number**-0.5
        elif schedule == "cosine":
            factor = (1 + np.cos(np.pi * (number - 1) / self.train["rounds"])) / 2
        elif schedule == "step":
            factor = self.local["decay"] ** ((number - 1) // self.local["decay_every"])
        else:
            factor = 1.0
        return self.local["learning_rate"] * factor

    def update(self, agent, drift):
        """`torch.optim.SGD` on all rows: decay joins the gradient, and the gradient the velocity."""
        theta, velocity = self.theta.copy(), np.zeros(self.data.dim)
        for _ in range(self.local["epochs"]):
            loss, gradient = self.data.loss_and_gradient(agent, theta)
            slope = self.slope(agent, loss) * gradient + self.local["weight_decay"] * theta + drift
            velocity = self.local["momentum"] * velocity + slope
            theta = theta - self.now.rate * velocity
        return theta - self.theta

    def slope(self, agent, loss):
        """PropFair's agents descend -log(M - L), a line below the floor; others L itself."""
        if self.train["rule"] != "propfair":
            return 1.0
        ceiling = self.ceilings[agent]
        return 1 / max(ceiling - loss, self.safety["floor"] * ceiling)

    def fedavg(self, _updates):
        return self.average / self.average.sum()

    propfair = fedavg

    def corefed(self, updates):
        """Weights over utilities, by one of three lengths; safeguards are listed in the round."""
        now, floor = self.now, self.safety["floor"]
        below = self.ceilings - now.reported < floor * self.ceilings
        if self.safety["at_ceiling"] == "raise":
            for agent in np.flatnonzero(below).tolist():
                self.ceilings[agent] = now.raised[agent] = now.reported[agent] / (1 - floor)
        else:
            now.floored = np.flatnonzero(below).tolist()
        if self.safety["at_ceiling"] == "warm-up" and below.any():
            now.warm_up = True
            return self.fedavg(updates)
        utilities = np.maximum(self.ceilings - now.reported, floor * self.ceilings)
        if self.averaged is not None:
            share = self.train["memory"]
            utilities = (1 - share) * self.averaged + share * utilities
        self.averaged = utilities
        inverse = 1 / utilities
        most = self.safety["weight_cap"] * inverse.min()
        now.capped = np.flatnonzero(inverse > most).tolist()
        inverse = np.minimum(inverse, most)
        pulls = self.weights * inverse
        lengths = {
            "printed": len(pulls),
            "normalised": pulls.sum(),
            "dynamic": pulls @ (1 + squares(updates) / now.rate * inverse),
        }
        return pulls / lengths[self.train["step_length"]]

    def afl(self, _updates):
        self.multipliers = onto_simplex(self.multipliers + self.train["gamma"] * self.now.reported)
        return self.multipliers

    def qffl(self, updates):
        """Li et al. 2020, Algorithm 2, with a weight before every agent's terms."""
        q, rate, loss = self.train["q"], self.now.rate, self.now.reported
        gradients = -updates / rate
        lipschitz = q * loss ** (q - 1) * squares(gradients) + loss**q / rate
        # theta - sum L^q g / sum h, and g = -D/rate.
        return self.weights * loss**q / rate / (self.weights @ lipschitz)

    def term(self, _updates):
        tilted = self.weights * np.exp(self.train["t"] * self.now.reported)
        return tilted / tilted.sum()

    def fedmgda(self, updates):
        norms = np.sqrt(squares(updates))
        directions = updates / norms[:, None]
        return norms.mean() * shortest(directions, self.train["spread"]) / norms

    def nash_mtl(self, updates):
        """Navon et al. 2022: `G a = w/a`, brought to the mean length of updates."""
        shares = self.weights / self.weights.sum()
        coefficients = bargain(updates @ updates.T, shares)
        length = np.linalg.norm(coefficients @ updates)
        return coefficients * (shares @ np.sqrt(squares(updates))) / (length or 1.0)


def bargain(gram, shares):
    """Positive `a` with `a_i (G a)_i = w_i` (ledger E47).

    One agent at a time solves its own equation, a quadratic, exactly: descent on a strictly convex
    function. A last step of Newton's method on the equation removes what is left. Where a combination of
    directions is shorter than 1e-4, none of them serves everybody, and there is no step.
    """
    lengths = np.sqrt(np.diag(gram))
    cosines = gram / np.outer(lengths, lengths)
    b = np.sqrt(shares)
    for _ in range(100_000):
        for i in range(len(b)):
            others = cosines[i] @ b - b[i]
            b[i] = (np.sqrt(others**2 + 4 * shares[i]) - others) / 2
        if b.sum() > 1e4 * np.sqrt(b @ cosines @ b):
            return np.zeros(len(b))
        if np.abs(b * (cosines @ b) / shares - 1).max() < 1e-9:
            break
    b -= np.linalg.solve(np.diag(cosines @ b) + b[:, None] * cosines, b * (cosines @ b) - shares)
    assert np.abs(b * (cosines @ b) / shares - 1).max() < 1e-11, b
    return b / lengths


def squares(rows):
    return np.sum(rows**2, axis=1)


def onto_simplex(point):
    """The nearest point of the simplex: on every face the foot of the perpendicular, if inside."""
    everyone = range(len(point))
    faces = chain.from_iterable(combinations(everyone, k) for k in range(1, len(point) + 1))
    feet = []
    for face in map(list, faces):
        foot = np.zeros(len(point))
        foot[face] = point[face] - (point[face].sum() - 1) / len(face)
        feet.append(foot)
    return min((f for f in feet if f.min() >= 0), key=lambda f: np.sum((f - point) ** 2))


def shortest(vectors, spread):
    """Coefficients of the shortest combination, each within `spread` of equal.

    Every set of active bounds is tried: on each the optimum solves a linear system.
    """
    count = len(vectors)
    gram, equal = vectors @ vectors.T, 1 / count
    low, high = max(0, equal - spread), min(1, equal + spread)
    found = []
    for bounds in product([low, high, None], repeat=count):
        free = [k for k in range(count) if bounds[k] is None]
        x = np.array([b if b is not None else 0.0 for b in bounds])
        if free:
            # Stationary on the free ones, and the sum is one.
            size = len(free)
            ones, inner = np.ones((size, 1)), gram[np.ix_(free, free)]
            system = np.block([[inner, -ones], [ones.T, np.zeros((1, 1))]])
            right = np.append(-gram[free] @ x, 1 - x.sum())
            x[free] = np.linalg.lstsq(system, right)[0][:-1]
        if abs(x.sum() - 1) < 1e-9 and x.min() > low - 1e-12 and x.max() < high + 1e-12:
            found.append(x)
    return min(found, key=lambda x: x @ gram @ x)
