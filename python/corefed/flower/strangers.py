"""Nodes that are connected and not of the federation: told once, in the log and in the folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from logging import WARNING

from corefed._federation.history import History
from corefed._federation.ledger import Ledger
from corefed.flower.logged import log

#: File in the run folder: a line for each of them.
STRANGERS = "strangers.jsonl"
#: Who connects under ever new names must not fill the disk.
_MOST = 1000


@dataclass(frozen=True)
class Stranger:
    """A node that takes no part."""

    node: int
    #: For whom it speaks; ``None`` where it does not say.
    agent: str | None = None
    #: SHA-256 of the key that it is registered with.
    key: str | None = None

    @property
    def known_by(self) -> str:
        """What tells it from others for longest: numbers of nodes are drawn anew at every start."""
        return self.key or self.agent or str(self.node)

    def __str__(self) -> str:
        told = f"node {self.node}"
        if self.key is not None:
            told = f"{told}, SHA-256 of its key {self.key}"
        return f"{told}, which does not say for whom it speaks," if self.agent is None else told


class Strangers:
    """Who was told of, in this run of the server and before."""

    def __init__(self, history: History) -> None:
        self._told = Ledger(history, STRANGERS)
        self._known = {str(row.get("known_by")) for row in self._told.rows}

    def tell(self, number: int, found: Iterable[Stranger]) -> None:
        """Name those that were not named before; `number` is the round."""
        for stranger in found:
            if stranger.known_by in self._known or len(self._known) >= _MOST:
                continue
            self._known.add(stranger.known_by)
            who = "%s" if stranger.agent is None else "agent `%s` (%s)"
            names = [str(stranger)] if stranger.agent is None else [stranger.agent, str(stranger)]
            told = f"{who} is connected and takes no part: the federation is fixed in round 0"
            log(WARNING, f"{told} (`agents=`, `gather=`)", *names)
            self._told.append(
                {
                    "round": number,
                    "agent": stranger.agent,
                    "node": str(stranger.node),
                    "key": stranger.key,
                    "known_by": stranger.known_by,
                }
            )
