"""What an audit found out, in plain words: never a bool."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from corefed import _html
from corefed._certificate import Certificate
from corefed._corefed import one_line
from corefed._explanation import explanation, percent

#: What an audit says.
Status: TypeAlias = Literal["stable", "blocked", "improvable", "undecided"]


class Interval(NamedTuple):
    """Where a number lies."""

    lo: float
    hi: float

    def __str__(self) -> str:
        """One number where both ends agree."""
        return f"{self.lo:.7g}" if self.lo == self.hi else f"[{self.lo:.7g}, {self.hi:.7g}]"


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether anybody would leave, and why.

    Attributes
    ----------
    status
        ``stable``, ``blocked``, ``improvable`` or ``undecided``.
    kappa
        Where the largest factor lies by which a coalition that leaves somebody behind could gain
        with its share.
    everybody
        Where the factor lies by which everybody could gain at once.
    tolerance
        Gains up to this do not count in the status; both intervals are strict.
    scope
        Against whom: the listed rivals, or every rival.
    agents
        Names, in the order of all numbers per agent.
    utilities, weights
        One number per agent.
    ceilings
        One number per agent, if they are known.
    headroom
        What any coalition could gain at zero loss, an upper limit of kappa; needs ceilings.
    coalition
        Who would leave; empty unless blocked.
    gains
        By which factor each of them would gain; of an improvable model, by which everybody would.
    rival
        What they would leave for, or what is better for everybody: the name of a rival, or its
        parameters.
    rivals
        Columns ``rival``, ``kappa``, ``everybody`` and ``mean_gain``, where rivals were listed.
    alone
        The best each agent could have alone, where an exact audit found it.
    held_out
        The model and every agent's own (``alone_``) on rows that nobody trained on, where some are
        held out: columns ``rows``, ``loss``, ``utility`` and the quality (``accuracy``, ``r2`` or
        ``explained_deviance``).
    complete
        Whether the search came to its end.
    obstacle
        Why the status is undecided, and what would help, where that is known.
    assumptions
        What the claim rests on.
    certificate
        The document, where there is one.
    """

    status: Status
    kappa: Interval
    everybody: Interval
    tolerance: float
    scope: str
    agents: list[Any]
    utilities: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    ceilings: npt.NDArray[np.float64] | None = None
    headroom: float | None = None
    coalition: list[Any] = field(default_factory=list)
    gains: dict[Any, float] = field(default_factory=dict)
    rival: Any = None
    rivals: dict[str, Any] | None = None
    alone: npt.NDArray[np.float64] | None = None
    held_out: dict[str, npt.NDArray[np.float64]] | None = None
    complete: bool = True
    obstacle: str | None = None
    assumptions: list[dict[str, Any]] = field(default_factory=list)
    certificate: Certificate | None = None

    def __bool__(self) -> NoReturn:
        """Refuse: there are four answers."""
        raise TypeError("a verdict cannot be used as a bool: `.status` has four values")

    def __str__(self) -> str:
        """One line of numbers."""
        if self.status == "blocked":
            who = ", ".join(one_line(str(agent)) for agent in self.coalition)
            why = f" by {who}" if who else ""
        else:
            why = ""
        numbers = f"kappa {self.kappa}, everybody {self.everybody}"
        slack = f", tolerance {percent(self.tolerance)}" if self.tolerance > 0.0 else ""
        return f"{self.status}{why}: {numbers} against {self.scope}{slack}"

    @property
    def explanation(self) -> str:
        """The status in plain words, exactly as strong as what is known."""
        return explanation(self)

    def __repr__(self) -> str:
        return f"<Verdict {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; infinities are text, as in certificates."""
        return {
            "status": self.status,
            "kappa": {"lo": _number(self.kappa.lo), "hi": _number(self.kappa.hi)},
            "everybody": {"lo": _number(self.everybody.lo), "hi": _number(self.everybody.hi)},
            "tolerance": self.tolerance,
            "obstacle": self.obstacle,
            "scope": self.scope,
            "headroom": _number(self.headroom),
            "agents": self._columns(),
            "coalition": list(self.coalition),
            "gains": {str(agent): _number(gain) for agent, gain in self.gains.items()},
            "rival": self.rival.tolist() if isinstance(self.rival, np.ndarray) else self.rival,
            "complete": self.complete,
            "assumptions": self.assumptions,
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
        }

    def to_pandas(self) -> Any:
        """Give one row per agent as a DataFrame."""
        import pandas as pd

        columns = self._columns()
        return pd.DataFrame(columns).set_index("agent")

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {
            "agent": list(self.agents),
            "utility": self.utilities.tolist(),
            "weight": self.weights.tolist(),
        }
        if self.ceilings is not None:
            columns["ceiling"] = self.ceilings.tolist()
        if self.alone is not None:
            columns["alone"] = self.alone.tolist()
        for name, column in (self.held_out or {}).items():
            columns[f"held_out_{name}"] = column.tolist()
        columns["gain"] = [self.gains.get(agent) for agent in self.agents]
        columns["leaves"] = [agent in self.coalition for agent in self.agents]
        return columns

    def _repr_html_(self) -> str:
        columns = self._columns()
        rows = zip(*columns.values(), strict=True)
        shown = [["" if cell is None else cell for cell in row] for row in rows]
        words = _html.paragraph(str(self)) + _html.paragraph(self.explanation)
        return words + _html.table(list(columns), shown)


def _number(value: float | None) -> float | str | None:
    if value is None or math.isfinite(value):
        return value
    return "inf" if value > 0 else "-inf" if value < 0 else None
