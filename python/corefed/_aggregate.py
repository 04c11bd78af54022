"""One step without a server that is kept, and what agents do under ``propfair``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corefed import _corefed
from corefed._rules import DEFAULTS
from corefed._server import Server
from corefed._server_state import Aggregated, ServerState


def aggregate(
    rule: str,
    model: Any,
    updates: Any,
    *,
    losses: Any = None,
    samples: Any = None,
    weights: Any = None,
    ceilings: Any = None,
    learning_rate: float | None = None,
    state: ServerState | Mapping[str, Any] | None = None,
    **settings: Any,
) -> Aggregated:
    """Take one step of a rule in which the whole federation takes part.

    A :class:`Server` of those who sent updates, used once; its keywords are accepted here.

    Examples
    --------
    >>> import numpy as np
    >>> updates = [np.array([5.0, 0.0]), np.array([0.0, 5.0])]
    >>> aggregate("fedavg", np.zeros(2), updates, samples=[100, 300]).model
    array([1.25, 3.75])
    """
    agents = list(updates) if isinstance(updates, Mapping) else len(updates)
    server = Server(
        rule, agents=agents, weights=weights, samples=samples, ceilings=ceilings, **settings
    )
    return server.aggregate(model, updates, losses=losses, learning_rate=learning_rate, state=state)


def log_slope(loss: float, ceiling: float, floor: float = DEFAULTS["floor"]) -> float:
    """Give what an agent multiplies a mini-batch's gradient by under ``propfair``.

    Parameters
    ----------
    loss
        Mean loss of the mini-batch.
    ceiling
        The loss at which the agent gets nothing.
    floor
        The log is a line below this part of the ceiling.

    Examples
    --------
    >>> log_slope(1.5, ceiling=2.0)
    2.0
    """
    return _corefed.log_slope(loss, ceiling, floor)
