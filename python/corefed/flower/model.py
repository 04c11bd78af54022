"""A model as Flower sends it: a record."""

from __future__ import annotations

import numpy as np
from flwr.app import Array, ArrayRecord

from corefed._federation.model import Model


def model_of(record: ArrayRecord) -> Model:
    """Read a record."""
    return Model({name: array.numpy() for name, array in record.items()})


def record_of(model: Model) -> ArrayRecord:
    """Give the record to send."""
    return ArrayRecord({name: Array(np.asarray(part)) for name, part in model.parts.items()})
