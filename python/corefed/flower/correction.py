"""The client's side of drift correction: one line in a training loop, and one in its reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from flwr.app import ArrayRecord, ConfigRecord, Message

from corefed._errors import InputError
from corefed.flower.protocol import DRIFT, MOMENTUM, PARTS, RATE, STEPS, WALK


class Correction:
    """What an agent adds to its gradients so that many local steps do not lead it astray.

    The server knows it from earlier updates and sends it with the model; the agent keeps nothing
    between rounds. Where the server does not correct, nothing is added and nothing answered. An app
    that uses it says so: ``report_loss(loss, corrects=True)``.

    Parameters
    ----------
    message
        The request to train.

    Examples
    --------
    In a loop of PyTorch, between ``backward`` and ``step`` and in the reply::

        correction = Correction(message)
        for x, y in batches:
            optimiser.zero_grad()
            loss(net(x), y).backward()
            correction.add_to(net)
            optimiser.step()
        content = {"arrays": ArrayRecord(net.state_dict()), **correction.answer(optimiser)}
        return Message(RecordDict(content), reply_to=message)

    With NumPy ``correction.add_to({"weight": g, "bias": b})`` changes gradients in place, and
    ``correction.answer(rate=0.1)`` says how steps were made of them.
    """

    def __init__(self, message: Message) -> None:
        #: What is added, by part of the model; ``None`` where the server does not correct.
        self.record: ArrayRecord | None = message.content.array_records.get(DRIFT)
        #: The same by the names that were asked for, in the kind of the gradients.
        self._drifts: dict[str, Any] = {}
        self._walk: dict[str, Any] = {STEPS: 0}

    def add_to(self, gradients: Any) -> None:
        """Correct the gradients of one step; to be called once before each.

        Parameters
        ----------
        gradients
            A PyTorch module after ``backward``, or a mapping from names of the model's parts to
            arrays or to parameters of PyTorch. Names are those of the model that the server sent.
        """
        self._walk[STEPS] += 1
        if self.record is None:
            return
        for name, value in _named(gradients):
            if isinstance(value, np.ndarray):
                value += self._drift(name, np.asarray)
            elif value.requires_grad:
                drift = self._drift(name, value.data.new_tensor)
                # Without a gradient the optimiser would skip it; it is zero.
                value.grad = drift.clone() if value.grad is None else value.grad.add_(drift)

    def answer(
        self, optimiser: Any = None, *, rate: float | None = None, momentum: float = 0.0
    ) -> dict[str, ConfigRecord]:
        """Give the record by which the server learns; to be added to the reply.

        Parameters
        ----------
        optimiser
            PyTorch's ``SGD``, which knows both numbers below.
        rate, momentum
            Size of the steps, and their heavy-ball momentum, which begins at rest in every round.
        """
        if self.record is None:
            return {}
        if optimiser is not None:
            rate, momentum = _of_sgd(optimiser)
        walk = dict(self._walk)
        if RATE not in walk:
            if rate is None:
                raise InputError(
                    "the answer needs the size of the steps",
                    field="rate",
                    hint="pass the optimiser, or `rate=` and `momentum=`",
                )
            walk |= {RATE: float(rate), MOMENTUM: float(momentum), PARTS: sorted(self._drifts)}
        return {WALK: ConfigRecord(walk)}

    def took(self, steps: int, rate: float, momentum: float) -> None:
        """Tell of steps that were corrected elsewhere, in all parts of the model."""
        parts = [] if self.record is None else sorted(self.record)
        self._walk = {STEPS: steps, RATE: rate, MOMENTUM: momentum, PARTS: parts}

    def _drift(self, name: str, kind: Callable[[npt.NDArray[Any]], Any]) -> Any:
        known = self.record or ArrayRecord()
        if name not in known:
            raise InputError(
                f"there is no part `{name}` in what the server sent, only {sorted(known)}",
                field="gradients",
                hint="names are those of the model that travels: pass a mapping by those names",
            )
        if name not in self._drifts:
            self._drifts[name] = kind(known[name].numpy())
        return self._drifts[name]


def _named(gradients: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(gradients, Mapping):
        return gradients.items()
    if hasattr(gradients, "named_parameters"):
        found: Iterable[tuple[str, Any]] = gradients.named_parameters()
        return found
    raise InputError(
        f"`gradients` is a {type(gradients).__name__}; expected a module of PyTorch or a mapping",
        field="gradients",
    )


def _of_sgd(optimiser: Any) -> tuple[float, float]:
    """Rate and momentum of plain steps; others lead elsewhere than the server would think."""
    kinds = {
        (g.get("lr"), g.get("momentum"), g.get("dampening"), g.get("nesterov"))
        for g in optimiser.param_groups
    }
    rate, momentum, dampening, nesterov = next(iter(kinds))
    if len(kinds) != 1 or momentum is None or (momentum and dampening) or nesterov:
        raise InputError(
            f"drift can be corrected in steps of SGD with one rate, not in those of {optimiser!r}",
            field="optimiser",
            hint="use SGD without dampening or Nesterov, or `correction='none'` at the server",
        )
    return float(rate), float(momentum)
