"""What makes a client app answer exact audits: one line in the app."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, RecordDict

from corefed._errors import CorefedError, InputError
from corefed.flower.client import Handler, NameFn, agent_name, asked_for
from corefed.flower.convex import ConvexClient
from corefed.flower.kept import Kept, question_digest
from corefed.flower.linear import LinearClient
from corefed.flower.protocol import (
    ABOUT,
    AGENT,
    ASK,
    ATTEST,
    ATTESTATION,
    CERTIFICATE,
    DECLARE,
    DECLARED,
    ORACLE,
    POINTS,
    POLICY,
    RADIUS,
    REFUSAL,
    ROUND,
    TERMS,
)

#: Gives the model of an agent on its own rows.
Own = Callable[[Context], LinearClient | ConvexClient]


def answer_audits(
    own: Own,
    *,
    budget: float | None = None,
    keep: str | Path | None = None,
    agent: NameFn = agent_name,
) -> Callable[[Message, Context, Handler], Message]:
    """Make a client app answer exact audits, and sign what it answered.

    Parameters
    ----------
    own
        Called with the context; gives the agent's :class:`LinearClient` or :class:`ConvexClient`.
    budget
        Numbers per cell of its table beyond which the agent answers no more. Without it, it always
        does.
    keep
        Folder of the agent's own, with its key and with what it has told; ``keep`` of the node's
        configuration overrules it. Without either it lies beside the table: ``Aachen.corefed`` for
        ``Aachen.csv``.
    agent
        Called with the context; names the agent, as in :func:`report_loss`.
    """

    def mod(message: Message, context: Context, call_next: Handler) -> Message:
        asked = asked_for(message)
        if asked not in (TERMS, DECLARE, ORACLE, ATTEST):
            return call_next(message, context)
        name = agent(context)
        content = RecordDict({ABOUT: ConfigRecord({AGENT: name})})
        try:
            client = own(context)
            kept = Kept(str(context.node_config.get("keep", keep or client.beside)))
            if asked in (TERMS, DECLARE):
                content[TERMS] = _terms(client, kept, name)
            if asked == DECLARE:
                content[DECLARED] = _declared(client, kept, _config(message), budget)
            elif asked == ORACLE:
                content.update(_answers(client, kept, message, budget))
            elif asked == ATTEST:
                text = str(_config(message)[CERTIFICATE])
                signed = client.attest(text, kept.key)
                content[ATTESTATION] = ConfigRecord({ATTESTATION: signed})
        except CorefedError as why:
            content[REFUSAL] = ConfigRecord({REFUSAL: why.message})
        return Message(content, reply_to=message)

    return mod


def _terms(client: LinearClient | ConvexClient, kept: Kept, name: str) -> ConfigRecord:
    """What a server must know before it asks: nothing of it is about single rows."""
    told = ConfigRecord(
        {
            "rows-of": client.name or name,
            "model": client.model,
            "l2": client.l2,
            "samples": client.samples,
            "cells": client.cells,
            "key": kept.public_key(),
        }
    )
    if isinstance(client, ConvexClient):
        told["parameters"] = client.parameters
    else:
        told["encoding"] = client.encoding
    return told


def _declared(
    client: LinearClient | ConvexClient, kept: Kept, config: ConfigRecord, budget: float | None
) -> ConfigRecord:
    """What the agent's ceiling goes by, unless that goes beyond the budget."""
    policy, radius = str(config[POLICY]), float(str(config[RADIUS]))
    question = question_digest(DECLARE, policy, radius)
    numbers, before = client.declare(policy, radius), kept.answered(question)
    if budget is not None and before + len(numbers) > budget * client.cells:
        raise InputError(
            f"the ceiling asks for {len(numbers)} numbers; {before} were answered, and "
            f"{budget * client.cells:g} are the most for {client.cells} cells",
            field="budget",
        )
    kept.book(question, len(numbers))
    return ConfigRecord({DECLARED: numbers})


def _answers(
    client: LinearClient | ConvexClient, kept: Kept, message: Message, budget: float | None
) -> dict[str, Any]:
    config = _config(message)
    points = message.content.array_records[POINTS][POINTS].numpy()
    gradients, hessians = (_places(config, key) for key in ("gradients", "hessians"))
    wanted = bool(config.get("own", False))
    radius = float(str(config[RADIUS]))
    # The own best predictor is another in another ball.
    ball = [struct.pack("<d", radius)] if wanted else []
    question = question_digest(points.tobytes(), gradients, hessians, wanted, *ball)
    before = kept.answered(question)
    losses, slopes, curves, best, digest, after = client.answer(
        {
            "round": int(str(config[ROUND])),
            "points": np.ascontiguousarray(points, dtype=np.float64),
            "gradients": gradients,
            "hessians": hessians,
            "own": wanted,
            "radius": radius,
            "answered": before,
            "budget": budget,
        }
    )
    # Before it is sent: what might have been told counts.
    kept.book(question, after - before)
    arrays = {"losses": losses, "gradients": slopes, "hessians": curves}
    if best is not None:
        arrays["own"] = best
    return {
        "answers": ArrayRecord({name: Array(part) for name, part in arrays.items()}),
        ORACLE: ConfigRecord({ROUND: config[ROUND], POINTS: digest}),
    }


def _config(message: Message) -> ConfigRecord:
    return next(c for c in message.content.config_records.values() if ASK in c)


def _places(config: ConfigRecord, key: str) -> list[int]:
    places = config.get(key, [])
    if not isinstance(places, list):
        raise InputError(f"`{key}` of the request is not a list of places", field=key)
    return [int(place) for place in places]
