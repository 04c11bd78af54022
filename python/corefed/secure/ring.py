"""Numbers as integers modulo 2^64: sums of them are exact, and masks hide them completely."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corefed._errors import InputError

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.float64]

#: Bits of a word that a sum may fill; the last one is the sign.
_BITS = 63


@dataclass(frozen=True)
class Ring:
    """Fixed point for sums over a number of agents, none of whom sends more than a limit.

    Attributes
    ----------
    agents
        How many summands there are at most.
    limit
        Every number that is sent is smaller than this in magnitude, so that no sum wraps.
    """

    agents: int
    limit: float = 4096.0

    def __post_init__(self) -> None:
        if self.agents < 1:
            raise InputError(f"a sum over {self.agents} agents", field="agents")
        if not (math.isfinite(self.limit) and self.limit > 0) or self.fraction_bits < 1:
            raise InputError(
                f"a limit of {self.limit:g} leaves no digits for sums over {self.agents} agents",
                field="limit",
                hint="choose a limit between 1 and 1e12",
            )

    @property
    def fraction_bits(self) -> int:
        """Binary digits after the point: what agents and limit leave of a word."""
        whole = math.ceil(math.log2(self.agents)) + math.ceil(math.log2(self.limit))
        return min(_BITS - whole, 60)

    @property
    def error(self) -> float:
        """How far a sum is at most from the sum of the numbers before they were rounded."""
        return self.agents * math.ldexp(0.5, -self.fraction_bits)

    def encode(self, values: npt.ArrayLike) -> Words:
        """Round numbers to the grid; refuse one that the limit does not allow."""
        numbers = np.asarray(values, dtype=np.float64)
        # Of a number that is none, both are none, too.
        largest = float(np.maximum(np.max(numbers, initial=0.0), -np.min(numbers, initial=0.0)))
        if not largest < self.limit:
            raise InputError(
                # How far is the agent's own business: the words travel to the server.
                f"a number is beyond the agreed range of {self.limit:g}",
                field="limit",
                hint="shorten updates by `clip`, or agree on a larger range",
            )
        # Powers of two scale exactly, so that only `rint` rounds.
        scaled = np.ldexp(numbers, self.fraction_bits)
        np.rint(scaled, out=scaled)
        return scaled.astype(np.int64).view(np.uint64)

    def decode(self, words: Words) -> Numbers:
        """The numbers of a sum."""
        return np.ldexp(words.view(np.int64).astype(np.float64), -self.fraction_bits)
