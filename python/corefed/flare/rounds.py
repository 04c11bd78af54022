"""The rounds of a job: who takes part, on which terms, each step, and what is written of it."""

from __future__ import annotations

from dataclasses import dataclass
from logging import WARNING
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefed._errors import CohortError, InputError, RunError
from corefed._federation.explosion import exploded
from corefed._federation.header import header
from corefed._federation.history import History, Round
from corefed._federation.measured import Measured
from corefed._federation.model import Model, Parts
from corefed._federation.movement import Movement
from corefed._federation.order import in_order
from corefed._federation.step import (
    doubt,
    leave_out,
    measure_lengths,
    refuse_all,
    refuse_odd,
    take_step,
)
from corefed._federation.terms import Terms, resolve_ceilings, resolve_weights
from corefed._server_state import ServerState
from corefed.flare.protocol import SAMPLES
from corefed.flare.reply import Reply, model_of
from corefed.flare.told import server_of, spec_text

if TYPE_CHECKING:
    from corefed.flare.aggregator import CoreFedAggregator

_RERUN = "start the job again with another `run`, or pass on_too_few='skip'"


@dataclass
class Sent:
    """What a round began with: the model, the number of the round from 1 on, and who was asked."""

    params: Any
    number: int
    rounds: int
    asked: list[str]

    def model(self) -> Model:
        """The model by its parts."""
        return model_of(self.params, "the server's model")


