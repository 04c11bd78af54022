"""What the replies of a cohort become: some are refused by name, the others one step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from logging import WARNING
from math import inf, isfinite, isnan

from flwr.app import Message

from corefed._errors import CohortError, InputError
from corefed._federation.history import Round
from corefed._federation.model import Model
from corefed._federation.order import in_order
from corefed._federation.step import (
    leave_out,
    measure_lengths,
    refuse_all,
    refuse_odd,
    take_step,
    tell_refusal,
)
from corefed._rules import RULES
from corefed.flower.census import node_of
from corefed.flower.logged import log
from corefed.flower.private import note_told
from corefed.flower.reply import (
    GoneError,
    NoMetricError,
    ReplyError,
    Trained,
    read_training,
    read_walk,
)
from corefed.flower.run import FederatedRun

#: What to do after a round that ended the run.
_RESTART = "restart the agents and resume the same folder, or pass on_too_few='skip'"


class CombiningRun(FederatedRun):
    """The middle of a round; :class:`RuleStrategy` has its beginning and its end."""

    def _sift(self, current: Round, replies: Iterable[Message]) -> dict[str, Trained]:
        """Usable replies by agent; everybody else is left out with a reason."""
        trained: dict[str, Trained] = {}
        reported: dict[str, float] = {}
        without = 0
        for reply in replies:
            name = self._speaker(reply)
            if name is None or name not in current.parts:
                continue
            try:
                answer = self._read_training(reply, current.before)
            except GoneError as error:
                current.refuse(name, str(error), "dropped")
            except ReplyError as error:
                without += isinstance(error, NoMetricError)
                current.refuse(name, str(error))
            else:
                trained[name] = answer
                if answer.loss is not None:
                    current.losses[name] = answer.loss
                    reported[name] = inf if isnan(answer.loss) else answer.loss
                    if not isfinite(answer.loss) or answer.loss < 0:
                        what = "negative" if isfinite(answer.loss) else "not finite"
                        current.refuse(name, f"its loss is {what}")
                        del trained[name], current.losses[name]
        if without and not trained:
            raise self._no_metric(current)
        note_told(self.told_spent, current.number, trained)
        self.explosion.check(reported, current.number - 1, current.before)
        for name, why in sorted(current.rejections.items()):
            tell_refusal(current, name, why, self.guards)
        for name in in_order(
            n for n, part in current.parts.items() if part == "dropped" and n not in trained
        ):
            log(WARNING, "round %d: agent `%s` did not answer", current.number, name)
        return trained

    def _combine(self, current: Round, trained: dict[str, Trained]) -> Model | None:
        """The rule's step; ``None`` if too few updates can be used."""
        updates = {name: answer.update for name, answer in trained.items()}
        shortened = measure_lengths(current, self.rule, updates, self.guards)
        losses = {
            name: answer.loss if answer.loss is not None else 0.0
            for name, answer in trained.items()
        }
        if self.private is not None:
            ceilings = dict(zip(self.terms.names, self.terms.ceilings, strict=True))
            losses = self.private.losses(current.number, losses, ceilings)
        try:
            chosen = self.steady.step(current, updates, losses)
        except CohortError:
            refuse_all(current, updates)
            return None
        if chosen is None:
            return None
        done = chosen.done
        refuse_odd(current, done, self.guards)
        if len(done.weights) < self.min_replies:
            return None
        self.state = done.state
        self.steady.learn(current, trained, done.weights)
        self.steady.doubt(current, chosen.model, updates)
        take_step(current, done, updates, shortened, self.guards)
        if self.private is None:
            return chosen.model
        step = self.settings["server_step"] * self.steady.part(current.number)
        largest = max(done.weights.values())
        return self.private.model(current.number, chosen.model, largest, step)

    def _too_few(self, current: Round, trained: dict[str, Trained]) -> None:
        """A round that does not count."""
        usable = [name for name in trained if name not in current.rejections]
        leave_out(current, usable, self.min_replies, self.on_too_few, self.guards, _RESTART)

    def _read_training(self, reply: Message, before: Model) -> Trained:
        needs_loss = RULES[self.rule].needs_losses or self.steady.what.searches
        trained = read_training(reply, before, self.loss_key, needs_loss=needs_loss)
        if not self.steady.what.corrects:
            return trained
        return replace(trained, walk=read_walk(reply, before))

    def _speaker(self, reply: Message) -> str | None:
        """The agent behind a reply, if it is one of ours."""
        said = self.roster.learn(node_of(reply, self._asked), reply)
        return said if said in self.terms.names else None

    def _no_metric(self, current: Round) -> InputError:
        first = in_order(current.rejections)[0]
        return InputError(
            f"round {current.number}: agent `{first}` sent no metric `{self.loss_key}`",
            agent=first,
            field=self.loss_key,
            hint="the rule needs the loss before training: ClientApp(mods=[report_loss(f)])",
        )
