"""Guards against what one agent alone can do by what it reports and sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from logging import WARNING
from statistics import median, median_low
from typing import Any

from corefed._errors import InputError
from corefed._federation.logged import Log, log
from corefed._federation.model import Parts
from corefed._federation.order import in_order
from corefed._federation.terms import Ceilings, Weights

#: Two losses of one agent at one model that differ by more than this part contradict each other.
#: Batches in another order, or single precision, move a mean far less.
_SAME = 1e-3


@dataclass(frozen=True)
class Guards:
    """Limits relative to the cohort; ``None`` where there is none."""

    norm_cap: float | None
    ceiling_spread: float | None
    rows_spread: float | None
    log: Log = field(default=log, compare=False)
    #: What was said of whom: records say in which rounds, the log says it once.
    _said: set[tuple[str, str]] = field(default_factory=set, compare=False)
    #: Numbers of agents that were replaced before the first round, as `run.json` has them.
    replaced: list[dict[str, Any]] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        for name, limit in self.settings().items():
            if limit is not None and not 1 <= limit < float("inf"):
                raise InputError(
                    f"`{name}` is {limit}; expected a number from 1 on, or None", field=name
                )

    def settings(self) -> dict[str, float | None]:
        """What a resume compares."""
        return {
            "norm_cap": self.norm_cap,
            "ceiling_spread": self.ceiling_spread,
            "rows_spread": self.rows_spread,
        }

    def row_counts(self, names: list[str], counts: list[int], *go_by: Weights) -> list[int]:
        """Numbers of rows that may weigh, where any of these weights go by them.

        Nobody can count an agent's rows but itself, and an average by rows goes where a large
        number says. Too small a number costs only who tells it. Of two agents the smaller number is
        the median.
        """
        if self.rows_spread is None or "samples" not in go_by:
            return counts
        most = max(1, int(self.rows_spread * median_low(counts)))
        for name, count in zip(names, counts, strict=True):
            if count > most:
                told = "agent `%s` reports %s rows; %s of them count: %g times the median"
                self.log(WARNING, told, name, str(count), str(most), self.rows_spread)
                self._replace(name, "rows", count, most)
        return [min(count, most) for count in counts]

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
                self.log(WARNING, f"{told} times the median", name, loss, used, self.ceiling_spread)
                self._replace(name, "first-loss", loss, used)
        return kept

    def declared_ceilings(self, names: list[str], ceilings: list[float]) -> list[float]:
        """Ceilings that rest on what agents declare, none of them far below the others.

        A low ceiling is a hard pull, as above. A high one costs only who declares it, and agents
        with hard data have one, so that it stays. Honest ceilings differ more than losses with a
        first model that knows nobody's rows, so that the spread counts twice.
        """
        if self.ceiling_spread is None:
            return ceilings
        spread = self.ceiling_spread**2
        least = median(ceilings) / spread
        for name, ceiling in zip(names, ceilings, strict=True):
            if ceiling < least:
                told = (
                    "agent `%s` declares what makes a ceiling of %g; it is %g, the median over %g"
                )
                self.log(WARNING, told, name, ceiling, least, spread)
                self._replace(name, "ceiling", ceiling, least)
        return [max(ceiling, least) for ceiling in ceilings]

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
        odd = in_order(
            name
            for name, loss in now.items()
            if name in before and abs(loss - before[name]) > _SAME * max(abs(before[name]), _SAME)
        )
        for name in odd:
            told = f"trains from a loss of {now[name]:g} and measured {before[name]:g}"
            self._say(number, name, f"{told} with the same model", "odd")
        return odd

    def doubt(self, number: int, names: list[str]) -> None:
        """Name agents whose losses go against their own updates."""
        for name in names:
            told = "reports losses that do not go where its own updates say"
            self._say(number, name, told, "against")

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

    def _replace(self, name: str, what: str, told: float, used: float) -> None:
        row = {"agent": name, "what": what, "told": float(told), "used": float(used)}
        self.replaced.append(row)

    def _say(self, number: int, name: str, told: str, what: str) -> None:
        if (name, what) not in self._said:
            self._said.add((name, what))
            self.log(WARNING, "round %d: agent `%s` %s (said once)", number, name, told)
