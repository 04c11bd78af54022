"""The verdict of an audit document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from corefed._certificate import Certificate
from corefed._verdict import Interval, Verdict

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
