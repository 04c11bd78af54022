"""A training whose losses grow beyond all measure ends, and its last good model is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from corefed._errors import RunError
from corefed._federation.explosion import exploded

if TYPE_CHECKING:
    from corefed._federation.model import Model
    from corefed._server_state import ServerState
    from corefed.flower.run import FederatedRun

_HINT = (
    "train with shorter steps: a smaller rate, fewer epochs, `server_step` below 1, or `clip`; "
    "begin again in another folder, or resume this one with changed_spec=True; loss_factor=None "
    "trains on"
)


class Explosion:
    """Watches the losses of a run."""

    def __init__(self, run: FederatedRun) -> None:
        self._run = run
        self._first: list[float] = []
        #: The last model whose losses were in order, its round, and what the rule remembered then.
        self._good: tuple[int, Model, ServerState | None] | None = None

    def begin(self) -> None:
        """Take the losses with the first model, and the model that a run begins with."""
        run = self._run
        first = run.history.measured(0) if run.done else run.measured
        self._first = [own.loss for own in first.values()]
        if run.measured:
            self._good = (run.done, run.model, run.state)

    def check(self, losses: Mapping[str, float], of: int, model: Model) -> None:
        """Accept a model, the one after round `of`, or end the run by what agents lose."""
        run = self._run
        if not losses or not self._first or run.loss_factor is None or self._hidden():
            return
        how = exploded(losses, self._first, run.loss_factor)
        if how is None:
            self._good = (of, model, run.state)
            return
        kept = "no model before it is known to be in order"
        if self._good is not None:
            number, run.model, run.state = self._good
            kept = f"the model of round {number} is kept"
            run.history.save_model(run.model)
            # A resume begins with it, under other settings.
            run.history.checkpoint(run.done, run._tensors(), run._state())
        # The same process may resume at once.
        run.history.close()
        raise RunError(
            f"training explodes in round {of}: {how}; {kept}", field="loss_factor", hint=_HINT
        )

    def _hidden(self) -> bool:
        """Whether losses are noised, or when a run ends may not go by them."""
        return self._run.private is not None or bool(self._run.told_spent.rows)
