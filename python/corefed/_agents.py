"""Agents by name: numbers per agent come as lists, dictionaries or one for all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from corefed._errors import CorefedError, InputError


class Roster:
    """The agents of a federation in a fixed order."""

    def __init__(self, agents: int | Iterable[Hashable]) -> None:
        if isinstance(agents, (int, np.integer)):
            agents = range(int(agents))
        self.names: list[Any] = list(agents)
        self.index: dict[Any, int] = {}
        for at, name in enumerate(self.names):
            if name in self.index:
                raise InputError(
                    f"two agents are called {name!r}",
                    agent=name,
                    field="agents",
                    hint="every agent needs a name of its own",
                )
            self.index[name] = at
        if not self.names:
            raise InputError("a federation needs at least one agent", field="agents")

    def __len__(self) -> int:
        """How many agents there are."""
        return len(self.names)

    def numbers(self, values: Any, field: str, default: float | None = None) -> list[float]:
        """One number per agent."""
        if values is None:
            if default is None:
                raise InputError(f"`{field}` is needed", field=field)
            return [default] * len(self)
        if isinstance(values, Mapping):
            missing = [name for name in self.names if name not in values]
            if missing:
                raise InputError(
                    f"`{field}` has nothing for agent {missing[0]!r}", agent=missing[0], field=field
                )
            strangers = [name for name in values if name not in self.index]
            if strangers:
                raise InputError(
                    f"`{field}` names {strangers[0]!r}, which is not an agent",
                    agent=strangers[0],
                    field=field,
                )
            values = [values[name] for name in self.names]
        array = as_floats(values, field)
        if array.ndim == 0:
            array = np.full(len(self), float(array))
        if array.shape != (len(self),):
            raise InputError(
                f"`{field}` has the shape {array.shape}; there are {len(self)} agents", field=field
            )
        numbers: list[float] = array.tolist()
        return numbers

    def name(self, index: int) -> Any:
        """The name under which the caller knows an agent."""
        return self.names[index]

    @contextmanager
    def named(self, known: Mapping[int, Any] | None = None) -> Any:
        """Let errors speak of agents by name; `known` are other numbers than those in order."""
        try:
            yield
        except CorefedError as error:
            if isinstance(error.agent, int):
                names = dict(enumerate(self.names)) if known is None else known
                error.agent = names.get(error.agent, error.agent)
            raise


def as_floats(values: Any, field: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """An array of numbers, or an error that says which argument is none."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"`{field}` is not made of numbers: {error}", field=field) from None
