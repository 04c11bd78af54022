"""What agents answered, exactly as written, and what follows from it."""

from fractions import Fraction

from ..enclosure import Enclosure, dot, enclose, norm, total
from ..refusal import Refused, require


def exact(numbers):
    return [Fraction(number) for number in numbers]


class Answers:
    """Losses and gradients by agent and point; every number is the fraction that it is."""

    def __init__(self, certificate):
        terms = certificate["terms"]
        self.parties = terms["agents"]
        self.count = len(self.parties)
        self.radius = Fraction(terms["predictor"]["radius"])
        self.l2 = Fraction(terms["predictor"]["l2"])
        # Of a model of the agents' own nothing is known but its answers.
        self.nonnegative = "own" not in terms["predictor"]
        self.points = [exact(point) for point in certificate["points"]]
        self.leaves = [
            {leaf["point"]: leaf for leaf in own["leaves"]} for own in certificate["attestations"]
        ]
        self.weights = [Fraction(party["weight"]) for party in self.parties]
        self.ceilings = [Fraction(party["ceiling"]) for party in self.parties]
        self.absent = {i for i, own in enumerate(self.leaves) if not own}
        self.now = [
            None if i in self.absent else self.utility(i, 0, "the predictor")
            for i in range(self.count)
        ]

    def leaf(self, i, point, what):
        require(point in self.leaves[i], f"{what} needs an answer of agent {i} at {point}")
        return self.leaves[i][point]

    def gradient(self, i, point, what):
        found = self.leaf(i, point, what)["gradient"]
        require(found is not None, f"{what} needs a gradient of agent {i} at {point}")
        return exact(found["values"]), Fraction(found["margin"])

    def loss(self, i, point, what):
        leaf = self.leaf(i, point, what)
        loss, margin = Fraction(leaf["loss"]), Fraction(leaf["margin"])
        return Enclosure(loss - margin, loss + margin)

    def utility(self, i, point, what):
        return self.ceilings[i] - self.loss(i, point, what)

    def has_something(self, i):
        return self.now[i] is not None and self.now[i].lo > 0

    def has_nothing(self, i):
        return self.now[i] is not None and self.now[i].hi <= 0

    def share(self, members):
        return sum(self.weights[i] for i in members) / sum(self.weights)

    def largest(self, tangents, what):
        """At least `sum p u` over the ball: by the parabola above the tangents, or by ceilings."""
        require(tangents, f"{what} has no tangents")
        constant, slack, bend = enclose(0), enclose(0), Fraction(0)
        slope = [Fraction(0)] * len(self.points[0])
        ceilings = Fraction(0)
        for tangent in tangents:
            i, at, p = tangent["agent"], tangent["point"], Fraction(tangent["multiplier"])
            require(p > 0, f"a multiplier of {what} is not positive")
            g, margin = self.gradient(i, at, what)
            y = self.points[at]
            inner = sum(a * b for a, b in zip(g, y, strict=True))
            square = sum(x * x for x in y)
            constant += p * (self.utility(i, at, what) + inner - self.l2 / 2 * square)
            slack += p * margin * (norm(y) + self.radius)
            slope = [s + p * (a - self.l2 * x) for s, a, x in zip(slope, g, y, strict=True)]
            bend += p * self.l2
            ceilings += p * self.ceilings[i]
        steep = norm(slope)
        outside = steep * self.radius - bend * self.radius**2 / 2
        if steep.lo >= bend * self.radius:
            above = outside
        else:
            above = steep.square() / (2 * bend)
        most = (constant + slack + above).hi
        return min(most, ceilings) if self.nonnegative else most

    def gap(self):
        """At least `R|G| - <G, theta>`."""
        theta, slope, slack = self.points[0], [], enclose(0)
        parts = []
        for i in range(self.count):
            g, margin = self.gradient(i, 0, "the gap")
            pull = self.weights[i] / self.now[i]
            parts.append([pull * entry for entry in g])
            slack += pull * margin * (norm(theta) + self.radius)
        slope = [total(column) for column in zip(*parts, strict=True)]
        return norm(slope) * self.radius + dot(slope, theta) + slack

    def check_convexity(self):
        """Each agent's answers lie above its tangents."""
        for i, leaves in enumerate(self.leaves):
            for at, leaf in leaves.items():
                if leaf["gradient"] is None:
                    continue
                g, margin = self.gradient(i, at, "convexity")
                for other in leaves:
                    if other == at:
                        continue
                    apart = [x - y for x, y in zip(self.points[other], self.points[at], strict=True)]
                    square = sum(x * x for x in apart)
                    step = sum(a * b for a, b in zip(g, apart, strict=True))
                    least = self.loss(i, at, "").lo + step + self.l2 / 2 * square
                    if self.loss(i, other, "").hi < (least - margin * norm(apart)).lo:
                        raise Refused(f"the answers of agent {i} fit no convex function")
