"""Sizes and settings that all peers share; needs no package, so that a missing one can be named."""

from dataclasses import dataclass

EXPECTED, TOLERANCE = 0.884, 0.007


@dataclass(frozen=True)
class Workload:
    """The federation and its local training."""

    seed: int
    rounds: int = 100
    clients: int = 1000
    cohort: int = 10
    batch: int = 10
    rate: float = 0.03
