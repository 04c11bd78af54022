"""The server's side of drift correction: what it knows of every agent's gradients (ledger E48).

Everything that is known follows from updates that the server has seen, so it lives here, in the
checkpoint. A node that restarts or misses a round has nothing to lose.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from flwr.app import Array, ArrayRecord

from corefed import _corefed
from corefed._federation.model import Model, Parts
from corefed._server import Server
from corefed._server_state import ServerState
from corefed.flower.reply import Walk


class Controls:
    """Control variates of all agents: an estimate of each one's gradient."""

    def __init__(self, model: Model, agents: int) -> None:
        self._places: dict[str, slice] = {}
        at = 0
        for name, part in model.floats.items():
            self._places[name] = slice(at, at + part.size)
            at += part.size
        #: One row per agent, zero before anything is known.
        self.own: npt.NDArray[Any] = np.zeros((agents, at), model.dtype)
        self._common: npt.NDArray[Any] | None = None

    def mix(self, server: Server, losses: dict[str, float], state: ServerState | None) -> None:
        """Prepare a round that begins with these losses; without any, nobody is corrected in it."""
        self._common = server.mix(self.own, losses=losses, state=state) if losses else None

    def record(self, agent: int, model: Model) -> ArrayRecord:
        """What an agent adds to its gradients in this round, in the types of the model."""
        drift = self._mixed(agent) - self.own[agent]
        parts = {
            name: drift[self._places[name]].reshape(part.shape).astype(part.dtype)
            for name, part in model.floats.items()
        }
        return ArrayRecord({name: Array(part) for name, part in parts.items()})

    def learn(self, agent: int, walk: Walk, update: Parts) -> bool:
        """Take what an agent's steps say of its gradient; not if it is not a number."""
        new = self.own[agent].copy()
        double = new.dtype == np.float64
        learn = _corefed.learn_control_f64 if double else _corefed.learn_control_f32
        for name in walk.parts:
            place = self._places[name]
            learn(
                new[place],
                self._mixed(agent)[place],
                np.ascontiguousarray(update[name]).reshape(-1),
                walk.steps,
                walk.rate,
                walk.momentum,
            )
        if not np.isfinite(new).all():
            return False
        self.own[agent] = new
        return True

    def downhill(self, agent: int) -> Parts:
        """Where an agent's loss falls, by what is known of its gradient."""
        row = -self.own[agent]
        return {name: row[place] for name, place in self._places.items()}

    def _mixed(self, agent: int) -> npt.NDArray[Any]:
        """The mixture; an agent's own row where there is none, so that nothing is added."""
        return self.own[agent] if self._common is None else self._common
