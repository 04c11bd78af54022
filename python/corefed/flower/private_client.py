"""Privacy with a budget at the agent: what it sends is clipped, noised and booked."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict

from corefed._errors import CorefedError, InputError
from corefed._federation.model import Model, norm
from corefed.flower.client import Handler, asked_for, received
from corefed.flower.model import model_of, record_of
from corefed.flower.own_code import kept_back, kept_back_reason, own_code
from corefed.flower.protocol import (
    ABOUT,
    AGENT,
    EPSILON,
    LOSS,
    REFUSAL,
    SAMPLES,
    WHO,
)
from corefed.flower.reply import metrics
from corefed.privacy import Account, Budget, BudgetError, normal
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

    It goes before all other mods: ``mods=[private_answers(...), report_loss(loss)]``. Of a reply
    remain the model, with an update that is shortened and noised, the loss, noised, the number of
    rows and the agent's name. Other questions than training and evaluation are refused. Of an app
    that fails, or sends what cannot be noised, the server is told that it failed; why is in the
    agent's own log.

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
            reply = _called(call_next, message, context)
            return Message(_about(reply), reply_to=message)
        told = context.node_config.get("keep", keep)
        if asked is not None or told is None:
            why = "it answers in private only" if asked else "`keep` names no folder of the agent's"
            return _refused(message, why)
        before = model_of(received(message))
        reply = _called(call_next, message, context)
        numbers = metrics(reply)
        if LOSS not in numbers:
            raise InputError("there is no loss: `report_loss` goes after `private_answers`")
        trained = list(reply.content.array_records.values())
        if len(trained) > 1:
            # With one noise in both, their difference would have none.
            raise kept_back_reason(f"it sent {len(trained)} ArrayRecords instead of one")
        account = Account(Path(str(told)) / "account.json", budget)
        _spend(account, loss_noise**-2 + (noise**-2 if trained else 0.0))
        secret = draw(32)
        content = _about(reply)
        for record in trained:
            content["arrays"] = _noised(before, record, clip, noise, secret)
        # What is not a number is among these the largest, and so told as the ceiling.
        cut = min(max(float(numbers[LOSS]), 0.0), ceiling)
        loss = cut + loss_noise * ceiling / 2 * float(normal(secret, "loss", 1)[0])
        kept = {LOSS: max(loss, 0.0), EPSILON: account.epsilon}
        if SAMPLES in numbers:
            kept[SAMPLES] = numbers[SAMPLES]
        content["metrics"] = MetricRecord(dict(kept))
        return Message(content, reply_to=message)

    return mod


def _called(call_next: Handler, message: Message, context: Context) -> Message:
    """The app's reply; what it says instead of one stays with the agent."""
    with own_code():
        reply = call_next(message, context)
    if reply.has_error():
        raise kept_back_reason(str(reply.error.reason))
    return reply


def _spend(account: Account, square: float) -> None:
    """Book an answer; what is wrong with the agent's own file is not for others."""
    try:
        account.spend(square)
    except BudgetError:
        raise
    except CorefedError as why:
        raise kept_back(why) from None


def _about(reply: Message) -> RecordDict:
    """For whom a reply speaks, and nothing else that its app says of itself.

    Nor that it corrects for drift: the steps that it would have to tell are not noised.
    """
    about = reply.content.config_records.get(ABOUT, ConfigRecord())
    own = {ABOUT: ConfigRecord({AGENT: str(about[AGENT])})} if AGENT in about else {}
    return RecordDict({**own})


def _refused(message: Message, why: str) -> Message:
    return Message(RecordDict({REFUSAL: ConfigRecord({REFUSAL: why})}), reply_to=message)


def _noised(
    before: Model, record: ArrayRecord, clip: float, noise: float, secret: bytes
) -> ArrayRecord:
    """The trained model, of which the update is shortened and noised."""
    try:
        after = model_of(record)
        odd = before.difference(after)
    except Exception as why:
        raise kept_back(why) from None
    if odd:
        raise kept_back_reason(odd)
    update = before.update(after)
    length = norm(update)
    if not length < float("inf"):
        raise kept_back_reason("its update is not finite")
    factor = min(1.0, clip / length) if length > 0 else 1.0
    drawn = normal(secret, "update", sum(part.size for part in update.values()))
    moved, at = {}, 0
    for name, part in update.items():
        own = noise * clip * drawn[at : at + part.size].reshape(part.shape)
        moved[name] = before.floats[name].astype(float) + factor * part.astype(float) + own
        at += part.size
    return record_of(before.moved(moved))
