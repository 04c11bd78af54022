"""Keys by which agents were registered when they first took part: another one is told by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from logging import WARNING

from corefed._federation.history import History
from corefed._federation.order import in_order
from corefed._reading import reading
from corefed.flower.logged import log

#: File in the run folder: SHA-256 of each registered key, by agent.
KEYS = "keys.json"


class KnownKeys:
    """Digests of keys by agent, in the run folder where there is one.

    Anybody who may register keys at the SuperLink may also replace one: then somebody else speaks
    for an agent that everybody knows. The server cannot tell whether that was meant, and says so.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._known = self._read()
        self._said: set[tuple[str, str]] = set()

    def compare(self, names: Sequence[str], found: Mapping[str, str]) -> list[str]:
        """Take keys that were not known, and name agents that came with another than before."""
        ours = {name: key for name, key in found.items() if name in names}
        changed = [n for n in in_order(ours) if self._known.get(n, ours[n]) != ours[n]]
        for name in changed:
            if (name, ours[name]) not in self._said:
                self._said.add((name, ours[name]))
                told = "agent `%s` is registered with another key than when it first took part"
                keys = ours[name], self._known[name]
                log(WARNING, f"{told} (SHA-256 %s now, %s then): ask it", name, *keys)
        new = {name: key for name, key in ours.items() if name not in self._known}
        if new:
            self._known |= new
            text = json.dumps(dict(sorted(self._known.items())), indent=1) + "\n"
            self._history.write(KEYS, text)
        return changed

    def _read(self) -> dict[str, str]:
        path = None if self._history.path is None else self._history.path / KEYS
        if path is None or not path.exists():
            return {}
        with reading(path):
            found = json.loads(path.read_text(encoding="utf-8"))
            return {str(name): str(key) for name, key in found.items()}
