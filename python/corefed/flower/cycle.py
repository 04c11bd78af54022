"""A training that jumps between two models says so: it will not end by itself."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from logging import WARNING
from typing import TYPE_CHECKING

from corefed._federation.order import in_order
from corefed.flower.logged import log

if TYPE_CHECKING:
    from corefed._federation.measured import Measured
    from corefed.flower.run import FederatedRun

#: Differences in a row that must alternate, each of them at least this part of the ceiling.
JUMPS, SIZE = 6, 0.05
_REMEDY = (
    "correct local steps (`Correction` in the app and correction='auto'), remember utilities "
    "(memory=0.5), or take a smaller rate, fewer local epochs or a smaller server_step"
)


class Cycle:
    """Losses of the last measured rounds, and whether they were found to alternate."""

    def __init__(self, run: FederatedRun) -> None:
        self._run, self._said = run, False
        self._losses: dict[str, list[float]] = {}

    def note(self, number: int, found: Mapping[str, Measured]) -> None:
        """Take what agents lose after a round; a warning is given once."""
        terms = self._run.terms
        for name in terms.names:
            if name in found:
                own = [*self._losses.get(name, []), found[name].loss][-JUMPS - 1 :]
                self._losses[name] = own
            else:
                # Only rounds that follow each other can alternate.
                self._losses.pop(name, None)
        jumping = [
            name
            for name, losses in self._losses.items()
            if alternates(losses, SIZE * terms.ceilings[terms.index(name)])
        ]
        if jumping and not self._said:
            self._said = True
            told = "round %d: the training has jumped to and fro for %d rounds, by losses of %s: %s"
            log(WARNING, told, number, JUMPS, ", ".join(in_order(jumping)), _REMEDY)


def alternates(losses: list[float], size: float) -> bool:
    """Whether losses have a period of two, with jumps larger than `size`.

    Noise alternates often enough by chance, but does not come back to where it was.
    """
    if len(losses) <= JUMPS:
        return False
    jumps = [after - before for before, after in pairwise(losses)]
    smallest = min(map(abs, jumps))
    back = [abs(after - before) for before, after in zip(losses, losses[2:], strict=False)]
    return (
        all(one * two < 0 for one, two in pairwise(jumps))
        and smallest > size
        and max(back) < smallest / 2
    )
