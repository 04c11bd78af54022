"""What a server remembers of secure sums: the session, the next ticket, and one line per round."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from corefed._federation.history import History
from corefed._federation.ledger import Ledger
from corefed._reading import reading

#: Files in the run folder.
SESSION, SUMS = "secure.json", "sums.jsonl"


@dataclass
class SumBook:
    """The session of a run; in its folder, where there is one."""

    history: History
    session: str
    keys: dict[str, bytes]
    ticket: int = 0
    sums: Ledger = field(init=False)

    def __post_init__(self) -> None:
        self.sums = Ledger(self.history, SUMS)

    @classmethod
    def begin(cls, history: History, keys: dict[str, bytes]) -> SumBook:
        """Draw a session that never was."""
        book = cls(history, secrets.token_hex(16), keys)
        book._keep()
        return book

    @classmethod
    def resume(cls, history: History, done: int) -> SumBook:
        """Take up the session of a folder after a round; later lines are forgotten."""
        assert history.path is not None, "a run that is resumed has a folder"
        path = history.path / SESSION
        with reading(path, "without it tickets could be used twice: start a new run"):
            told = json.loads(path.read_text(encoding="utf-8"))
            keys = {name: bytes.fromhex(key) for name, key in told["keys"].items()}
            book = cls(history, str(told["session"]), keys, int(told["ticket"]))
        for number, row in enumerate(book.sums.rows, 1):
            if not isinstance(row.get("round"), int):
                raise book.sums.damaged(f"line {number} does not say of which round it is")
        book.sums.keep([row for row in book.rows if row["round"] <= done])
        return book

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Lines by round."""
        return self.sums.rows

    def next_ticket(self) -> int:
        """A ticket that is written down before anybody sees it."""
        self.ticket += 1
        self._keep()
        return self.ticket

    def append(self, row: dict[str, Any]) -> None:
        """Add the line of a round, or replace it."""
        self.sums.keep([old for old in self.rows if old["round"] != row["round"]] + [row])

    def _keep(self) -> None:
        keys = {name: key.hex() for name, key in self.keys.items()}
        told = {"session": self.session, "ticket": self.ticket, "keys": keys}
        self.history.write(SESSION, json.dumps(told, indent=1) + "\n")
