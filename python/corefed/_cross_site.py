"""An audit of FLARE's cross-site evaluation, as FLARE writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from corefed import _corefed
from corefed._agents import Roster
from corefed._audit import audit
from corefed._errors import InputError
from corefed._verdict import Verdict


def audit_cross_site(
    file: str | Path,
    incumbent: str,
    *,
    metric: str | None = None,
    ceilings: Any = None,
    weights: Any = None,
    tolerance: float = 0.0,
) -> Verdict:
    """Ask whether some sites would leave a model, by FLARE's ``cross_val_results.json``.

    Every other model in the file is a rival: those that sites submitted, and further ones of the
    server. ``corefed audit`` reads the same file.

    Parameters
    ----------
    file
        ``{site: {model: {metric: number}}}``, as FLARE writes it.
    incumbent
        The model that is judged, such as ``SRV_server``.
    metric
        Which number counts; not needed where there is one.
    ceilings
        The loss at which a site gets nothing, where the metric is a loss: one for all, or a
        dictionary by site. Without it, more of the metric is better, which its name has to say
        unless `metric` names it.
    weights
        The say of each site, in the order of their names or a dictionary; equal unless told.
    tolerance
        Gains up to this do not count in the status.
    """
    _, sites, models, numbers = _corefed.cross_site(Path(file), metric, ceilings is not None)
    if incumbent not in models:
        listed = ", ".join(f"`{model}`" for model in models)
        raise InputError(
            f"`{file}` has no model `{incumbent}`; it has {listed}",
            field="incumbent",
        )
    table = np.array(numbers)
    if ceilings is not None:
        table = np.array(Roster(sites).numbers(ceilings, "ceilings")) - table
    rows = dict(zip(models, table, strict=True))
    now = dict(zip(sites, rows.pop(incumbent), strict=True))
    return audit(now, rows, weights, tolerance=tolerance)
