"""A model by its parts, and the floating-point ones as the rules take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Parts = dict[str, npt.NDArray[Any]]


class Model:
    """Named arrays. Rules move the floating-point ones; all others stay as they are."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.floats = {
            name: part for name, part in parts.items() if np.issubdtype(part.dtype, np.floating)
        }
        types = {part.dtype for part in self.floats.values()}
        single = all(dtype.itemsize <= 4 for dtype in types)
        #: Type in which the server computes: the widest of the parts'.
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def values(self) -> Parts:
        """Floating-point parts in the type of the computation."""
        return {name: self._computed(part) for name, part in self.floats.items()}

    def moved(self, values: Parts) -> Model:
        """Take new floating-point parts, in the types of the old ones."""
        new = {name: values[name].astype(part.dtype) for name, part in self.floats.items()}
        return Model({name: new.get(name, part) for name, part in self.parts.items()})

    def difference(self, other: Model) -> str | None:
        """Say why another model is not of this one's form, if it is not."""
        if other.parts.keys() != self.parts.keys():
            odd = sorted(other.parts.keys() ^ self.parts.keys())
            return f"its model and ours differ in the parts {odd}"
        for name, part in self.parts.items():
            theirs = other.parts[name]
            if theirs.shape != part.shape:
                return f"its part `{name}` has the shape {theirs.shape}, ours {part.shape}"
            if (name in self.floats) != (name in other.floats):
                return f"its part `{name}` is of type {theirs.dtype}, ours of {part.dtype}"
        return None

    def update(self, after: Model) -> Parts:
        """What training did to this model."""
        ours, theirs = self.values(), after.floats
        return {name: theirs[name].astype(self.dtype) - ours[name] for name in ours}

    def distance(self, other: Model) -> float:
        """Euclidean distance in double precision."""
        squares = 0.0
        for name, part in self.floats.items():
            step = other.floats[name].astype(np.float64) - part.astype(np.float64)
            squares += float(np.sum(step * step))
        return float(np.sqrt(squares))

    def zero(self) -> Model:
        """The same parts, with zeros for numbers."""
        return self.moved({name: np.zeros_like(part) for name, part in self.floats.items()})

    def tensors(self, prefix: str = "") -> Parts:
        """Floating-point parts as a checkpoint holds them: float32 or float64."""
        kept = {}
        for name, part in self.floats.items():
            exact = part.dtype in (np.dtype(np.float32), np.dtype(np.float64))
            kept[prefix + name] = part if exact else part.astype(np.float32)
        return kept

    def restored(self, tensors: Parts, prefix: str = "") -> Model:
        """Give this model the floating-point parts of a checkpoint."""
        return self.moved({name: tensors[prefix + name] for name in self.floats})

    def _computed(self, part: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return part if part.dtype == self.dtype else part.astype(self.dtype)


def norm(update: Parts) -> float:
    """Euclidean norm of an update, in double precision; not finite for a bad one."""
    squares = sum(float(np.sum(np.square(part, dtype=np.float64))) for part in update.values())
    return float(np.sqrt(squares))
