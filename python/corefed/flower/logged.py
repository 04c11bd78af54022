"""Flower's log, in which nothing that an agent or a file says can act."""

from __future__ import annotations

from typing import Any

from flwr.supercore import log as flower_log

from corefed._federation.logged import shown


def log(level: int, message: str, *told: Any) -> None:
    """Log a message; whatever is hidden in names and reasons is shown."""
    flower_log(level, message, *shown(told))
