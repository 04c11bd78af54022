"""Numbers that are known to lie between two exact fractions.

Everything a linear model needs is rational, and then both ends are equal. Only roots, exponentials and
logarithms are rounded, outwards, to `BITS` bits.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from mpmath import iv

BITS = 200
iv.prec = BITS
# Beyond this, exp(-z) is smaller than every double; written out it would only fill memory.
NEGLIGIBLE = 2000


@dataclass(frozen=True)
class Enclosure:
    """An interval with rational ends."""

    lo: Fraction
    hi: Fraction

    def __add__(self, other):
        other = enclose(other)
        return Enclosure(self.lo + other.lo, self.hi + other.hi)

    def __neg__(self):
        return Enclosure(-self.hi, -self.lo)

    def __sub__(self, other):
        return self + -enclose(other)

    def __rsub__(self, other):
        return enclose(other) - self

    def __mul__(self, other):
        other = enclose(other)
        if self.lo == self.hi and other.lo == other.hi:
            return enclose(self.lo * other.lo)
        ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Enclosure(min(ends), max(ends))

    def __truediv__(self, other):
        other = enclose(other)
        if other.lo <= 0 <= other.hi:
            raise ZeroDivisionError("the divisor may be zero")
        return self * Enclosure(1 / other.hi, 1 / other.lo)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rtruediv__(self, other):
        return enclose(other) / self

    def square(self):
        """Never below zero, as a product of two unrelated numbers could be."""
        ends = (self.lo * self.lo, self.hi * self.hi)
        crosses = self.lo < 0 < self.hi
        return Enclosure(Fraction(0) if crosses else min(ends), max(ends))

    def sqrt(self):
        """Of a number that is known not to be negative."""
        return Enclosure(root_below(max(self.lo, Fraction(0))), root_above(self.hi))

    def rounded(self):
        """A slightly wider one with short ends, so that sums of many stay short."""
        return Enclosure(short(self.lo, math.floor), short(self.hi, math.ceil))


def short(value, direction):
    size = value.numerator.bit_length() - value.denominator.bit_length()
    scale = Fraction(2) ** (BITS - size)
    return direction(value * scale) / scale


def enclose(value):
    """A number as an enclosure of itself; a double is the fraction that it is."""
    if isinstance(value, Enclosure):
        return value
    exact = Fraction(value)
    return Enclosure(exact, exact)


def scaled_root(value):
    """The integer root of the value times a square, that square's root, and whether it is exact."""
    shift = max(0, BITS - (value.numerator * value.denominator).bit_length() // 2)
    square = value.numerator * value.denominator << (2 * shift)
    root = math.isqrt(square)
    return root, value.denominator << shift, root * root == square


def root_below(value):
    root, scale, _ = scaled_root(value)
    return Fraction(root, scale)


def root_above(value):
    root, scale, exact = scaled_root(value)
    return Fraction(root if exact else root + 1, scale)


def norm(vector):
    return total(enclose(entry).square() for entry in vector).sqrt()


def total(terms):
    """A sum; of nothing, zero."""
    lo, hi = Fraction(0), Fraction(0)
    for term in terms:
        term = enclose(term)
        lo, hi = lo + term.lo, hi + term.hi
    return Enclosure(lo, hi)


def dot(left, right):
    return total(enclose(a) * b for a, b in zip(left, right, strict=True))


def binary(value):
    """The exact fraction that an end of an `iv` number is."""
    sign, mantissa, exponent, _ = value
    mantissa = int(-mantissa if sign else mantissa)
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def from_iv(value):
    low, high = value._mpi_
    return Enclosure(binary(low), binary(high))


def to_iv(value):
    low = iv.mpf(value.lo.numerator) / value.lo.denominator
    high = iv.mpf(value.hi.numerator) / value.hi.denominator
    return iv.mpf([low.a, high.b])


def decay(z):
    """`exp(-z)` for an exact `z >= 0`."""
    if z > NEGLIGIBLE:
        return Enclosure(Fraction(0), decay(Fraction(NEGLIGIBLE)).hi)
    return from_iv(iv.exp(-to_iv(enclose(z))))


def grow(z):
    """`exp(z)` of an exact number, at most `NEGLIGIBLE`."""
    if z <= 0:
        return decay(-z)
    return from_iv(iv.exp(to_iv(enclose(z))))


def logarithm(value):
    """`log(value)` of an exact positive number."""
    return from_iv(iv.log(to_iv(enclose(value))))


def log_one_plus(value):
    """`log(1 + value)` of an enclosure that is not negative, also where 1 would swallow it."""
    if value.hi < Fraction(1, 2 ** (BITS // 2)):
        return Enclosure(value.lo - value.lo * value.lo / 2, value.hi)
    return from_iv(iv.log(to_iv(value + 1)))
