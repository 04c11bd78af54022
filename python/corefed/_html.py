"""Small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from corefed._corefed import one_line


def text(value: Any) -> str:
    """A cell, floats with six digits."""
    return f"{value:.6g}" if isinstance(value, float) else one_line(str(value))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with everything escaped."""
    titles = "".join(f"<th>{escape(one_line(title))}</th>" for title in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(text(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def paragraph(words: str) -> str:
    """A paragraph with everything escaped."""
    return f"<p>{escape(one_line(words))}</p>"
