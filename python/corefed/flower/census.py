"""Before the first round: who is there, and what they lose with the first model."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from logging import INFO
from typing import TypeVar

from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, RecordDict
from flwr.serverapp import Grid

from corefed._errors import CohortError
from corefed._federation.order import in_order
from corefed.flower.exchange import Exchange
from corefed.flower.fixed_nodes import has_all_nodes
from corefed.flower.logged import log
from corefed.flower.protocol import ASK, ROUND, WHO
from corefed.flower.reply import NoMetricError, ReplyError
from corefed.flower.roster import Roster

#: What is read from an answer.
Answer = TypeVar("Answer")
#: Seconds between two looks at who is there.
_PAUSE = 0.5
#: A node that does not say for whom it speaks is asked this many times, and waited for so long
#: where nobody of the federation is looked for.
_OFTEN, _LONG = 3, 60.0
#: Seconds after the last newcomer for which others are waited for, unless told.
QUIET = 20.0


def locate(grid: Grid, exchange: Exchange, roster: Roster, timeout: float) -> dict[str, int]:
    """Find out for whom the nodes speak that are there now; only unknown ones are asked."""
    unknown = [node for node in roster.look(grid) if roster.asked[node] < _OFTEN]
    roster.asked.update(unknown)
    if unknown:
        config = ConfigRecord({ASK: WHO, ROUND: 0})
        asked = [
            Message(
                RecordDict({"arrays": ArrayRecord(), "config": config}), node, MessageType.TRAIN
            )
            for node in unknown
        ]

        def found(replies: list[Message]) -> bool:
            for reply in replies:
                roster.learn(node_of(reply, asked), reply)
            return roster.complete()

        if roster.complete():
            found(exchange(asked, min(timeout, _LONG), "who is there"))
        else:
            # On a busy machine an agent's app starts late: nobody is missing before the time is up.
            found(exchange(asked, timeout, "who is there", enough=found))
    return roster.nodes()


def node_of(reply: Message, asked: Sequence[Message]) -> int:
    """The node that was asked: an error that the SuperLink made is not from it."""
    answered = reply.metadata.reply_to_message_id
    for question in asked:
        if answered and question.metadata.message_id == answered:
            return question.metadata.dst_node_id
    return reply.metadata.src_node_id


def census(
    grid: Grid,
    exchange: Exchange,
    expected: Sequence[str] | None,
    at_least: int,
    timeout: float,
    gather: float | None,
    ask: Callable[[list[int]], list[Message]],
    read: Callable[[Message], Answer],
    about: str = "what they lose with the first model",
) -> tuple[Roster, dict[str, Answer]]:
    """Ask nodes about the first model until everybody who is expected has answered.

    Without a list of those who are expected, all who answer within `gather` seconds, or until they
    are enough if that takes longer, are the federation. Without `gather`, too, those are who answer
    until nobody new has been there for a while: nodes of several houses are started one by one.
    """
    newest = begun = time.monotonic()
    end, quiet = begun + timeout, 0.0 if has_all_nodes(grid) else QUIET
    roster = Roster(expected)
    answers: dict[int, Message] = {}
    wanted = at_least if expected is None else len(expected)
    found: dict[str, Answer] = {}
    refused: dict[str, ReplyError] = {}
    while time.monotonic() < end:
        roster.look(grid)
        silent = [node for node in roster.online if node not in answers]
        closing = newest + quiet if gather is None else begun + gather
        if expected is not None:
            closing = begun
        if len(found) >= wanted and time.monotonic() >= closing:
            break
        if len(roster.online) < wanted or not silent:
            time.sleep(_PAUSE)
            continue
        log(
            INFO,
            "asking %d nodes who they are and %s",
            len(silent),
            about,
        )
        asked = ask(silent)
        for reply in exchange(asked, end - time.monotonic(), "the first model"):
            answers[node_of(reply, asked)] = reply
        newest = time.monotonic()
        # Only now: a node may have been seen before its name was.
        roster.look(grid)
        found, refused = _read(answers, roster, expected, read)
        if len(found) < wanted and refused and len(answers) >= len(roster.online):
            break
        if expected is None and gather is None and quiet and len(found) >= wanted:
            told = "%d agents are there, and others are waited for until nobody comes for %g s"
            log(INFO, f"{told} (`agents=` names them, `gather=` says how long)", len(found), quiet)
    missing = [] if expected is None else [name for name in expected if name not in found]
    if missing or len(found) < wanted:
        there = [] if expected is None else [s.agent for s in roster.strangers()]
        refused |= {name: ReplyError("it is there and not expected") for name in there if name}
        raise _incomplete(missing, found, wanted, refused, timeout)
    roster.names = list(expected) if expected is not None else in_order(found)
    log(INFO, "the federation is %s", ", ".join(roster.names))
    return roster, found


def _read(
    answers: dict[int, Message],
    roster: Roster,
    expected: Sequence[str] | None,
    read: Callable[[Message], Answer],
) -> tuple[dict[str, Answer], dict[str, ReplyError]]:
    """What agents measured, and why some of it cannot be used."""
    found: dict[str, Answer] = {}
    refused: dict[str, ReplyError] = {}
    for node, reply in answers.items():
        name = roster.learn(node, reply)
        try:
            measured = read(reply)
        except ReplyError as why:
            refused[name or f"node {node}"] = why
            continue
        if name is None:
            refused[f"node {node}"] = ReplyError(
                "it does not say for whom it speaks: use `report_loss` in its app, or register "
                "its key with a name"
            )
        elif expected is None or name in expected:
            found[name] = measured
    return found, refused


def _incomplete(
    missing: list[str],
    found: Mapping[str, object],
    wanted: int,
    refused: Mapping[str, ReplyError],
    timeout: float,
) -> CohortError:
    who = (
        f"agents {missing} are missing" if missing else f"{len(found)} of {wanted} agents are there"
    )
    reasons = "; ".join(f"{name}: {why}" for name, why in sorted(refused.items()))
    hint = f"start their nodes; the server waits {timeout:g} s for them"
    if any(isinstance(why, NoMetricError) for why in refused.values()):
        hint = "have their apps report the loss: ClientApp(mods=[report_loss(f)])"
    return CohortError(
        f"the federation is not complete: {who}" + (f" ({reasons})" if reasons else ""),
        agent=missing[0] if missing else None,
        field="agents",
        hint=hint,
    )
