"""What an audit found out, in plain words: never a bool."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from corefed import _html
from corefed._certificate import Certificate

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
            who = ", ".join(str(agent) for agent in self.coalition)
            why = f" by {who}" if who else ""
        else:
            why = ""
        numbers = f"kappa {self.kappa}, everybody {self.everybody}"
        slack = f", tolerance {_percent(self.tolerance)}" if self.tolerance > 0.0 else ""
        return f"{self.status}{why}: {numbers} against {self.scope}{slack}"

    @property
    def explanation(self) -> str:
        """The status in plain words, exactly as strong as what is known."""
        if self.status == "stable":
            said = [
                f"No group can do better by more than its share allows: {self._needs()}, "
                f"against {self.scope}."
            ]
            if 1e-9 < self.everybody.lo - 1.0 <= self.tolerance:
                more = _percent(self.everybody.lo - 1.0)
                said.append(f"Everybody could still gain {more}: train further to get it.")
        elif self.status == "blocked":
            said = [self._leaving()]
        elif self.status == "improvable":
            more = _percent(self.everybody.lo - 1.0)
            said = [
                "No group is known to gain by leaving, but everybody could gain "
                f"{more} at once: train further."
            ]
        else:
            why = self.obstacle or "other rivals may exist"
            said = [f"No group is known to gain by leaving, but it is not proven: {why}."]
        said += [more for more in (self._nothing(), self._alone()) if more]
        return " ".join(said)

    def _nothing(self) -> str | None:
        """Who has nothing: it joins no group for nothing, and leaves for anything."""
        poor = [str(a) for a, u in zip(self.agents, self.utilities, strict=True) if u <= 0.0]
        if not poor:
            return None
        has = "has" if len(poor) == 1 else "have"
        return (
            f"{', '.join(poor)} {has} nothing, because the loss is at the ceiling or above it: any "
            "rival that gives something attracts them, and one that gives nothing does not."
        )

    def _equal(self) -> bool:
        return bool(np.all(self.weights == self.weights[0]))

    def _needs(self) -> str:
        if self._equal():
            count = len(self.agents)
            return f"k of {count} agents would need {count}/k times what they have"
        return "a group with a share s of the weight would need 1/s times what it has"

    def _needed(self, members: list[Any]) -> float:
        own = sum(
            weight
            for agent, weight in zip(self.agents, self.weights, strict=True)
            if agent in members
        )
        return float(self.weights.sum() / own)

    def _leaving(self) -> str:
        if not self.coalition:
            return "Some group would gain by leaving."
        who = ", ".join(str(agent) for agent in self.coalition)
        one = len(self.coalition) == 1
        least = min(self.gains.values(), default=math.inf)
        if math.isinf(least):
            got = "something, and has nothing now"
        else:
            need = self._needed(self.coalition)
            got = f"x{_apart(least, need)} what it has, and the group needs x{need:.4g}"
        gets = "it gets" if one else "each gets at least"
        return f"{who} {'alone' if one else 'together'} would leave: {gets} {got}."

    def _alone(self) -> str | None:
        """What the agent would have alone that gains most by it."""
        if self.alone is None or not np.isfinite(self.alone).any():
            return None
        known = np.isfinite(self.alone) & (self.utilities > 0.0)
        if not known.any():
            return None
        ratio = np.where(known, self.alone / np.where(known, self.utilities, 1.0), -np.inf)
        at = int(np.argmax(ratio))
        need = self._needed([self.agents[at]])
        return (
            f"Alone, {self.agents[at]} would have {self.alone[at]:.3f} instead of "
            f"{self.utilities[at]:.3f} (x{_apart(ratio[at], need)}); leaving alone would need "
            f"x{need:.4g}."
        )

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


def _percent(part: float) -> str:
    """Two digits that matter."""
    return f"{100.0 * part:.2g} %" if part >= 1e-6 else f"{100.0 * part:.1e} %"


def _apart(value: float, other: float) -> str:
    """Two decimals, or as many as tell two numbers apart."""
    digits = next((d for d in range(2, 10) if f"{value:.{d}f}" != f"{other:.{d}f}"), 2)
    return f"{value:.{digits}f}"


def _number(value: float | None) -> float | str | None:
    if value is None or math.isfinite(value):
        return value
    return "inf" if value > 0 else "-inf" if value < 0 else None


#: What each scope of an audit means.
_SCOPES = {
    "ball": "every predictor in the ball",
    "listed": "the listed rivals",
    "met": "every rival",
    "searched": "every rival",
}


def from_audit(
    found: Mapping[str, Any],
    *,
    certificate: Certificate | None = None,
    names: Sequence[Any] | None = None,
) -> Verdict:
    """Read the verdict of an audit document; `names` are the agents as the caller knows them."""
    agents = found["agents"]
    known = {agent["name"]: agent["name"] for agent in agents}
    if names is not None:
        known = {agent["name"]: name for agent, name in zip(agents, names, strict=True)}
    moving = found["deviation"] or found["improvement"] or {"coalition": [], "gains": {}}
    gains = {known[name]: _float(gain) for name, gain in moving["gains"].items()}
    obstacle, headroom = found["obstacle"], found["headroom"]
    search = found.get("search") or {"complete": True}
    rivals = found.get("rivals")

    def column(field: str) -> npt.NDArray[np.float64]:
        return np.array([_float(agent.get(field)) for agent in agents])

    alone = column("alone")
    return Verdict(
        status=found["verdict"],
        kappa=_interval(found["kappa"]),
        everybody=_interval(found["everybody"]),
        tolerance=float(found["tolerance"]),
        scope=_SCOPES[found["scope"]],
        agents=list(known.values()),
        utilities=column("utility"),
        weights=column("weight"),
        ceilings=column("ceiling") if agents and "ceiling" in agents[0] else None,
        headroom=None if headroom is None else _float(headroom),
        coalition=[known[n] for n in moving["coalition"]] if found["deviation"] else [],
        gains=gains,
        rival=moving.get("rival", moving.get("round")),
        rivals=None if rivals is None else _listed(rivals),
        alone=alone if np.isfinite(alone).any() else None,
        held_out=_held_out(found.get("held_out"), [agent["name"] for agent in agents]),
        complete=search["complete"],
        obstacle=None if obstacle is None else "; ".join(filter(None, obstacle.values())),
        assumptions=list(found["assumptions"]),
        certificate=certificate,
    )


def _held_out(
    found: Mapping[str, Any] | None, names: Sequence[str]
) -> dict[str, npt.NDArray[np.float64]] | None:
    """Columns in the order of names; own models only where some are known."""
    if found is None:
        return None
    lines = {line["name"]: line for line in found["agents"]}
    quality = found["quality"].replace(" ", "_")

    def column(world: str, field: str) -> npt.NDArray[np.float64]:
        measured = [lines.get(name, {}).get(world) or {} for name in names]
        return np.array([_float(one.get(field)) for one in measured])

    columns = {"rows": np.array([_float(lines.get(name, {}).get("rows")) for name in names])}
    for world, prefix in (("model", ""), ("alone", "alone_")):
        if world == "model" or any(line["alone"] for line in lines.values()):
            for field, shown in (("loss", "loss"), ("utility", "utility"), ("quality", quality)):
                columns[prefix + shown] = column(world, field)
    return columns


def _listed(rivals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "rival": [rival["model"] for rival in rivals],
        "kappa": np.array([_float(rival["kappa"]) for rival in rivals]),
        "everybody": np.array([_float(rival["everybody"]) for rival in rivals]),
        "mean_gain": np.array([_float(rival.get("mean_gain")) for rival in rivals]),
    }


def _interval(found: Mapping[str, Any]) -> Interval:
    return Interval(_float(found["lo"]), _float(found["hi"]))


def _float(value: Any) -> float:
    return float("nan") if value is None else float(value)
