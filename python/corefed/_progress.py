"""Telling how far a training is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

Event = dict[str, Any]
Listener = Callable[[Event], None]


def listener(progress: bool | Listener) -> Listener:
    """Who is told: a bar, the caller's function, or nobody."""
    if callable(progress):
        return progress
    if not progress:
        return lambda event: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Lines(sys.stderr)
    return Bar(tqdm)


class Bar:
    """A bar of tqdm, in a terminal or a notebook."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def __call__(self, event: Event) -> None:
        """Move on."""
        if event["event"] == "start":
            done = event.get("resumed_after") or 0
            self._bar = self._tqdm(
                total=event["rounds"], initial=done, desc=event["rule"], unit="round"
            )
        elif self._bar is not None and event["event"] == "round" and event["round"] > 0:
            self._bar.update(1)
            self._bar.set_postfix_str(_figures(event), refresh=False)
        elif self._bar is not None and event["event"] in ("end", "interrupted"):
            self._bar.close()


class Lines:
    """A line every few seconds, for logs and where tqdm is missing."""

    def __init__(self, out: TextIO, every: float = 2.0) -> None:
        self._out = out
        self._every = every
        self._next = time.monotonic() + every
        self._rounds = 0

    def __call__(self, event: Event) -> None:
        """Say something if it is time."""
        if event["event"] == "start":
            self._rounds = event["rounds"]
        due = time.monotonic() >= self._next or event.get("round") == self._rounds
        if event["event"] == "round" and due:
            self._next = time.monotonic() + self._every
            self._out.write(f"round {event['round']} of {self._rounds}{_figures(event, ', ')}\n")
            self._out.flush()


def _figures(event: Event, before: str = "") -> str:
    said = [
        f"{name.replace('_', ' ')} {event[name]:.4f}"
        for name in ("log_welfare", "accuracy")
        if isinstance(event.get(name), float)
    ]
    return before + ", ".join(said) if said else ""
