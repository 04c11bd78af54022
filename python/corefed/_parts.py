"""Models and updates of any structure as lists of contiguous arrays, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from corefed._errors import InputError

Array: TypeAlias = npt.NDArray[np.floating[Any]]
#: One array, a list of arrays, or arrays by name.
Parameters: TypeAlias = Array | Sequence[Array] | Mapping[Any, Array]

SUPPORTED = (np.dtype(np.float32), np.dtype(np.float64))


def split(value: Any) -> tuple[list[Any], list[Any]]:
    """Names and arrays of the parts of a model."""
    if isinstance(value, Mapping):
        return list(value.keys()), [np.asarray(part) for part in value.values()]
    if isinstance(value, (list, tuple)) and not all(np.isscalar(part) for part in value):
        return list(range(len(value))), [np.asarray(part) for part in value]
    return [None], [np.asarray(value)]


def copied(model: Any) -> tuple[list[Array], Callable[[], Any]]:
    """Flat copies of a model's parts, and a function that gives them the model's structure."""
    names, parts = split(model)
    dtype = parts[0].dtype if parts else SUPPORTED[0]
    for name, part in zip(names, parts, strict=True):
        if part.dtype not in SUPPORTED or part.dtype != dtype:
            raise InputError(
                f"{_called('the model', name)} is of type {part.dtype}, not {dtype}"
                if dtype in SUPPORTED
                else f"{_called('the model', name)} is of type {part.dtype}",
                field="model",
                hint="all parts must be float32, or all float64",
            )
    flat = [np.array(part, order="C", copy=True).reshape(-1) for part in parts]

    def rebuilt() -> Any:
        shaped = [new.reshape(old.shape) for new, old in zip(flat, parts, strict=True)]
        if isinstance(model, Mapping):
            return dict(zip(names, shaped, strict=True))
        return shaped if names != [None] else shaped[0]

    return flat, rebuilt


def flat_update(update: Any, model: Any, agent: Any) -> list[Array]:
    """The parts of an update in the order of the model's; copied only where memory has gaps."""
    names, wanted = split(model)
    if isinstance(model, Mapping) and isinstance(update, Mapping):
        if update.keys() != model.keys():
            odd = sorted(map(str, update.keys() ^ model.keys()))
            raise InputError(
                f"the update of agent {agent!r} and the model differ in the parts {odd}",
                agent=agent,
                field="updates",
            )
        parts = [np.asarray(update[name]) for name in names]
    else:
        _, parts = split(update)
    if len(parts) != len(wanted):
        raise InputError(
            f"the update of agent {agent!r} has {len(parts)} parts, the model {len(wanted)}",
            agent=agent,
            field="updates",
        )
    for name, part, model_part in zip(names, parts, wanted, strict=True):
        called = _called(f"the update of agent {agent!r}", name)
        if part.shape != model_part.shape:
            raise InputError(
                f"{called} has the shape {part.shape}, the model {model_part.shape}",
                agent=agent,
                field="updates",
            )
        if part.dtype != model_part.dtype:
            raise InputError(
                f"{called} is of type {part.dtype}, the model of type {model_part.dtype}",
                agent=agent,
                field="updates",
                hint=f"`update.astype(numpy.{model_part.dtype})`",
            )
    return [np.ascontiguousarray(part).reshape(-1) for part in parts]


def _called(what: str, name: Any) -> str:
    return what if name is None else f"part {name!r} of {what}"
