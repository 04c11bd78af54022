"""What Gaussian noise promises, exactly: epsilon, delta and the size of a shift.

Noise of standard deviation `z` times a sensitivity hides a shift of `mu = 1/z` standard deviations.
Several releases with `mu_1, mu_2, ...`, one after another, are together one with `mu^2 = mu_1^2 +
mu_2^2 + ...` (Dong, Roth and Su 2022), and the curve of one is known (Balle and Wang 2018):

    delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)
"""

from __future__ import annotations

import math
from collections.abc import Callable

from corefed._errors import InputError

#: Beyond this many standard deviations `erfc` is replaced by its series.
_FAR = 25.0
#: Halvings of an interval: more than a double has digits.
_HALVINGS = 200


def delta_of(epsilon: float, mu: float) -> float:
    """The smallest delta with which shifts of `mu` keep `epsilon`."""
    if mu == 0:
        return 0.0
    near, far = mu / 2 - epsilon / mu, mu / 2 + epsilon / mu
    first, second = _log_tail(-near), epsilon + _log_tail(far)
    # Both terms may be tiny: their difference is taken relative to the first.
    return math.exp(first) * -math.expm1(min(second - first, 0.0))


def epsilon_of(delta: float, mu: float) -> float:
    """The smallest epsilon that shifts of `mu` keep with `delta`."""
    _check_delta(delta)
    if mu == 0 or delta_of(0.0, mu) <= delta:
        return 0.0
    return _turn(lambda epsilon: delta_of(epsilon, mu) > delta)[1]


def mu_of(epsilon: float, delta: float) -> float:
    """The largest shift that keeps `epsilon` with `delta`."""
    _check_delta(delta)
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise InputError(f"`epsilon` is {epsilon}; expected a number above 0", field="epsilon")
    return _turn(lambda mu: delta_of(epsilon, mu) <= delta)[0]


def _turn(holds: Callable[[float], bool]) -> tuple[float, float]:
    """The numbers, next to each other, between which what holds from 0 on holds no more."""
    low, high = 0.0, 1.0
    while holds(high):
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise InputError(f"`delta` is {delta}; expected a number in (0, 1)", field="delta")


def _log_tail(x: float) -> float:
    """The log of `Phi(-x)`."""
    if x < _FAR:
        return math.log(math.erfc(x / math.sqrt(2)) / 2)
    square = x * x
    series = 1 - 1 / square + 3 / square**2 - 15 / square**3 + 105 / square**4
    return -square / 2 - math.log(x * math.sqrt(2 * math.pi)) + math.log(series)
