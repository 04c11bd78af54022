"""Newton's rule in the study: agents send gradients and Hessians, and no step of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from agents import FLOOR, Agent

from corefed import _corefed

#: Radius of the ball, as in `corefed.flower.Newton`.
RADIUS = 10.0


@dataclass
class Step:
    """What the other rules answer with, too."""

    model: np.ndarray
    weights: dict[str, float]
    state: Any
    capped: list[str] = field(default_factory=list)


def sent(agent: Agent, model: np.ndarray) -> dict[str, np.ndarray]:
    """Where the loss falls, and the Hessian: what a lie about an update changes is the gradient."""
    right = 1 / (1 + np.exp(agent.y * (agent.x @ model)))
    curved = (right * (1 - right))[:, None] * agent.x
    downhill = ((right * agent.y)[:, None] * agent.x).mean(0)
    return {"w": downhill, "hessian": agent.x.T @ curved / len(agent.y)}


def step(
    model: np.ndarray,
    updates: dict[str, dict[str, np.ndarray]],
    losses: dict[str, float],
    ceilings: list[float],
    trial: Any,
) -> Step:
    """The engine's step; `trial` is what it remembers of the last one."""
    after, pulls, _, trial = _corefed.newton_step(
        model,
        list(losses.values()),
        np.ascontiguousarray([-updates[name]["w"] for name in losses]),
        np.ascontiguousarray([updates[name]["hessian"] for name in losses]),
        [1.0] * len(losses),
        ceilings,
        FLOOR,
        RADIUS,
        trial,
    )
    return Step(after, dict(zip(losses, pulls, strict=True)), trial)
