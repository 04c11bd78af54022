"""Federated Newton: agents send loss, gradient and Hessian; about ten rounds reach the core."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
from flwr.app import Message

from corefed import _corefed
from corefed._errors import InputError
from corefed._federation.history import Restored, Round
from corefed._federation.model import Model, Parts, norm
from corefed._federation.terms import Ceilings
from corefed._rules import DEFAULTS
from corefed.flower.common import Common
from corefed.flower.reply import NoMetricError, ReplyError, Trained, check_error, metrics
from corefed.flower.strategy import RuleStrategy

#: Arrays of a reply: derivatives of the loss by all parameters, part after part.
GRADIENT, HESSIAN = "gradient", "hessian"
#: A Hessian may be asymmetric or indefinite by this part: some agents compute in single precision.
_ROUNDING = 1e-6


class Newton(RuleStrategy):
    """The damped Newton step on log-welfare, for convex losses.

    Every agent answers with its loss (as `loss_key`), and with arrays ``gradient`` (one number per
    parameter, part after part in the order of the model) and ``hessian``. Everybody is needed in
    every round; one in which somebody is missing is left out, or ends the run, by `on_too_few`.
    `norm_cap` is about gradients; a longer one is shortened together with its Hessian. There is no
    `share_cap`: the floor bounds how hard an agent pulls by its loss.

    Parameters
    ----------
    ceilings
        See :class:`RuleStrategy`.
    radius
        Parameters stay in a ball of this radius about zero.
    floor
        The log is a line below this part of a ceiling.
    """

    rule = "newton"

    def __init__(
        self,
        *,
        ceilings: Ceilings,
        radius: float = 10.0,
        floor: float = DEFAULTS["floor"],
        **common: Unpack[Common],
    ) -> None:
        super().__init__(ceilings=ceilings, settings={"radius": radius, "floor": floor}, **common)
        self._trial: (
            tuple[npt.NDArray[Any], npt.NDArray[Any], tuple[float, float, float]] | None
        ) = None

    def _build_server(self) -> None:
        self.min_replies = len(self.terms.names)
        if self.fraction_train != 1.0:
            raise InputError(
                "Newton's method needs everybody in every round", field="fraction_train"
            )
        if self.model.dtype != np.float64 or any(
            p.dtype != np.float64 for p in self.model.floats.values()
        ):
            raise InputError("Newton's method needs a model in float64", field="initial_arrays")

    def _read_training(self, reply: Message, before: Model) -> Trained:
        check_error(reply)
        numbers = metrics(reply)
        if self.loss_key not in numbers:
            raise NoMetricError(self.loss_key, numbers)
        arrays = {
            key: array
            for record in reply.content.array_records.values()
            for key, array in record.items()
        }
        size = sum(part.size for part in before.floats.values())
        derivatives: Parts = {}
        for key, shape in ((GRADIENT, (size,)), (HESSIAN, (size, size))):
            if key not in arrays:
                raise ReplyError(f"it sent no array `{key}`, only {sorted(arrays)}")
            found = arrays[key].numpy().astype(np.float64)
            if found.shape != shape:
                raise ReplyError(f"its `{key}` has the shape {found.shape}, expected {shape}")
            if not np.isfinite(found).all():
                raise ReplyError(f"its `{key}` is not finite")
            derivatives[key] = found
        if odd := _not_convex(derivatives[HESSIAN]):
            raise ReplyError(f"its `{HESSIAN}` is {odd}: its loss is not convex")
        return Trained(float(numbers[self.loss_key]), derivatives)

    def _combine(self, current: Round, trained: dict[str, Trained]) -> Model:
        names = self.terms.names
        flat = np.concatenate([part.reshape(-1) for part in current.before.floats.values()])
        sent = {name: trained[name].update for name in names}
        lengths = {name: norm({GRADIENT: sent[name][GRADIENT]}) for name in names}
        # Together with its Hessian: the agent counts as if its weight were smaller.
        shortened = self.guards.shorten(sent, lengths)
        after, slopes, floored, self._trial = _corefed.newton_step(
            flat,
            [float(trained[name].loss or 0.0) for name in names],
            np.ascontiguousarray([sent[name][GRADIENT] for name in names]),
            np.ascontiguousarray([sent[name][HESSIAN] for name in names]),
            self.terms.weights,
            self.terms.ceilings,
            self.settings["floor"],
            self.settings["radius"],
            self._trial,
        )
        total = sum(slopes)
        current.weights = {name: slope / total for name, slope in zip(names, slopes, strict=True)}
        current.parts |= dict.fromkeys(names, "trained")
        current.acted = {"floored": [names[at] for at in floored], "clipped": shortened}
        self.guards.tell(current.number, current.acted)
        current.learning_rate = None
        moved, at = {}, 0
        for name, part in current.before.floats.items():
            moved[name] = after[at : at + part.size].reshape(part.shape)
            at += part.size
        return current.before.moved(moved)

    def _tensors(self) -> Parts:
        kept = super()._tensors()
        if self._trial is not None:
            kept |= {"newton.params": self._trial[0], "newton.direction": self._trial[1]}
        return kept

    def _state(self) -> dict[str, Any]:
        trial = None if self._trial is None else list(self._trial[2])
        return super()._state() | {"trial": trial}

    def _load(self, restored: Restored) -> None:
        if restored.state["trial"] is not None:
            tensors = restored.tensors
            scalars = tuple(restored.state["trial"])
            self._trial = (tensors["newton.params"], tensors["newton.direction"], scalars)


def _not_convex(hessian: npt.NDArray[np.float64]) -> str | None:
    """Why a matrix is the Hessian of no convex loss, rounding aside."""
    with np.errstate(over="ignore"):
        uneven = np.abs(hessian - hessian.T).max()
    if uneven > _ROUNDING * np.abs(hessian).max():
        return "not symmetric"
    # Without curvature in one direction, a convex loss has none that couples it to another.
    diagonal = np.diag(hessian)
    flat = ~(diagonal > 0)
    if (diagonal < 0).any() or hessian[flat].any():
        return "indefinite"
    try:
        np.linalg.cholesky(hessian + np.diag(np.where(flat, 1.0, _ROUNDING * diagonal)))
    except np.linalg.LinAlgError:
        return "indefinite"
    return None
