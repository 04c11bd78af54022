"""The agents of a certificate on their data: utilities and gradients at any point."""

import hashlib
from fractions import Fraction

from .cells import read_cells
from .encoding import encode
from .enclosure import enclose
from .losses import FAMILIES, product
from .refusal import require

# Points that are remembered; a search through many documents must not fill the memory.
MOST_KNOWN = 10_000


class Federation:
    """Losses by agent; each point is computed once, since proofs return to the same ones."""

    def __init__(self, raw, subject):
        intake = subject["encoding"]["intake"] or {}
        cells = read_cells(raw, intake.get("written"))
        family, classes = subject["family"], len(subject["encoding"]["classes"])
        self.agents = encode(cells, subject["encoding"], family)
        self.l2 = Fraction(subject["l2"])
        self.features = len(subject["encoding"]["features"])
        self.dimension = self.features * (classes if family == "softmax" else 1)
        self.losses = [FAMILIES[family](rows, self.l2, classes) for rows in self.agents]
        self.known = {}

    def loss(self, agent, point):
        return self.once("loss", agent, point)

    def gradient(self, agent, point):
        return self.once("gradient", agent, point)

    def once(self, what, agent, point):
        key = (what, agent, tuple(point))
        if key not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[key] = getattr(self.losses[agent], what)(point)
        return self.known[key]


class Setting:
    """What every check needs: the federation, the ball, ceilings, weights and utilities now."""

    def __init__(self, federation, subject, agents):
        require(subject["l2"] >= 0, "with a negative l2 losses are not convex")
        self.federation = federation
        self.radius = Fraction(subject["radius"])
        require(self.radius >= 0, "the radius is negative")
        self.theta = self.point(subject["parameters"], "the parameters")
        for agent in agents:
            require(agent["ceiling"] is not None, f"`{agent['name']}` has no ceiling")
        self.ceilings = [Fraction(agent["ceiling"]) for agent in agents]
        self.weights = [Fraction(agent["weight"]) for agent in agents]
        self.agents = range(len(agents))
        self.now = [self.utility(agent, self.theta) for agent in self.agents]

    def point(self, numbers, what, correction=None):
        """A list of doubles, plus perhaps another, as an exact point of the ball."""
        dimension = self.federation.dimension
        require(len(numbers) == dimension, f"{what} should be {dimension} numbers")
        point = [Fraction(x) for x in numbers]
        if correction is not None:
            require(len(correction) == dimension, f"a correction should be {dimension} numbers")
            point = [x + Fraction(c) for x, c in zip(point, correction, strict=True)]
        require(product(point, point) <= self.radius**2, f"{what} lie outside the ball")
        return point

    def utility(self, agent, point):
        return enclose(self.ceilings[agent]) - self.federation.loss(agent, point)

    def share(self, members):
        return sum(self.weights[i] for i in members) / sum(self.weights)

    def has_something(self, agent):
        """Provably."""
        return self.now[agent].lo > 0

    def has_nothing(self, agent):
        """Provably."""
        return self.now[agent].hi <= 0


def digest(raw):
    return hashlib.sha256(raw).hexdigest()
