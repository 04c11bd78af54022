"""A model that was found by questions, as one more round of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from corefed._federation.history import Round
from corefed._federation.measured import Measured
from corefed.flower.layout import Layout, OwnLayout

if TYPE_CHECKING:
    from corefed.flower.run import FederatedRun


def take_model(run: FederatedRun, layout: Layout | OwnLayout, certificate: dict[str, Any]) -> None:
    """Make the predictor of a certificate the model of the run, with what agents lose with it."""
    parameters = np.array(certificate["terms"]["predictor"]["parameters"])
    parts = zip(run.model.parts.items(), layout.parts(parameters), strict=True)
    after = run.model.moved({name: new.reshape(old.shape) for (name, old), new in parts})
    if all(np.array_equal(after.parts[name], part) for name, part in run.model.parts.items()):
        return
    # The first point is the predictor.
    agents = zip(run.terms.names, certificate["attestations"], strict=True)
    measured = {
        name: Measured(own["leaves"][0]["loss"], own["samples"])
        for name, own in agents
        if own["leaves"]
    }
    current = Round(run.done + 1, run.model)
    current.after = after
    run._write(current, measured)
    run.measured = measured
