"""What a server remembers of secure sums: the session, the next ticket, and one line per round."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corefed._errors import InputError
from corefed.flower.kept import replace_text

#: Files in the run folder.
SESSION, SUMS = "secure.json", "sums.jsonl"


@dataclass
class SumBook:
    """The session of a run; in its folder, where there is one."""

    folder: Path | None
    session: str
    keys: dict[str, bytes]
    ticket: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def begin(cls, folder: Path | None, keys: dict[str, bytes]) -> SumBook:
        """Draw a session that never was."""
        book = cls(folder, secrets.token_hex(16), keys)
        book._keep()
        return book

    @classmethod
    def resume(cls, folder: Path, done: int) -> SumBook:
        """Take up the session of a folder after a round; later lines are forgotten."""
        path = folder / SESSION
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            keys = {name: bytes.fromhex(key) for name, key in told["keys"].items()}
            book = cls(folder, str(told["session"]), keys, int(told["ticket"]))
        except (OSError, ValueError, KeyError, AttributeError) as why:
            raise InputError(
                f"`{path}` cannot be read: {why}",
                field="run",
                hint="without it tickets could be used twice: start a new run",
            ) from why
        sums = folder / SUMS
        lines = sums.read_text(encoding="utf-8").splitlines() if sums.exists() else []
        book.rows = [row for row in map(json.loads, lines) if row["round"] <= done]
        book._write_rows()
        return book

    def next_ticket(self) -> int:
        """A ticket that is written down before anybody sees it."""
        self.ticket += 1
        self._keep()
        return self.ticket

    def append(self, row: dict[str, Any]) -> None:
        """Add the line of a round, or replace it."""
        self.rows = [old for old in self.rows if old["round"] != row["round"]] + [row]
        self._write_rows()

    def _write_rows(self) -> None:
        if self.folder is not None:
            lines = [json.dumps(row, allow_nan=False) + "\n" for row in self.rows]
            replace_text(self.folder / SUMS, "".join(lines))

    def _keep(self) -> None:
        if self.folder is not None:
            keys = {name: key.hex() for name, key in self.keys.items()}
            told = {"session": self.session, "ticket": self.ticket, "keys": keys}
            replace_text(self.folder / SESSION, json.dumps(told, indent=1) + "\n")
