"""Settings of a strategy as the text of a run folder, so that a resume can compare them."""

from __future__ import annotations

import json
import math
import tomllib
from typing import Any


def settings_text(values: dict[str, Any]) -> str:
    """Settings as the text of `spec.toml`."""
    lines = [
        "# Settings of a run of `corefed.flower`; its server and client apps are the user's own."
    ]
    lines += ["[flower]", *(f"{key} = {_toml(value)}" for key, value in sorted(values.items()))]
    return "\n".join(lines) + "\n"


def settings(text: str) -> dict[str, Any]:
    """Settings by key, the number of rounds aside."""
    found = tomllib.loads(text).get("flower", {})
    # Folders that are older than this key do not say what they were trained with.
    found.setdefault("train_config", "{}")
    return {key: value for key, value in found.items() if key != "rounds"}


def changes(old: str, new: str) -> str:
    """What differs between two such texts, a line each."""
    before, now = settings(old), settings(new)
    changed = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    return "\n".join(f"  {key}: {before.get(key)} then, {now.get(key)} now" for key in changed)


def _toml(value: Any) -> str:
    """Values that JSON and TOML write alike; tables are JSON text."""
    if isinstance(value, dict) or value is None:
        # What JSON cannot say, such as bytes, is compared by what Python writes.
        value = json.dumps(value, sort_keys=True, default=repr)
    elif isinstance(value, float) and not math.isfinite(value):
        value = str(value)
    # TOML has no surrogates, by which JSON could write characters beyond the basic plane.
    return json.dumps(value, ensure_ascii=False)
