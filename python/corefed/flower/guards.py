"""Guards against what one agent alone can do by what it reports and sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from logging import WARNING
from statistics import median
from typing import Any

from corefed.flower.logged import log
from corefed.flower.model import Parts
from corefed.flower.terms import Ceilings

#: Two losses of one agent at one model that differ by more than this part contradict each other.
#: Batches in another order, or single precision, move a mean far less.
_SAME = 1e-3


@dataclass(frozen=True)
class Guards:
    """Limits relative to the cohort; ``None`` where there is none."""

    norm_cap: float | None
    ceiling_spread: float | None
    #: What was said of whom: records say in which rounds, the log says it once.
    _said: set[tuple[str, str]] = field(default_factory=set, compare=False)

    def settings(self) -> dict[str, float | None]:
        """What a resume compares."""
        return {"norm_cap": self.norm_cap, "ceiling_spread": self.ceiling_spread}

    def first_losses(
        self, ceilings: Ceilings, names: list[str], losses: list[float]
    ) -> list[float]:
        """Losses that ceilings may rest on.

        A ceiling that is a multiple of the agent's own first report would let it choose how hard it
        pulls: a tenth of the true loss is a tenth of the utility.
        """
        if self.ceiling_spread is None or not isinstance(ceilings, str):
            return losses
        middle = median(losses)
        low, high = middle / self.ceiling_spread, middle * self.ceiling_spread
        kept = [min(max(loss, low), high) for loss in losses]
        for name, loss, used in zip(names, losses, kept, strict=True):
            if used != loss:
                told = "agent `%s` reports a first loss of %g; its ceiling rests on %g, within %g"
                log(WARNING, f"{told} times the median", name, loss, used, self.ceiling_spread)
        return kept

    def shorten(self, updates: dict[str, Parts], norms: Mapping[str, float]) -> list[str]:
        """Shorten updates that are far longer than the cohort's; says whose."""
        if self.norm_cap is None or len(updates) < 3:
            return []
        most = self.norm_cap * median(norms[name] for name in updates)
        # A norm that is not finite is refused by name later.
        long = [name for name in updates if most < norms[name] < float("inf") and most > 0]
        for name in long:
            factor = most / norms[name]
            updates[name] = {
                part: (array * factor).astype(array.dtype) for part, array in updates[name].items()
            }
        return long

    def compare(
        self, number: int, before: Mapping[str, float], now: Mapping[str, float]
    ) -> list[str]:
        """Name agents that report another loss of a model than when they measured it."""
        odd = [
            name
            for name, loss in now.items()
            if name in before and abs(loss - before[name]) > _SAME * max(abs(before[name]), _SAME)
        ]
        for name in odd:
            told = f"trains from a loss of {now[name]:g} and measured {before[name]:g}"
            self._say(number, name, f"{told} with the same model", "odd")
        return odd

    def tell(self, number: int, acted: Mapping[str, Any]) -> None:
        """A line for everybody on whom a safeguard acted, when it first does."""
        words = {
            "floored": "is close to its ceiling: its utility counts as the floor",
            "capped": "would have more than its share: it is cut to the cap",
            "clipped": "sent a long update: it is shortened",
        }
        for what, said in words.items():
            for name in acted.get(what) or []:
                self._say(number, name, said, what)

    def _say(self, number: int, name: str, told: str, what: str) -> None:
        if (name, what) not in self._said:
            self._said.add((name, what))
            log(WARNING, "round %d: agent `%s` %s (said once)", number, name, told)
