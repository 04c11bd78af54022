"""What an agent tells of a model on its own rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """What an agent tells of a model on its own data; ``None`` where it did not."""

    loss: float
    samples: int | None = None
    accuracy: float | None = None
    held_out_loss: float | None = None
    held_out_accuracy: float | None = None
    #: Whether its app says that it can correct for drift.
    corrects: bool = False