class Rounds:
    """A job's run, from its first results to the losses with its last model."""

    def __init__(self, told: CoreFedAggregator, path: Path | None) -> None:
        self._told, self._log = told, told.guards.log
        self._history = History(path, told.guards.log)
        #: Known after the first results.
        self.terms: Terms | None = None
        #: Whether every round is over and the last model was measured.
        self.complete = False
        self._state: ServerState | None = None
        self._movement = Movement()
        #: The last round: it is written when the losses with its model are known.
        self._open: Round | None = None
        self._planned = 0
        self._measured: dict[str, Measured] = {}
        #: Losses with models that sites submitted, by model and site.
        self._rivals: dict[str, dict[str, float]] = {}
        self._strangers: set[str] = set()
        #: Losses with the first model.
        self._first: list[float] = []

    @property
    def last(self) -> Model | None:
        """The model after the last round."""
        return None if self._open is None else self._open.after

    def step(
        self, sent: Sent, replies: dict[str, Reply], refused: dict[str, str]
    ) -> tuple[Model, float | None]:
        """Turn the results of a round into one step; gives the model and the mean loss before."""
        current = Round(sent.number, sent.model(), learning_rate=self._told.learning_rate)
        current.parts = dict.fromkeys(sent.asked, "dropped")
        for name, why in refused.items():
            current.refuse(name, why)
        if self.terms is None:
            self._agree(current, replies, sent.rounds)
        terms = self.terms
        assert terms is not None, "agreed above"
        self._name_strangers([*replies, *sent.asked])
        ours = {name: replies[name] for name in terms.names if name in replies}
        current.parts = {n: p for n, p in current.parts.items() if n in terms.names}
        current.losses = {name: reply.measured.loss for name, reply in ours.items()}
        for name in in_order(n for n, part in current.parts.items() if part == "dropped"):
            if name not in ours:
                self._log(WARNING, "round %d: site `%s` did not answer", current.number, name)
        self._check_losses(current)
        self._close({name: reply.measured for name, reply in ours.items()})
        current.after = self._moved(current, ours)
        self._open, self._measured = current, {}
        if current.number >= self._planned:
            self.complete = True
        average = {name: terms.average[terms.index(name)] for name in ours}
        if not ours:
            return current.after, None
        total = sum(average.values())
        return current.after, sum(average[n] * current.losses[n] for n in ours) / total

    def measure(self, site: str, measured: Measured) -> None:
        """Note what a site loses with the last model."""
        if self.terms is not None and site in self.terms.names:
            self._measured[site] = measured

    def compare(self, model: str, site: str, loss: float) -> None:
        """Note what a site loses with the model of some site."""
        self._rivals.setdefault(model, {})[site] = loss

    def end(self) -> None:
        """Write the last round, the model, and what is known of its stability."""
        if self.terms is None or self._open is None or not self.complete:
            return
        last, names = self._open, self.terms.names
        measured = dict(self._measured)
        self._close(measured)
        self._history.save_model(last.after or last.before)
        if self._history.path is not None and all(name in measured for name in names):
            rivals = [
                (model, [losses[name] for name in names])
                for model, losses in sorted(self._rivals.items())
                if all(name in losses for name in names)
            ]
            self._history.audit([measured[name].loss for name in names], rivals)
        else:
            self._history.unjudged(last.number)
        self._history.finish(last.number, *self._checkpoint(last))
        self._open = None

    def _agree(self, current: Round, replies: dict[str, Reply], rounds: int) -> None:
        """Fix who takes part, weights and ceilings, and start the folder."""
        told, known = self._told, self._told.sites
        names = in_order(replies if known is None else known)
        missing = [name for name in names if name not in replies]
        if missing or len(names) < max(2, told.min_replies):
            reasons = {
                n: "it did not answer" for n in [*missing, *current.parts] if n not in replies
            }
            reasons |= {n: w for n, w in current.rejections.items() if n not in replies}
            listed = "; ".join(f"{n}: {w}" for n, w in sorted(reasons.items()))
            raise CohortError(
                f"the federation cannot begin: {len(replies)} sites sent results that can be used"
                + (f" ({listed})" if listed else ""),
                agent=next(iter(sorted(reasons)), None),
                field="sites",
                hint="every site sends `corefed.flare.report(received, trained, loss=...)`; "
                "`min_clients` of the recipe is the number of sites",
            )
        samples = [replies[name].measured.samples or 0 for name in names]
        losses = [replies[name].measured.loss for name in names]
        counted = told.guards.row_counts(names, samples, told.weights, told.average)
        sent_as = f"`{SAMPLES}`"
        self.terms = terms = Terms(
            names=names,
            samples=samples,
            held_out=[0] * len(names),
            weights=resolve_weights(told.weights, names, counted, "weights", sent_as),
            average=resolve_weights(told.average, names, counted, "average", sent_as),
            ceilings=resolve_ceilings(
                told.ceilings, names, told.guards.first_losses(told.ceilings, names, losses)
            ),
            replaced=told.guards.replaced,
        )
        self._planned = rounds
        path = self._history.path
        if path is not None and self._history.exists:
            raise InputError(
                f"there is a run in `{path}` already", field="run", hint="name another folder"
            )
        first = current.before
        title = told.title or (told.rule if path is None else path.name)
        off = {"correction": "none", "search": "off"}
        self._history.create(
            header("FLARE", title, told.rule, 0, rounds, first, terms, told.tolerance, off),
            spec_text(told),
        )
        self._server = server_of(told, names, terms.weights, terms.average, terms.ceilings)
        self._open = Round(0, first, after=first)

    def _check_losses(self, current: Round) -> None:
        """End a job whose losses have grown beyond all measure, with the model before that."""
        if current.number == 1:
            self._first = list(current.losses.values())
        factor, last = self._told.loss_factor, self._open
        if factor is None or last is None or not current.losses or not self._first:
            return
        if how := exploded(current.losses, self._first, factor):
            self._history.save_model(last.before)
            self._open = None
            kept = max(last.number - 1, 0)
            raise RunError(
                f"training explodes in round {last.number}: {how}; the model of round {kept} is "
                "kept in the run folder",
                field="loss_factor",
                hint="train with shorter steps: a smaller rate, fewer epochs, `server_step` below "
                "1, or `clip`; loss_factor=None trains on",
            )

    def _moved(self, current: Round, replies: dict[str, Reply]) -> Model:
        """The model after the rule's step; where it was, if too few updates can be used."""
        told, guards = self._told, self._told.guards
        updates = {name: reply.update for name, reply in replies.items()}
        if len(updates) >= told.min_replies:
            shortened = measure_lengths(current, told.rule, updates, guards)
            try:
                done = self._server.aggregate(
                    current.before.values(),
                    updates,
                    losses={name: current.losses[name] for name in updates},
                    learning_rate=told.learning_rate,
                    state=self._state,
                )
            except CohortError:
                refuse_all(current, updates)
            else:
                refuse_odd(current, done, guards)
                if len(done.weights) >= told.min_replies:
                    self._state = done.state
                    take_step(current, done, updates, shortened, guards)
                    moved = current.before.moved(done.model)
                    doubt(current, told.rule, self._movement, moved, updates, guards)
                    return moved
        usable = [name for name in updates if name not in current.rejections]
        leave_out(current, usable, told.min_replies, told.on_too_few, guards, _RERUN)
        return current.before

    def _close(self, measured: dict[str, Measured]) -> None:
        """Write the round that is open, with what its model turned out to cost."""
        if self._open is not None:
            self._history.append(self._open.facts(measured))
            self._history.checkpoint(self._open.number, *self._checkpoint(self._open))

    def _checkpoint(self, current: Round) -> tuple[Parts, dict[str, Any]]:
        kept = (current.after or current.before).tensors("model.")
        if self._state is not None:
            kept |= {f"server.{name}": array for name, array in self._state.to_dict().items()}
        return kept, {"rule": self._told.rule, "stepped": self._state is not None}

    def _name_strangers(self, names: list[str]) -> None:
        terms = self.terms
        for name in in_order({n for n in names if terms is not None and n not in terms.names}):
            if name not in self._strangers:
                self._strangers.add(name)
                told = "site `%s` takes no part: the federation is fixed in the first round"
                self._log(WARNING, told, name)
