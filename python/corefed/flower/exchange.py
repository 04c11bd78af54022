"""One question to many nodes, and the answers that came in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from logging import WARNING

from flwr.app import Message
from flwr.serverapp import Grid

from corefed.flower.logged import log

#: Seconds between two looks: soon at first, then rarely.
_FIRST, _LONGEST = 0.05, 1.0


class Exchange:
    """Sends messages and collects replies; one that comes after its time is told and not used."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._overdue: dict[str, str] = {}

    def __call__(
        self,
        messages: Iterable[Message],
        timeout: float,
        what: str,
        enough: Callable[[list[Message]], bool] = lambda _: False,
    ) -> list[Message]:
        """Wait until all have answered, the replies are enough, or the time is over."""
        messages = list(messages)
        if not messages:
            return []
        sent = {id_ for id_ in self._grid.push_messages(messages) if id_ is not None}
        end, pause = time.monotonic() + timeout, _FIRST
        replies: list[Message] = []
        missing = set(sent)
        while missing and not enough(replies) and time.monotonic() < end:
            arrived = list(self._grid.pull_messages(missing | self._overdue.keys()))
            for reply in arrived:
                answered = reply.metadata.reply_to_message_id
                if answered in missing:
                    missing.discard(answered)
                    replies.append(reply)
                elif question := self._overdue.pop(answered, None):
                    log(WARNING, "a reply to %s came too late and is not used", question)
            if missing:
                time.sleep(min(pause, max(0.0, end - time.monotonic())))
                pause = min(_LONGEST, 1.5 * pause)
        self._overdue |= dict.fromkeys(missing, what)
        return replies
