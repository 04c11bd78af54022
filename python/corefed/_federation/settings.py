"""Settings of a run as the text of its folder, so that a resume can compare them."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from corefed._corefed import one_line
from corefed._errors import InputError

#: Settings that say what a run is: agents have agreed on them, or promises rest on them.
_FIXED = frozenset(
    [
        "rule",
        "agents",
        "seed",
        "ceilings",
        "ceiling_spread",
        "rows_spread",
        "weights",
        "average",
        "correction",
        "search",
        "secure",
        "privacy",
    ]
)

#: Settings that older folders do not know: nothing is compared with what is not there.
_LATER = frozenset(["rows_spread", "loss_factor"])


def settings_text(values: dict[str, Any], framework: str) -> str:
    """Settings as the text of `spec.toml`."""
    lines = [
        f"# Settings of a run of `corefed.{framework}`; what clients do is the user's own program."
    ]
    lines += [
        f"[{framework}]",
        *(f"{key} = {_toml(value)}" for key, value in sorted(values.items())),
    ]
    return "\n".join(lines) + "\n"


def settings(text: str) -> dict[str, Any]:
    """Settings by key, the number of rounds aside."""
    found = tomllib.loads(text).get("flower", {})
    # Folders that are older than this key do not say what they were trained with.
    found.setdefault("train_config", "{}")
    return {key: value for key, value in found.items() if key != "rounds"}


class Change(NamedTuple):
    """A setting that is not what it was; ``None`` where it is or was absent."""

    key: str
    then: str | None
    now: str | None

    @property
    def fixed(self) -> bool:
        """Whether it says what the run is, which cannot change on the way."""
        return self.key in _FIXED

    def __str__(self) -> str:
        """Tell what it was and is."""
        return f"{self.key}: {self.then} then, {self.now} now"


def changes(old: str, new: str) -> list[Change]:
    """What differs between two such texts."""
    before, now = _flat(settings(old)), _flat(settings(new))
    known = {*before, *now} - (_LATER - before.keys())
    keys = [key for key in sorted(known) if before.get(key) != now.get(key)]
    return [Change(key, before.get(key), now.get(key)) for key in keys]


def check_changes(path: Path, differ: list[Change], allowed: bool) -> None:
    """Refuse changes that were not asked for, or that would make another run of it."""
    fixed = next((change.key for change in differ if change.fixed), None)
    if fixed is None and allowed:
        return
    other = "name another folder"
    if fixed is None:
        other += ", or pass changed_spec=True, which summary and report will say"
    elif allowed:
        other += f": `{fixed}` says what the run is, and cannot change on the way"
    told = "\n".join(f"  {one_line(str(change))}" for change in differ)
    raise InputError(
        f"`{one_line(str(path))}` was started with other settings:\n{told}",
        field="run",
        hint=f"use the same settings to continue with it, or {other}",
        lines=True,
    )


def _flat(found: dict[str, Any]) -> dict[str, str]:
    """Settings as text; what clients are told, key by key."""
    told = json.loads(found["train_config"])
    rest = {key: str(value) for key, value in found.items() if key != "train_config"}
    return rest | {f"train_config.{key}": json.dumps(value) for key, value in told.items()}


def _toml(value: Any) -> str:
    """Values that JSON and TOML write alike; tables are JSON text."""
    if isinstance(value, dict) or value is None:
        # What JSON cannot say, such as bytes, is compared by what Python writes.
        value = json.dumps(value, sort_keys=True, default=repr)
    elif isinstance(value, float) and not math.isfinite(value):
        value = str(value)
    # TOML has no surrogates, by which JSON could write characters beyond the basic plane.
    return json.dumps(value, ensure_ascii=False)
