"""A log in which nothing that an agent or a file says can act."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from corefed._corefed import one_line

#: Takes a level, a message with `%` in it, and what goes there.
Log = Callable[..., None]


def shown(told: tuple[Any, ...]) -> tuple[Any, ...]:
    """What goes into a message: whatever is hidden in names and reasons can be seen."""
    return tuple(v if isinstance(v, int | float) else _plain(str(v)) for v in told)


def _plain(text: str) -> str:
    # JSON can name half of a character, which no other text can.
    return one_line(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def log(level: int, message: str, *told: Any) -> None:
    """Log a message under the name of this package."""
    logging.getLogger("corefed").log(level, message, *shown(told))
