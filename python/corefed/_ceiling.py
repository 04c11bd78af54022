"""Which ceiling? A search over one common scale of a policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from corefed import _corefed
from corefed._asked_spec import asked_spec
from corefed._columns import Columns
from corefed._corefed import one_line


def ceiling(
    spec: str | Path | Mapping[str, Any] = "hospitals",
    *,
    policy: str | None = None,
    precision: float = 0.01,
    data_dir: str | Path | None = None,
    **overrides: Any,
) -> CeilingSearch:
    """Find where agents can be served together, are stable, and have nothing left to ask.

    Whether everybody can be served is proven for every scale. Stability and emptiness are certified
    at the scales tried, and proven from some scale on; between scales nothing is assumed.

    Parameters
    ----------
    spec
        A preset, a file ending in ``.toml``, or the spec itself as a dictionary.
    policy
        What the scale multiplies: ``initial``, ``constant``, ``pooled-constant``, ``baseline``,
        ``alone``, ``worst``, a CSV file of ceilings, or ``number`` for one ceiling for everybody.
        That of the spec unless told.
    precision
        Brackets are narrowed to this share of themselves, in [1e-6, 1).
    data_dir
        As for :func:`run`.
    **overrides
        Keys of the spec, with two underscores for a dot: ``held_out=0.3``.

    Examples
    --------
    >>> found = ceiling("hospitals", policy="pooled-constant")
    >>> found.recommended
    'pooled-constant:1.8'
    """
    wanted, settings = asked_spec(spec, overrides)
    data = None if data_dir is None else Path(data_dir)
    text = _corefed.search_ceiling(wanted, settings, policy, precision, data, lambda _: None)
    if text is None:
        raise KeyboardInterrupt
    return CeilingSearch(json.loads(text))


class CeilingSearch:
    """What a common scale of ceilings decides; ``document`` is ``ceiling.json``."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @property
    def recommended(self) -> str | None:
        """The ceiling to use, as a spec writes it; ``None`` where none can be named."""
        found = self.document["recommended"]
        return None if found is None else found["ceiling"]

    @property
    def reason(self) -> str | None:
        """Why it is recommended, in a sentence."""
        found = self.document["recommended"]
        return None if found is None else found["reason"]

    @property
    def served_above(self) -> float:
        """Above this scale everybody can be served at once, which is proven."""
        return float(self.document["served"]["above"])

    @property
    def stable_from(self) -> float | None:
        """The core predictor is certified stable here and at every larger scale tried."""
        found: float | None = self.document["stable"]["from"]
        return found

    @property
    def empty_from(self) -> float | None:
        """No proper coalition could gain here, or at any larger scale tried, whatever it did."""
        found: float | None = self.document["empty"]["from"]
        return found

    @property
    def points(self) -> Columns:
        """One row per scale tried."""
        points = self.document["points"]
        columns: dict[str, Any] = {
            name: np.array([float(point[name]) for point in points])
            for name in ("scale", "least", "most", "headroom")
        }
        for end in ("lo", "hi"):
            columns[f"kappa_{end}"] = np.array([float(point["kappa"][end]) for point in points])
        columns["verdict"] = [point["verdict"] for point in points]
        return Columns(columns)

    def __repr__(self) -> str:
        said = f"<ceiling search over {self.document['policy']}: {self.recommended}>"
        return one_line(said)
