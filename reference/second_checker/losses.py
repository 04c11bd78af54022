"""Mean losses of one agent, exact or enclosed: values, gradients, curvature, the worst on a ball.

Points are lists of fractions. Scores are exact, so rounding enters only through exponentials.
"""

from fractions import Fraction

from .enclosure import NEGLIGIBLE, Enclosure, decay, enclose, grow, log_one_plus, logarithm, norm, total
from .matrices import add_to_diagonal, solve_positive_definite
from .refusal import require


def product(left, right):
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


class Linear:
    """Squared error, by its exact moments."""

    curves_by_rows = True

    def __init__(self, rows, l2, _classes):
        count = Fraction(1, len(rows.targets))
        columns = list(zip(*rows.inputs, strict=True))
        self.l2 = l2
        self.squares = [[count * product(a, b) for b in columns] for a in columns]
        self.cross = [count * product(a, rows.targets) for a in columns]
        self.constant = count * product(rows.targets, rows.targets)

    def loss(self, point):
        image = [product(row, point) for row in self.squares]
        value = product(point, image) - 2 * product(self.cross, point) + self.constant
        return enclose(value + self.l2 / 2 * product(point, point))

    def gradient(self, point):
        image = [product(row, point) for row in self.squares]
        terms = zip(image, self.cross, point, strict=True)
        return [enclose(2 * a - 2 * b + self.l2 * x) for a, b, x in terms]

    def curvature(self):
        """A matrix that the Hessian is nowhere below."""
        doubled = [[2 * a for a in row] for row in self.squares]
        return add_to_diagonal(doubled, self.l2)

    def worst(self, radius, multiplier):
        require(multiplier is not None, "a worst loss of a linear model needs a multiplier")
        negative = [[-a for a in row] for row in self.squares]
        room = add_to_diagonal(negative, multiplier - self.l2 / 2)
        solution = solve_positive_definite(room, self.cross)
        require(solution is not None, "the multiplier of a worst loss is too small")
        return enclose(self.constant + multiplier * radius**2 + product(self.cross, solution))


class Curved:
    """What logistic and softmax share: rows one by one, and only the penalty is sure to curve."""

    curves_by_rows = False

    def __init__(self, rows, l2, classes):
        self.rows, self.l2, self.classes = rows, l2, classes
        self.share = Fraction(1, len(rows.targets))

    def loss(self, point):
        pairs = zip(self.rows.inputs, self.rows.targets, strict=True)
        losses = total(self.row_loss(x, y, point) for x, y in pairs)
        return losses * self.share + self.l2 / 2 * product(point, point)

    def gradient(self, point):
        pairs = zip(self.rows.inputs, self.rows.targets, strict=True)
        slopes = [self.row_slope(x, y, point) for x, y in pairs]
        columns = zip(*slopes, strict=True)
        terms = zip(columns, point, strict=True)
        return [total(column) * self.share + self.l2 * x for column, x in terms]

    def worst(self, radius, multiplier):
        require(multiplier is None, "only a linear model has multipliers of worst losses")
        reaches = (norm(x) * radius for x in self.rows.inputs)
        losses = total(self.worst_row(z) for z in reaches)
        return losses * self.share + self.l2 / 2 * radius**2


class Logistic(Curved):
    """Classes by sign: the second is positive."""

    def row_loss(self, x, y, point):
        return softplus(-self.margin(x, y, point))

    def row_slope(self, x, y, point):
        sign = 1 if y == 1 else -1
        slope = sigmoid(-self.margin(x, y, point)) * -sign
        return [slope * a for a in x]

    def margin(self, x, y, point):
        score = product(x, point)
        return score if y == 1 else -score

    def worst_row(self, reach):
        return Enclosure(softplus(reach.lo).lo, softplus(reach.hi).hi)


class Softmax(Curved):
    """One block of parameters per class."""

    def scores(self, x, point):
        return [product(x, point[k * len(x) : (k + 1) * len(x)]) for k in range(self.classes)]

    def row_loss(self, x, y, point):
        scores = self.scores(x, point)
        top = scores.index(max(scores))
        others = total(decay(scores[top] - s) for k, s in enumerate(scores) if k != top)
        return log_one_plus(others) + (scores[top] - scores[y])

    def row_slope(self, x, y, point):
        scores = self.scores(x, point)
        weights = [decay(max(scores) - s) for s in scores]
        mass = total(weights)
        slopes = [(w / mass).rounded() - (1 if k == y else 0) for k, w in enumerate(weights)]
        return [slope * a for slope in slopes for a in x]

    def worst_row(self, reach):
        def value(z):
            return log_one_plus(decay(z) + (self.classes - 2)) + z

        z = reach * enclose(2).sqrt()
        return Enclosure(value(z.lo).lo, value(z.hi).hi)


class Poisson(Curved):
    """Half the deviance of counts, `mu - y + y log(y / mu)` with `mu = exposure exp(score)`."""

    def loss(self, point):
        losses = total(self.row_loss(row, product(row[0], point)) for row in self.triples())
        return losses * self.share + self.l2 / 2 * product(point, point)

    def gradient(self, point):
        slopes = []
        for x, y, exposure in self.triples():
            slope = mean(product(x, point), exposure) - y
            slopes.append([slope * a for a in x])
        terms = zip(zip(*slopes, strict=True), point, strict=True)
        return [total(column) * self.share + self.l2 * x for column, x in terms]

    def worst(self, radius, multiplier):
        """A convex loss is largest at an end of the scores that the ball allows."""
        require(multiplier is None, "only a linear model has multipliers of worst losses")
        ends = [(row, (norm(row[0]) * radius).hi) for row in self.triples()]
        worst = [max(self.row_loss(row, z).hi for z in (-reach, reach)) for row, reach in ends]
        return total(worst) * self.share + self.l2 / 2 * radius**2

    def triples(self):
        return zip(self.rows.inputs, self.rows.targets, self.rows.exposures, strict=True)

    def row_loss(self, row, score):
        _, y, exposure = row
        excess = mean(score, exposure) - y
        return excess if y == 0 else excess + (logarithm(y / exposure) - score) * y


def mean(score, exposure):
    """`exposure exp(score)`."""
    require(score <= NEGLIGIBLE, "the mean of a count is larger than every double")
    return grow(score) * exposure


def softplus(z):
    """`log(1 + exp(z))` of an exact number, which stays exact but for a small part."""
    return log_one_plus(decay(abs(z))) + max(z, Fraction(0))


def sigmoid(z):
    """`1 / (1 + exp(-z))` of an exact number."""
    small = decay(abs(z))
    return ((1 if z >= 0 else small) / (small + 1)).rounded()


FAMILIES = {"linear": Linear, "logistic": Logistic, "softmax": Softmax, "poisson": Poisson}
