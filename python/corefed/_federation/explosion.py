"""When losses are beyond all measure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import median_low

from corefed._errors import InputError
from corefed._federation.order import in_order

#: As `train.stop.loss_factor` of a spec.
LOSS_FACTOR = 1000.0
#: Below it a first loss is rounding.
_LEAST = 1e-6


def check_factor(factor: float | None) -> None:
    """Refuse a factor that would end every run."""
    if factor is not None and not 1 < factor < math.inf:
        raise InputError(
            f"`loss_factor` is {factor}; expected a number above 1, or None", field="loss_factor"
        )


def exploded(losses: Mapping[str, float], first: Iterable[float], factor: float) -> str | None:
    """Say how a training explodes, if it does: by medians, so that one agent cannot end a run.

    A loss that is not finite is infinite.
    """
    begun, now = median_low(first), median_low(losses.values())
    if now <= factor * max(begun, _LEAST):
        return None
    largest = max(in_order(losses), key=lambda name: losses[name])
    return (
        f"the median loss is {now:.4g} and was {begun:.4g} at first, beyond {factor:g} times that; "
        f"agent `{largest}` has the largest"
    )
