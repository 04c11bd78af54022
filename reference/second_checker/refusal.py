"""The one way in which a document fails, and how close the others came to it."""

import math

from .enclosure import enclose


class Refused(Exception):
    """A claim that is not proven, or a document that is not one.

    `miss` says by how much an inequality fails, relative to its sides; infinite where nothing
    that could be measured is wrong.
    """

    def __init__(self, reason, miss=math.inf):
        super().__init__(reason)
        self.miss = miss


def require(holds, reason):
    if not holds:
        raise Refused(reason)


class Room:
    """Proves inequalities, counts them, and remembers the narrowest: doubles may not prove that one."""

    def __init__(self):
        self.narrowest = math.inf
        self.proven = 0

    def at_most(self, left, right, reason):
        """`left <= right`, whatever the enclosed numbers are."""
        room = self.between(left, right)
        if room < 0:
            raise Refused(reason, -room)
        self.passed(room)

    def above_zero(self, value, reason):
        """`value > 0`, provably."""
        value = enclose(value)
        if value.lo <= 0:
            raise Refused(reason, self.between(value.lo, 1))
        # How many doubles lie between the value and zero depends on what it was computed from.
        self.passed(ratio(value.lo, 1))

    def passed(self, room):
        self.narrowest = min(self.narrowest, room)
        self.proven += 1

    def between(self, left, right):
        left, right = enclose(left), enclose(right)
        size = max(abs(left.hi), abs(right.lo), abs(left.lo), abs(right.hi))
        return ratio(right.lo - left.hi, size)


def ratio(above, below):
    """A quotient as a double, for comparing sizes only; its sign is exact."""
    if above == 0:
        return 0.0
    try:
        rounded = float(above / below)
    except OverflowError:
        rounded = math.inf if above > 0 else -math.inf
    return rounded or math.copysign(5e-324, above)
