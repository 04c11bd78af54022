"""What an agent keeps of its own part in secure sums: nobody else has it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from corefed._errors import InputError
from corefed._html import paragraph, table
from corefed._writing import append_line, private_folder, replace_text

#: Columns of the table, in this order.
COLUMNS = (
    "round",
    "agents",
    "loss",
    "utility",
    "average",
    "pull",
    "update_norm",
    "floored",
    "clipped",
)
_ENDING = ".history.jsonl"


class OwnHistory:
    """The agent's rounds in one session, a line each, and a line for every seal it opened."""

    def __init__(self, folder: str | Path, session: str) -> None:
        self._path = Path(folder) / f"{session}{_ENDING}"

    def sealed(self, ticket: int, told: dict[str, Any]) -> None:
        """Note a message that was sealed."""
        self._append({"ticket": ticket, **told})

    def opened(self, ticket: int) -> None:
        """Note that it was opened."""
        self._append({"opened": ticket})

    def rounds(self) -> list[dict[str, Any]]:
        """Rounds whose messages were opened, the last of each."""
        return _rounds(self._path)

    def average(self, before: int) -> float | None:
        """The averaged utility after the last round before this one, if there is any."""
        known = [row["average"] for row in self.rounds() if row["round"] < before]
        return float(known[-1]) if known else None

    def _append(self, line: dict[str, Any]) -> None:
        private_folder(self._path.parent)
        append_line(self._path, json.dumps(line), private=True)


def _rounds(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    sealed: dict[int, dict[str, Any]] = {}
    rounds: dict[int, dict[str, Any]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            if "opened" in row:
                found = sealed.get(row["opened"])
                if found is not None:
                    rounds[found["round"]] = found
            else:
                sealed[row["ticket"]] = row
        except (ValueError, KeyError, TypeError, RecursionError) as why:
            raise InputError(f"`{path}` line {number} cannot be read: {why}") from why
    return [rounds[at] for at in sorted(rounds)]


def own_report(folder: str | Path) -> list[Path]:
    """Write a table and a page of every session of an agent's folder, beside its history.

    Examples
    --------
    `python -m corefed.flower.own_page KEEP` does the same from a shell.
    """
    folder = Path(folder)
    histories = sorted(folder.glob(f"*{_ENDING}"))
    if not histories:
        raise InputError(f"`{folder}` has no history of secure sums", field="keep")
    written: list[Path] = []
    for history in histories:
        session = history.name.removesuffix(_ENDING)
        rows = [[row[column] for column in COLUMNS] for row in _rounds(history)]
        sheet, page = folder / f"{session}.csv", folder / f"{session}.html"
        cells = io.StringIO()
        csv.writer(cells, lineterminator="\n").writerows([COLUMNS, *rows])
        replace_text(sheet, cells.getvalue(), private=True)
        words = paragraph(f"My rounds in session {session}. Nobody else has these numbers.")
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>My rounds</title>'
        whole = f"{head}<h1>My rounds</h1>{words}{table(COLUMNS, rows)}</html>\n"
        replace_text(page, whole, private=True)
        written += [sheet, page]
    return written
