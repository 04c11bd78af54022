"""What holds a training steady, round by round: corrected steps, compared steps, short ones."""

from __future__ import annotations

from collections.abc import Iterable
from logging import WARNING
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from flwr.app import Message

from corefed import _corefed
from corefed._federation.history import Restored, Round
from corefed._federation.measured import Measured
from corefed._federation.model import Model, Parts
from corefed._federation.movement import Movement
from corefed._federation.step import doubt
from corefed.flower.drift import Controls
from corefed.flower.logged import log
from corefed.flower.losses import ask_losses
from corefed.flower.protocol import DRIFT
from corefed.flower.reply import Trained
from corefed.flower.search import Chosen, search
from corefed.flower.steadiness import Steadiness

if TYPE_CHECKING:
    from corefed.flower.run import FederatedRun


class Steady:
    """The part of a run that is about its steps."""

    def __init__(self, run: FederatedRun, what: Steadiness) -> None:
        self._run, self.what = run, what
        names = run.terms.names
        #: What is known of gradients, where local steps are corrected.
        self._controls = Controls(run.model, len(names)) if what.corrects else None
        #: Losses with the model as it is now, of those who told.
        self._known: dict[str, float] = {}
        #: Those who did not answer in the last round: they are not waited for twice.
        self._silent: list[str] = []
        self._movement = Movement()
        if what.searches:
            run.min_replies = len(names)

    def correct(self, current: Round, asked: Iterable[Message]) -> None:
        """Tell the cohort what to add to its gradients."""
        if self._controls is None:
            return
        run = self._run
        self._controls.mix(run.server, self._received(current), run.state)
        for message, name in zip(asked, current.cohort.values(), strict=True):
            at = run.terms.index(name)
            message.content[DRIFT] = self._controls.record(at, current.before)

    def step(
        self, current: Round, updates: dict[str, Parts], losses: dict[str, float]
    ) -> Chosen | None:
        """The rule's step, or the best of several; ``None`` if not everybody compares."""
        run, part = self._run, self.part(current.number)
        if self.what.searches:
            chosen = search(run, current, updates, losses, part)
            if chosen is not None:
                current.chosen, current.known = (chosen.direction, chosen.part), chosen.losses
            return chosen
        done = run.server.aggregate(
            current.before.values(),
            updates,
            losses=losses,
            learning_rate=current.learning_rate,
            part=part,
            state=run.state,
        )
        return Chosen("rule", 1.0, done, current.before.moved(done.model), {})

    def learn(self, current: Round, trained: dict[str, Trained], counted: Iterable[str]) -> None:
        """Take what the updates that count say of gradients."""
        if self._controls is None:
            return
        for name in counted:
            walk, update = trained[name].walk, trained[name].update
            at = self._run.terms.index(name)
            if walk is not None and not self._controls.learn(at, walk, update):
                log(
                    WARNING,
                    "round %d: no finite correction follows from the steps of agent `%s`: what was "
                    "known of it before stays",
                    current.number,
                    name,
                )

    def doubt(self, current: Round, moved: Model, updates: dict[str, Parts]) -> None:
        """Name agents whose losses go against their own updates."""
        run = self._run
        if self._controls is not None:
            # A corrected update goes where the others want to; what is known of gradients does not.
            updates = {n: self._controls.downhill(run.terms.index(n)) for n in updates}
        doubt(current, run.rule, self._movement, moved, updates, run.guards)

    def close(self, current: Round, found: dict[str, Measured]) -> None:
        """Remember what is known of the model that a round ended with."""
        self._silent = [name for name, part in current.parts.items() if part == "dropped"]
        self._known = current.known | {name: own.loss for name, own in found.items()}

    def tensors(self) -> Parts:
        """Arrays of a checkpoint."""
        if self._controls is None:
            return {}
        known = [self._known.get(name, nan) for name in self._run.terms.names]
        return {"controls": self._controls.own, "known": np.array(known)}

    def state(self) -> dict[str, Any]:
        """The rest of it."""
        return {"silent": self._silent, "movement": self._movement.state()}

    def load(self, restored: Restored) -> None:
        """Continue after a checkpoint."""
        self._silent = restored.state["silent"]
        self._movement.load(restored.state.get("movement"))
        if self._controls is not None:
            self._controls.own = restored.tensors["controls"]
            known = zip(self._run.terms.names, restored.tensors["known"].tolist(), strict=True)
            self._known = {name: loss for name, loss in known if isfinite(loss)}

    def part(self, number: int) -> float:
        """How much of the server's step is taken."""
        first, rounds = self._run.first_step, self._run.rounds
        return 1.0 if rounds is None else _corefed.step_part(first, number, rounds)

    def _received(self, current: Round) -> dict[str, float]:
        """Losses of the cohort with the model that it is about to get; asked for if not known."""
        names = list(current.cohort.values())
        unknown = [n for n in names if n not in self._known and n not in self._silent]
        if unknown:
            what = f"the losses before round {current.number}"
            asked = {"sent": current.before}
            found, _ = ask_losses(self._run, asked, unknown, self._run.patience, what)
            self._known |= {name: losses["sent"] for name, losses in found.items()}
        return {name: self._known[name] for name in names if name in self._known}
