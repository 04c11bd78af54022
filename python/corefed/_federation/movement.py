"""Whether the losses that agents report go where their own updates say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corefed._federation.model import Model, Parts, norm
from corefed._federation.order import in_order

#: Cosine between update and step from which on the loss must fall, or beyond which it must rise.
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
        #: By agent: the loss it reported last, and the cosine of its update to the step.
        self._known: dict[str, tuple[float, float]] = {}
        #: By agent: whether its last comparisons were odd.
        self._odd: dict[str, list[bool]] = {}

    def round(
        self, before: Model, after: Model, losses: Mapping[str, float], updates: Mapping[str, Parts]
    ) -> list[str]:
        """Take a round, and say whose losses have been odd for a while."""
        odd = self._look(losses)
        moved = before.update(after)
        size = norm(moved)
        self._known = {}
        for name in losses.keys() & updates.keys():
            sizes = size * norm(updates[name])
            if 0 < sizes < float("inf"):
                parts = ((moved[part].ravel(), updates[name][part].ravel()) for part in moved)
                inner = sum(float(np.vdot(step, update)) for step, update in parts)
                self._known[name] = (losses[name], inner / sizes)
        return odd

    def _look(self, losses: Mapping[str, float]) -> list[str]:
        for name, loss in losses.items():
            before, along = self._known.get(name, (loss, 0.0))
            if abs(along) > _ALIGNED:
                odd = loss >= before if along > 0 else loss <= before
                self._odd[name] = [*self._odd.get(name, []), odd][-_LAST:]
        return in_order(
            name
            for name, odd in self._odd.items()
            if name in losses and len(odd) >= _LEAST and 2 * sum(odd) > len(odd)
        )

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps, in an order that does not depend on who answered first."""
        return {"known": dict(sorted(self._known.items())), "odd": dict(sorted(self._odd.items()))}

    def load(self, state: Mapping[str, Any] | None) -> None:
        """Continue after a checkpoint; those of earlier versions know nothing."""
        if state is not None:
            self._known = {name: (loss, along) for name, (loss, along) in state["known"].items()}
            self._odd = {name: list(odd) for name, odd in state["odd"].items()}
