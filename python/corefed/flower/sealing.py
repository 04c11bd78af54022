"""What makes a client app answer in sums only: one line in the app."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, RecordDict

from corefed._errors import CorefedError, InputError
from corefed._federation.model import Model, Parts
from corefed.flower.client import Handler, LossFn, Measure, NameFn, agent_name, asked_for
from corefed.flower.model import model_of
from corefed.flower.own_code import kept_back, kept_back_reason, own_code
from corefed.flower.own_history import OwnHistory
from corefed.flower.protocol import (
    ABOUT,
    AGENT,
    CEILING,
    FLOOR,
    INDEX,
    OPEN,
    PUBLIC,
    REFUSAL,
    SEAL,
    SEALED,
    SEED,
    STALE,
    SUM_KEY,
    WHO,
)
from corefed.flower.share import Own, Vector, share
from corefed.flower.sum_question import SumQuestion, read_question, round_of
from corefed.secure import Memory, Party, own_key, read_pins
from corefed.secure.memory import StaleTicketError

#: Gives the gradient of the loss at a model, with the model's own parts.
GradientFn = Callable[[ArrayRecord, Context], Mapping[str, np.ndarray]]


def secure_sums(
    loss: LossFn,
    *,
    keep: str | Path | None = None,
    pins: str | Path | None = None,
    gradient: GradientFn | None = None,
    agent: NameFn = agent_name,
) -> Callable[[Message, Context, Handler], Message]:
    """Make a client app answer in secure sums, and in no other way.

    It takes the place of :func:`report_loss`. Whatever else the app puts into a reply, metrics
    included, stays with the agent; questions other than those of secure sums are refused. Of an app
    that fails the server is told that it failed; what it said is in the agent's own log.

    Parameters
    ----------
    loss
        As in :func:`report_loss`.
    keep
        Folder with a folder for every agent: its key, what it must not forget, and its own history.
        ``keep`` of the node's configuration names the agent's own folder and overrules it.
    pins
        File with the public keys that are expected, by agent; ``pins`` of the node's configuration
        overrules it. Without one, the server is believed.
    gradient
        Called with arrays and context; gives the gradient of the loss by the names of the model's
        parts. Needed for :meth:`RuleStrategy.bound` only.
    agent
        As in :func:`report_loss`.
    """

    def mod(message: Message, context: Context, call_next: Handler) -> Message:
        asked = asked_for(message)
        content = RecordDict()
        try:
            name = agent(context)
            content[ABOUT] = ConfigRecord({AGENT: name})
            if asked == WHO:
                return Message(content, reply_to=message)
            folder = _folder(context, keep, name)
            party = _party(context, folder, pins)
            if asked == SUM_KEY:
                content[PUBLIC] = ConfigRecord({PUBLIC: party.public})
            elif asked == SEAL:
                question = read_question(message)
                values = _Answer(question, party, folder, loss, gradient, message, context)
                content[SEALED] = ArrayRecord({SEALED: Array(values.sealed(call_next))})
            elif asked == OPEN:
                agreement = read_question(message).agreement
                content[SEED] = ConfigRecord({SEED: party.open(agreement)})
                OwnHistory(folder, agreement.session).opened(agreement.ticket)
            else:
                raise InputError(
                    "this agent answers in secure sums only",
                    hint="start the strategy with `secure=True`",
                )
        except CorefedError as why:
            stale = isinstance(why, StaleTicketError)
            content[REFUSAL] = ConfigRecord({REFUSAL: why.message, STALE: stale})
        except Exception as why:
            # Flower would send the text to the server.
            content[REFUSAL] = ConfigRecord({REFUSAL: kept_back(why).message})
        return Message(content, reply_to=message)

    return mod


def _folder(context: Context, keep: str | Path | None, name: str) -> Path:
    if "keep" in context.node_config:
        return Path(str(context.node_config["keep"]))
    if keep is None:
        raise InputError(
            "secure sums need a folder of the agent's own",
            field="keep",
            hint="start the node with `--node-config 'keep=\"/srv/corefed\"'`",
        )
    return Path(keep) / quote(name, safe="")


def _party(context: Context, folder: Path, pins: str | Path | None) -> Party:
    told = context.node_config.get("pins", pins)
    expected = None if told is None else read_pins(str(told))
    return Party(own_key(folder / "sums.key"), Memory(folder), pins=expected)


class _Answer:
    """One answer in the making."""

    def __init__(
        self,
        question: SumQuestion,
        party: Party,
        folder: Path,
        loss: LossFn,
        gradient: GradientFn | None,
        message: Message,
        context: Context,
    ) -> None:
        self._question, self._party, self._message = question, party, message
        self._context, self._loss, self._gradient = context, loss, gradient
        agreement = question.agreement
        self._name = party.name(agreement)
        self._own = Own.of(agreement.terms, self._name, list(agreement.cohort), agreement.limit)
        self._history = OwnHistory(folder, agreement.session)

    def sealed(self, call_next: Handler) -> np.ndarray:
        """The sealed message."""
        kind, agreement = self._question.kind, self._question.agreement
        noted = None
        if kind == "train":
            values, noted = self._trained(call_next)
        elif kind == "gradient":
            values = self._slope()
        else:
            losses = [self._at(model) for model in self._question.models.values()]
            whole = [self._own.measures(loss) for loss in losses]
            values = np.array([own[:1] if kind == "compare" else own for own in whole]).reshape(-1)
        sealed = self._party.seal(agreement, values, self._question.digests)
        if noted is not None:
            self._history.sealed(agreement.ticket, noted)
        return sealed

    def _at(self, model: ArrayRecord) -> float:
        with own_code():
            found: Measure = self._loss(model, self._context)
            return float(found["loss"] if isinstance(found, Mapping) else found)

    def _received(self) -> ArrayRecord:
        models = list(self._question.models.values())
        if len(models) != 1:
            raise InputError(f"the request has {len(models)} models; expected one", field="models")
        return models[0]

    def _trained(self, call_next: Handler) -> tuple[Vector, dict[str, object]]:
        record, number = self._received(), round_of(self._question)
        before, loss = model_of(record), self._at(record)
        config = next(iter(self._message.content.config_records.values()))
        config[CEILING], config[FLOOR] = self._own.ceiling, self._own.floor / self._own.ceiling
        config[INDEX] = list(self._question.agreement.keys).index(self._name)
        with own_code():
            reply = call_next(self._message, self._context)
        after = _model_of(reply, before)
        averaged = self._history.average(number) if self._own.memory < 1 else None
        done = share(self._own, before.update(after), loss, averaged)
        return done.values, {
            "round": number,
            "agents": len(self._question.agreement.cohort),
            "loss": loss,
            "utility": self._own.ceiling - loss,
            "average": done.average,
            "pull": done.pull,
            "update_norm": done.norm,
            "floored": done.floored,
            "clipped": done.clipped,
        }

    def _slope(self) -> Vector:
        if self._gradient is None:
            raise InputError(
                "this agent's app gives no gradients: `secure_sums(..., gradient=f)`",
                field="gradient",
            )
        record = self._received()
        model, loss = model_of(record), self._at(record)
        if self._own.ceiling - loss < self._own.floor:
            raise InputError("the utility of this agent is below its floor", field="floor")
        with own_code():
            given = self._gradient(record, self._context)
            slope: Parts = {name: np.asarray(given[name], float) for name in model.floats}
        pull = self._own.weight / (self._own.ceiling - loss)
        return -pull * np.concatenate([part.reshape(-1) for part in slope.values()])


def _model_of(reply: Message, before: Model) -> Model:
    """The model that the app trained."""
    if reply.has_error():
        raise kept_back_reason(str(reply.error.reason))
    records = list(reply.content.array_records.values())
    if len(records) != 1:
        raise InputError(f"its app sent {len(records)} ArrayRecords instead of one")
    after = model_of(records[0])
    if odd := before.difference(after):
        raise InputError(odd)
    return after
