"""The order of agents."""

from __future__ import annotations

import re
from collections.abc import Iterable


def in_order(names: Iterable[str]) -> list[str]:
    """Sort names as people do: `agent-9` comes before `agent-10`."""
    return sorted(names, key=lambda name: [_part(part) for part in re.split(r"(\d+)", name)])


def _part(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.isdigit() else (1, 0, text)
