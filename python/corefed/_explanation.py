"""A verdict in plain words, exactly as strong as what is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from corefed._corefed import one_line

if TYPE_CHECKING:
    from corefed._verdict import Verdict


def explanation(verdict: Verdict) -> str:
    """Say what was found, who would leave or has nothing, and what the most tempted has alone."""
    if verdict.status == "stable":
        said = [
            f"No group can do better by more than its share allows: {_needs(verdict)}, "
            f"against {verdict.scope}."
        ]
        if 1e-9 < verdict.everybody.lo - 1.0 <= verdict.tolerance:
            more = percent(verdict.everybody.lo - 1.0)
            said.append(f"Everybody could still gain {more}: train further to get it.")
    elif verdict.status == "blocked":
        said = [_leaving(verdict)]
    elif verdict.status == "improvable":
        more = percent(verdict.everybody.lo - 1.0)
        said = [
            "No group is known to gain by leaving, but everybody could gain "
            f"{more} at once: train further."
        ]
    else:
        why = verdict.obstacle or "other rivals may exist"
        said = [f"No group is known to gain by leaving, but it is not proven: {why}."]
    said += [more for more in (_nothing(verdict), _alone(verdict)) if more]
    return " ".join(said)


def _nothing(verdict: Verdict) -> str | None:
    """Who has nothing: it joins no group for nothing, and leaves for anything."""
    poor = [str(a) for a, u in zip(verdict.agents, verdict.utilities, strict=True) if u <= 0.0]
    if not poor:
        return None
    has = "has" if len(poor) == 1 else "have"
    return (
        f"{', '.join(poor)} {has} nothing, because the loss is at the ceiling or above it: any "
        "rival that gives something attracts them, and one that gives nothing does not."
    )


def _equal(verdict: Verdict) -> bool:
    return bool(np.all(verdict.weights == verdict.weights[0]))


def _needs(verdict: Verdict) -> str:
    if _equal(verdict):
        count = len(verdict.agents)
        return f"k of {count} agents would need {count}/k times what they have"
    return "a group with a share s of the weight would need 1/s times what it has"


def _needed(verdict: Verdict, members: list[Any]) -> float:
    own = sum(
        weight
        for agent, weight in zip(verdict.agents, verdict.weights, strict=True)
        if agent in members
    )
    return float(verdict.weights.sum() / own)


def _leaving(verdict: Verdict) -> str:
    if not verdict.coalition:
        return "Some group would gain by leaving."
    who = ", ".join(one_line(str(agent)) for agent in verdict.coalition)
    one = len(verdict.coalition) == 1
    least = min(verdict.gains.values(), default=math.inf)
    if math.isinf(least):
        got = "something, and has nothing now"
    else:
        need = _needed(verdict, verdict.coalition)
        got = f"x{_apart(least, need)} what it has, and the group needs x{need:.4g}"
    gets = "it gets" if one else "each gets at least"
    return f"{who} {'alone' if one else 'together'} would leave: {gets} {got}."


def _alone(verdict: Verdict) -> str | None:
    """What the agent would have alone that gains most by it."""
    if verdict.alone is None or not np.isfinite(verdict.alone).any():
        return None
    known = np.isfinite(verdict.alone) & (verdict.utilities > 0.0)
    if not known.any():
        return None
    ratio = np.where(known, verdict.alone / np.where(known, verdict.utilities, 1.0), -np.inf)
    at = int(np.argmax(ratio))
    need = _needed(verdict, [verdict.agents[at]])
    return (
        f"Alone, {one_line(str(verdict.agents[at]))} would have {verdict.alone[at]:.3f} instead of "
        f"{verdict.utilities[at]:.3f} (x{_apart(ratio[at], need)}); leaving alone would need "
        f"x{need:.4g}."
    )


def percent(part: float) -> str:
    """Two digits that matter."""
    return f"{100.0 * part:.2g} %" if part >= 1e-6 else f"{100.0 * part:.1e} %"


def _apart(value: float, other: float) -> str:
    """Two decimals, or as many as tell two numbers apart."""
    digits = next((d for d in range(2, 10) if f"{value:.{d}f}" != f"{other:.{d}f}"), 2)
    return f"{value:.{digits}f}"
