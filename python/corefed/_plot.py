"""Charts of runs with matplotlib, which is imported only when there are no axes yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from corefed._errors import RunError

if TYPE_CHECKING:
    from corefed._run import Run


def plot_run(run: Run, ax: Any = None) -> Any:
    """Draw the utilities of a run's agents."""
    ax = _axes() if ax is None else ax
    if run.rules:
        _by_rule(run, ax)
    else:
        _by_round(run, ax)
    ax.set_ylabel("utility")
    ax.set_title(run.path.name)
    ax.legend()
    return ax


def _by_rule(run: Run, ax: Any) -> None:
    """Bars side by side: agents from left to right, one colour per rule."""
    table = run.agents
    agents = list(dict.fromkeys(table["agent"]))
    rules = list(run.rules)
    places, width = np.arange(len(agents)), 0.8 / len(rules)
    for k, rule in enumerate(rules):
        own = [u for r, u in zip(table["rule"], table["utility"], strict=True) if r == rule]
        ax.bar(places + (k - (len(rules) - 1) / 2) * width, own, width, label=rule)
    ax.set_xticks(places, agents)


def _by_round(run: Run, ax: Any) -> None:
    """One line per agent over the rounds at which utilities were measured."""
    table = run.agents
    if not table.rows:
        raise RunError(f"`{run.path}` has no rounds to draw yet", field="run")
    rounds, utilities = np.asarray(table["round"]), np.asarray(table["utility"], dtype=float)
    names = np.asarray(table["agent"])
    for agent in dict.fromkeys(names.tolist()):
        own = (names == agent) & np.isfinite(utilities)
        ax.plot(rounds[own], utilities[own], label=agent)
    ax.set_xlabel("round")


def _axes() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise RunError(
            "drawing needs matplotlib, which is not installed",
            field="ax",
            hint="pip install matplotlib, or `.agents.to_pandas()` for the numbers",
        ) from None
    return pyplot.subplots()[1]
