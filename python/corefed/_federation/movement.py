"""Whether the losses that agents report go where their own updates say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corefed._federation.model import Model, Parts, norm
from corefed._federation.order import in_order

#: Cosine between an update and the step from which on the loss must have fallen, or below which risen.
_ALIGNED = 0.3
#: Comparisons that are remembered, and how many there must be before anybody is named.
_LAST, _LEAST = 10, 5


class Movement:
    """Compares how a reported loss changes with how the agent's own update lies to the step.

    An update points to where its agent's loss falls. If the server steps that way and the reported
    loss does not fall, or against it and it does not rise, then the loss or the update is not what
    it is said to be; or the step went too far, or batches are small. So one comparison says
    nothing, and an agent is named while more than half of its last ones are odd.
    """

    def __init__(self) -> None:
        #: By agent: the loss it reported, the cosine of its update to the step, odd comparisons.
        self._known: dict[str, tuple[float, float]] = {}
        self._odd: dict[str, list[bool]] = {}

    def look(self, losses: Mapping[str, float]) -> list[str]:
        """Compare the losses that a round begins with, and say whose are odd for a while."""
        for name, loss in losses.items():
            before, along = self._known.get(name, (loss, 0.0))
            if abs(along) > _ALIGNED:
                odd = loss >= before if along > 0 else loss <= before
                self._odd[name] = [*self._odd.get(name, []), odd][-_LAST:]
        self._known = {}
        return in_order(
            name
            for name, odd in self._odd.items()
            if name in losses and len(odd) >= _LEAST and 2 * sum(odd) > len(odd)
        )

    def step(
        self, before: Model, after: Model, losses: Mapping[str, float], updates: Mapping[str, Parts]
    ) -> None:
        """Note how a step lies to everybody's update."""
        moved = before.update(after)
        size = norm(moved)
        for name, update in updates.items():
            sizes = size * norm(update)
            if name in losses and 0 < sizes < float("inf"):
                inner = sum(float(np.vdot(moved[part], update[part])) for part in moved)
                self._known[name] = (losses[name], inner / sizes)

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"known": self._known, "odd": self._odd}

    def load(self, state: Mapping[str, Any]) -> None:
        """Continue after a checkpoint."""
        self._known = {name: (loss, along) for name, (loss, along) in state["known"].items()}
        self._odd = {name: list(odd) for name, odd in state["odd"].items()}
