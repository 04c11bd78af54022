"""One question to each of several agents, and why some have no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from flwr.app import Message, MessageType, RecordDict

from corefed.flower.census import locate, node_of
from corefed.flower.reply import GoneError, ReplyError, check_error

if TYPE_CHECKING:
    from corefed.flower.run import FederatedRun


def ask(
    run: FederatedRun, questions: Mapping[str, RecordDict], timeout: float, what: str
) -> tuple[dict[str, Message], dict[str, ReplyError]]:
    """Replies by agent, in the order of the questions, and reasons why others have none."""
    nodes = locate(run.grid, run.exchange, run.roster, timeout)
    asked = [
        Message(content, nodes[name], MessageType.TRAIN)
        for name, content in questions.items()
        if name in nodes
    ]
    reasons: dict[str, ReplyError] = {
        name: GoneError("it did not answer in time" if name in nodes else "it is not connected")
        for name in questions
    }
    found: dict[str, Message] = {}
    for reply in run.exchange(asked, timeout, what):
        node = node_of(reply, asked)
        name = run.roster.agent(node)
        if name is None or name not in questions:
            continue
        try:
            check_error(reply)
            if run.roster.learn(node, reply) != name:
                raise ReplyError("its node answered for another agent")
        except ReplyError as why:
            reasons[name] = why
        else:
            found[name] = reply
    answered = {name: found[name] for name in questions if name in found}
    return answered, {name: why for name, why in reasons.items() if name not in found}
