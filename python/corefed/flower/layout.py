"""Parameters of a model: part after part in Flower, as one vector in the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from corefed._families import family_named

Vector = npt.NDArray[np.float64]


class OwnLayout:
    """A model of the agents' own: its numbers part after part, here and there."""

    def __init__(self, parts: list[npt.NDArray[Any]]) -> None:
        self._shapes = [part.shape for part in parts]
        self._ends = np.cumsum([part.size for part in parts])[:-1]

    def engine(self, parts: list[npt.NDArray[Any]]) -> Vector:
        """The engine's vector of the parts of a model."""
        return np.concatenate([part.reshape(-1) for part in parts]).astype(np.float64)

    def parts(self, flat: Vector) -> tuple[Vector, ...]:
        """The parts of an engine's vector."""
        pieces = zip(np.split(flat, self._ends), self._shapes, strict=True)
        return tuple(piece.reshape(shape) for piece, shape in pieces)


class Layout:
    """Flower has all weights, then all intercepts; the engine a block per class, intercept last."""

    def __init__(self, model: str, classes: int, size: int) -> None:
        self.blocks = family_named(model, "model").blocks(classes)
        self._index = np.arange(size).reshape(self.blocks, size // self.blocks)
        #: Place in the engine's vector of every number of Flower's.
        self.order = np.concatenate([self._index[:, :-1].reshape(-1), self._index[:, -1]])

    def engine(self, parts: list[npt.NDArray[Any]]) -> Vector:
        """The engine's vector of the parts of a model."""
        flat = np.empty(self.order.size)
        flat[self.order] = np.concatenate([part.reshape(-1) for part in parts])
        return flat

    def parts(self, flat: Vector) -> tuple[Vector, ...]:
        """Weights and intercepts of an engine's vector."""
        return flat[self._index[:, :-1]], flat[self._index[:, -1]]
