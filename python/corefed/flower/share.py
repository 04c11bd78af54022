"""What an agent puts into a sum: its update, weighed by itself, and a few numbers (E22, E23)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from corefed._errors import InputError
from corefed._federation.model import Parts, norm
from corefed._rules import RULES

Vector = npt.NDArray[np.float64]

#: Numbers after the update in a message of training, and all numbers of one that measures.
SCALARS = ("pull", "welfare", "ratio", "floored", "clipped")
MEASURES = ("welfare", "ratio", "floored")
#: Part of the range that a log of next to nothing may use.
_DEEPEST = 0.9


def by_utility(rule: str) -> bool:
    """Whether pulls are weights over utilities; otherwise they are weights."""
    return RULES[rule].ceilings == "step"


@dataclass(frozen=True)
class Own:
    """What the public terms of a session say about one agent."""

    rule: str
    #: Its weight, of mean one over the federation.
    weight: float
    ceiling: float
    #: Utility below which the log is a line, in the unit of losses.
    floor: float
    #: Pulls are this over utility: the smallest ceiling of all.
    unit: float
    memory: float
    clip: float | None
    limit: float

    @classmethod
    def of(cls, terms: Mapping[str, Any], name: str, cohort: list[str], limit: float) -> Own:
        """Read the terms; refuse a say that would make the sum one agent's own."""
        try:
            weights, ceilings = terms["weights"], terms["ceilings"]
            ceiling = float(ceilings[name])
            mean = sum(weights.values()) / len(weights)
            # Pulls of agents without any loss: a low ceiling pulls as hard as a large weight.
            by = ceilings if by_utility(terms["rule"]) else dict.fromkeys(ceilings, 1.0)
            pulls = {other: weights[other] / by[other] for other in cohort}
            say = pulls[name] / sum(pulls.values())
            own = cls(
                rule=str(terms["rule"]),
                weight=float(weights[name] / mean),
                ceiling=ceiling,
                floor=float(terms["floor"]) * ceiling,
                unit=min(float(told) for told in ceilings.values()),
                memory=float(terms["memory"]),
                clip=None if terms["clip"] is None else float(terms["clip"]),
                limit=limit,
            )
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as why:
            raise InputError(f"the terms of the session cannot be read: {why!r}") from why
        if not 0 < say <= 0.5:
            raise InputError(
                f"agent `{name}` would have {say:.0%} of the say: the sum would be its own",
                agent=name,
                field="weights",
            )
        return own

    def utility(self, loss: float) -> float:
        """The utility that counts: never below the floor (E23)."""
        return max(self.ceiling - loss, self.floor)

    def log_utility(self, loss: float) -> float:
        """The log of the utility, a line below the floor, and never beyond the range."""
        if not math.isfinite(loss):
            return -_DEEPEST * self.limit / self.weight
        below = max(self.floor - (self.ceiling - loss), 0.0)
        value = math.log(self.utility(loss)) - below / self.floor
        return max(value, -_DEEPEST * self.limit / self.weight)

    def measures(self, loss: float) -> list[float]:
        """What is summed of a model that was measured."""
        floored = not self.ceiling - loss >= self.floor
        ratio = self.ceiling / (self.floor if floored else self.utility(loss))
        return [self.weight * self.log_utility(loss), self.weight * ratio, float(floored)]


@dataclass(frozen=True)
class Share:
    """An agent's message of one round before it is hidden, and what it notes for itself."""

    values: Vector
    pull: float
    #: Utility averaged over rounds (E50).
    average: float
    norm: float
    floored: bool
    clipped: bool


def share(own: Own, update: Parts, loss: float, averaged: float | None) -> Share:
    """Weigh an update as the rule says; `averaged` is the utility that was remembered."""
    if not math.isfinite(loss) or loss < 0:
        raise InputError("the loss of this agent is negative or not finite", field="loss")
    utility = own.utility(loss)
    average = utility if averaged is None else (1 - own.memory) * averaged + own.memory * utility
    pull = own.weight * (own.unit / average if by_utility(own.rule) else 1.0)
    length = norm(update)
    clipped = own.clip is not None and length > own.clip
    shrunk = own.clip / length if clipped and own.clip is not None else 1.0
    scalars = np.array([pull, *own.measures(loss), float(clipped)])
    # Converted and gathered at once: the vector is as long as the model.
    values = np.concatenate([*(part.reshape(-1) for part in update.values()), scalars], dtype=float)
    values[: -scalars.size] *= pull * shrunk
    return Share(values, pull, average, length, loss > own.ceiling - own.floor, clipped)
