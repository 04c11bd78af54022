"""Privacy with a budget at the agent: what it sends is clipped, noised and booked."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict

from corefed._errors import CorefedError, InputError
from corefed._federation.model import Model, norm
from corefed.flower.client import Handler, asked_for
from corefed.flower.model import model_of, record_of
from corefed.flower.own_code import kept_back, kept_back_reason, own_code
from corefed.flower.protocol import (
    ABOUT,
    EPSILON,
    LOSS,
    REFUSAL,
    SAMPLES,
    WHO,
)
from corefed.flower.reply import metrics
from corefed.privacy import Account, Budget, normal
from corefed.secure.party import Draw


def private_answers(
    *,
    epsilon: float,
    delta: float,
    clip: float,
    noise: float,
    ceiling: float,
    loss_noise: float,
    keep: str | Path | None = None,
    draw: Draw = secrets.token_bytes,
) -> Callable[[Message, Context, Handler], Message]:
    """Make an agent's answers private before they leave it, within a budget of its own.

    It goes before :func:`report_loss`: ``mods=[private_answers(...), report_loss(loss)]``. Of a
    reply remain the model, with an update that is shortened and noised, the loss, noised, and the
    number of rows. Other questions than training and evaluation are refused. Of an app that fails
    the server is told that it failed; what it said is in the agent's own log.

    Parameters
    ----------
    epsilon, delta
        What all answers together may spend, over all runs; answers beyond it are refused.
    clip, noise
        Norm to which updates are shortened, and the noise in every number as a multiple of it.
    ceiling, loss_noise
        Losses are cut to this; the noise in a loss as a multiple of half of it.
    keep
        Folder for the account, ``account.json``; ``keep`` of the node's configuration overrules it.
    draw
        Where the secret of the noise comes from.
    """
    budget = Budget(epsilon, delta)
    for name, value in {"clip": clip, "noise": noise, "loss_noise": loss_noise}.items():
        if not value > 0:
            raise InputError(f"`{name}` is {value}; expected a number above 0", field=name)

    def mod(message: Message, context: Context, call_next: Handler) -> Message:
        try:
            return answer(message, context, call_next)
        except CorefedError as why:
            return _refused(message, why.message)
        except Exception as why:
            # Flower would send the text to the server.
            return _refused(message, kept_back(why).message)

    def answer(message: Message, context: Context, call_next: Handler) -> Message:
        asked = asked_for(message)
        if asked == WHO:
            return _called(call_next, message, context)
        told = context.node_config.get("keep", keep)
        if asked is not None or told is None:
            why = "it answers in private only" if asked else "`keep` names no folder of the agent's"
            return _refused(message, why)
        before = [model_of(record) for record in message.content.array_records.values()]
        reply = _called(call_next, message, context)
        account = Account(Path(str(told)) / "account.json", budget)
        trained = list(reply.content.array_records.items())
        account.spend(loss_noise**-2 + (noise**-2 if trained else 0.0))
        secret = draw(32)
        content = RecordDict()
        for key, record in trained:
            content[key] = _noised(before[0], record, clip, noise, secret)
        numbers = metrics(reply)
        if LOSS not in numbers:
            raise InputError("there is no loss: `report_loss` goes after `private_answers`")
        cut = min(max(float(numbers[LOSS]), 0.0), ceiling)
        loss = cut + loss_noise * ceiling / 2 * float(normal(secret, "loss", 1)[0])
        kept = {LOSS: max(loss, 0.0), EPSILON: account.epsilon}
        if SAMPLES in numbers:
            kept[SAMPLES] = numbers[SAMPLES]
        content["metrics"] = MetricRecord(dict(kept))
        if ABOUT in reply.content.config_records:
            content[ABOUT] = reply.content.config_records[ABOUT]
        return Message(content, reply_to=message)

    return mod


def _called(call_next: Handler, message: Message, context: Context) -> Message:
    """The app's reply; what it says instead of one stays with the agent."""
    with own_code():
        reply = call_next(message, context)
    if reply.has_error():
        raise kept_back_reason(str(reply.error.reason))
    return reply


def _refused(message: Message, why: str) -> Message:
    return Message(RecordDict({REFUSAL: ConfigRecord({REFUSAL: why})}), reply_to=message)


def _noised(
    before: Model, record: ArrayRecord, clip: float, noise: float, secret: bytes
) -> ArrayRecord:
    """The trained model, of which the update is shortened and noised."""
    after = model_of(record)
    if odd := before.difference(after):
        raise InputError(odd)
    update = before.update(after)
    length = norm(update)
    if not length < float("inf"):
        raise InputError("the update of this agent is not finite", field="update")
    factor = min(1.0, clip / length) if length > 0 else 1.0
    drawn = normal(secret, "update", sum(part.size for part in update.values()))
    moved, at = {}, 0
    for name, part in update.items():
        own = noise * clip * drawn[at : at + part.size].reshape(part.shape)
        moved[name] = before.floats[name].astype(float) + factor * part.astype(float) + own
        at += part.size
    return record_of(before.moved(moved))
