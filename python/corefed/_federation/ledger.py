"""Lines of JSON in a run folder: replaced whole, listed in its digests, blamed when damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from corefed._errors import RunError
from corefed._reading import reading

if TYPE_CHECKING:
    from corefed._federation.history import History

Row = dict[str, Any]


class Ledger:
    """One file of a run folder; only in memory where a run has none."""

    def __init__(self, history: History | None, name: str) -> None:
        self._history, self.name = history, name
        #: Whether the last line was cut off in the middle, and is not among the rows.
        self.torn = False
        self.rows = self._read()

    def append(self, row: Row) -> None:
        """Add a line. It is on the disk when this returns."""
        self.keep([*self.rows, row])

    def keep(self, rows: list[Row]) -> None:
        """Have these lines and no others."""
        text = "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)
        if self._history is not None:
            self._history.write(self.name, text)
        self.rows = rows

    def damaged(self, why: str, hint: str | None = None) -> RunError:
        """What to raise about a line that cannot be."""
        path = None if self._history is None else self._history.path
        told = self.name if path is None else path / self.name
        return RunError(f"`{told}` is damaged: {why}", field="run_dir", hint=hint)

    def _read(self) -> list[Row]:
        folder = None if self._history is None else self._history.path
        path = None if folder is None else folder / self.name
        if path is None or not path.exists():
            return []
        rows: list[Row] = []
        with reading(path):
            lines = path.read_bytes().split(b"\n")
            # Whole files end with a line break.
            last = lines.pop()
            for number, line in enumerate(lines, 1):
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise ValueError(f"line {number} is not an object")
                rows.append(row)
        self.torn = last != b""
        return rows
