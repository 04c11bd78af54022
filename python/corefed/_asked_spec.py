"""Which spec is meant: a preset, a file, a table with its columns explained, or a dictionary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corefed import _corefed
from corefed._errors import InputError


def asked_spec(
    spec: str | Path | Mapping[str, Any], overrides: Mapping[str, Any]
) -> tuple[Any, list[tuple[str, str]]]:
    """Say which spec is meant, and what is changed about it, as the engine takes both."""
    settings = [(key.replace("__", "."), _setting(value)) for key, value in overrides.items()]
    if isinstance(spec, Mapping):
        text = _corefed.spec_text(json.dumps(spec, default=str))
        return (str(spec.get("name", "run")), text), settings
    if isinstance(spec, (str, Path)) and str(spec).endswith(_TABLES):
        data = Path(spec)
        _explained(data, overrides)
        text = _corefed.spec_text(json.dumps({"data": str(data), **_keys(overrides)}, default=str))
        return (data.name.split(".", 1)[0], text), []
    return str(spec), settings


#: A table may be named instead of a spec: its columns are then keys, ``agent=``, ``target=``.
_TABLES = (".csv", ".csv.gz", ".csv.zst", ".tsv", ".parquet")


def _explained(table: Path, overrides: Mapping[str, Any]) -> None:
    """Refuse a table whose columns nobody explains; a partition takes the place of owners."""
    said = {"agent"} if any(key.startswith("partition") for key in overrides) else set()
    missing = [key for key in ("agent", "target", "model") if key not in {*overrides, *said}]
    if missing:
        raise InputError(
            f"what do the columns of `{table}` mean? {', '.join(f'`{key}=`' for key in missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing",
            field=missing[0],
            hint='such as `agent="hospital", target="disease", model="logistic"`',
        )


def _keys(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Overrides as the tables of a spec."""
    tables: dict[str, Any] = {}
    for key, value in overrides.items():
        *path, last = key.split("__")
        place = tables
        for name in path:
            place = place.setdefault(name, {})
        place[last] = value
    return tables


def _setting(value: Any) -> str:
    """A value of the spec, as a user of the command writes it."""
    if isinstance(value, (list, tuple, bool)):
        return json.dumps(value)
    return str(value)
