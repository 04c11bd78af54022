"""A client with a convex model of the user's own: a function that gives its loss and gradient."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from flwr.app import Array, ArrayRecord

from corefed import _corefed
from corefed._errors import InputError
from corefed.flower.newton import GRADIENT, HESSIAN

Vector = npt.NDArray[np.float64]
#: The mean loss over the agent's rows and its gradient, at parameters.
LossAndGradient = Callable[[Vector], tuple[float, npt.NDArray[Any]]]

#: Step of central differences, relative: the cube root of the rounding of a double.
_STEP = 6e-6


class ConvexClient:
    """A convex loss of the user's own on the rows of one agent, for exact audits.

    Nobody but the agent can compute its losses: it stands for them, and signs. That the loss is
    convex is the agent's claim; answers that fit no convex function are refused by name.

    Parameters
    ----------
    loss_and_gradient
        Called with a vector of `parameters` doubles; gives the mean loss over the agent's rows and
        its gradient (a subgradient at a kink), in double precision and without the ridge. The same
        parameters give the same numbers at any time.
    parameters
        How many there are.
    samples
        Rows of the agent.
    model
        What all agents call this model; certificates name it.
    l2
        Weight of the ridge ``(l2 / 2) |theta|^2``, which is added here.
    hessian
        Called with the same vector; gives a positive semidefinite matrix, without the ridge. It
        only proposes where to ask next. Without it, differences of gradients are used.
    cells
        Numbers that the agent owns, which its budget goes by; `samples` times `parameters` unless
        told.
    data
        Bytes that stand for its rows, such as those of its file: their salted digest is signed, and
        binds the agent to them over several audits.
    keep
        Folder of the agent's own for its key and its account, where `answer_audits` and the node's
        configuration name none.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([[1.0, 2.0], [1.0, -1.0]]), np.array([1.0, 0.0])
    >>> def pseudo_huber(theta):
    ...     off = x @ theta - y
    ...     root = np.sqrt(1 + off**2)
    ...     return float(np.mean(root - 1)), x.T @ (off / root) / len(y)
    >>> client = ConvexClient(pseudo_huber, parameters=2, samples=2, model="pseudo-huber")
    >>> round(client.loss(client.zero())["loss"], 6)
    0.207107
    """

    #: Its name is the node's: no table says it.
    name: str | None = None
    #: Nor does one say how rows become numbers.
    encoding: str | None = None

    def __init__(
        self,
        loss_and_gradient: LossAndGradient,
        *,
        parameters: int,
        samples: int,
        model: str = "own model",
        l2: float = 0.0,
        hessian: Callable[[Vector], npt.NDArray[Any]] | None = None,
        cells: int | None = None,
        data: bytes = b"",
        keep: str | Path | None = None,
    ) -> None:
        for field, value in (("parameters", parameters), ("samples", samples)):
            if value < 1:
                raise InputError(f"`{field}` is {value}; expected at least 1", field=field)
        if not (np.isfinite(l2) and l2 >= 0):
            raise InputError(f"`l2` is {l2}; expected a number that is not negative", field="l2")
        if not model.strip():
            raise InputError(
                "`model` is blank; all agents call their model the same", field="model"
            )
        self.model, self.l2, self.parameters = model, float(l2), int(parameters)
        self.samples = int(samples)
        self.cells = self.samples * self.parameters if cells is None else int(cells)
        self._function, self._own_hessian, self._data = loss_and_gradient, hessian, bytes(data)
        self._keep = keep
        self._agent = _corefed.OwnAgent(
            self.model,
            self._evaluate,
            self._hessian,
            self.parameters,
            self.l2,
            self.samples,
            self.cells,
        )

    @property
    def beside(self) -> Path:
        """Where the agent's key lies unless it is told otherwise."""
        if self._keep is None:
            raise InputError(
                "no folder is named for the agent's key and account",
                field="keep",
                hint="pass `keep=` to `ConvexClient`, or `keep` in the node's configuration",
            )
        return Path(self._keep)

    def zero(self) -> ArrayRecord:
        """The model before the first round: zeros."""
        return ArrayRecord({"parameters": Array(np.zeros(self.parameters))})

    def loss(self, arrays: ArrayRecord) -> dict[str, float]:
        """Loss, ridge included, and number of rows, for :func:`report_loss`."""
        loss, _ = self._evaluate(self._flat(arrays))
        return {"loss": loss, "num-examples": self.samples}

    def derivatives(self, arrays: ArrayRecord) -> ArrayRecord:
        """Gradient and Hessian of the loss, for :class:`Newton`."""
        at = self._flat(arrays)
        gradient = self._evaluate(at)[1]
        return ArrayRecord({GRADIENT: Array(gradient), HESSIAN: Array(self._hessian(at))})

    def step(self, arrays: ArrayRecord, rate: float) -> ArrayRecord:
        """The model after one step against the gradient, in the parts that it came in."""
        at = self._flat(arrays)
        moved, place, after = at - rate * self._evaluate(at)[1], 0, {}
        for name, array in arrays.items():
            part = array.numpy()
            new = moved[place : place + part.size].reshape(part.shape).astype(part.dtype)
            after[name], place = Array(new), place + part.size
        return ArrayRecord(after)

    def answer(self, question: dict[str, Any]) -> tuple[Any, ...]:
        """Losses and derivatives at points, for :func:`answer_audits`."""
        return self._agent.answer(question)

    def declare(self, policy: str, radius: float) -> list[float]:
        """What ceilings by a policy go by, for :func:`answer_audits`: of ``alone:F``, one loss."""
        return self._agent.declare(policy, radius)

    def attest(self, certificate: str, key: str | Path) -> str:
        """Check a certificate and its own answers in it, and sign those with a key in a file."""
        return self._agent.attest(certificate, str(key), self._data)

    def _evaluate(self, at: Vector) -> tuple[float, Vector]:
        """Loss and gradient with the ridge, or why they cannot be used."""
        found = self._function(at.copy())
        try:
            loss, gradient = np.asarray(found[0]), np.asarray(found[1])
        except (TypeError, IndexError, KeyError) as why:
            raise _bad(f"gives {type(found).__name__}, not a loss and a gradient") from why
        if loss.size != 1 or gradient.shape != (self.parameters,):
            raise _bad(
                f"gives a loss of shape {loss.shape} and a gradient of shape {gradient.shape}; "
                f"the model has {self.parameters} parameters"
            )
        if np.float32 in (loss.dtype, gradient.dtype):
            raise _bad("computes in single precision, which proves nothing", "use float64")
        if not (np.isfinite(loss).all() and np.isfinite(gradient).all()):
            raise _bad(f"gives a number that is not finite at {np.array2string(at, threshold=8)}")
        ridge = self.l2 * at
        total = float(loss.reshape(-1)[0]) + float(ridge @ at) / 2
        return total, gradient.astype(np.float64) + ridge

    def _hessian(self, at: Vector) -> Vector:
        """The Hessian with the ridge: the user's, or by central differences of gradients."""
        if self._own_hessian is not None:
            found = np.asarray(self._own_hessian(at.copy()), dtype=np.float64)
            if found.shape != (self.parameters, self.parameters):
                raise InputError(
                    f"`hessian` gives a matrix of shape {found.shape}; the model has "
                    f"{self.parameters} parameters",
                    field="hessian",
                )
            return np.ascontiguousarray(found + self.l2 * np.eye(self.parameters))
        rows = []
        for k in range(self.parameters):
            away = np.zeros(self.parameters)
            away[k] = _STEP * max(1.0, abs(at[k]))
            ahead, behind = self._evaluate(at + away)[1], self._evaluate(at - away)[1]
            rows.append((ahead - behind) / (2 * away[k]))
        found = np.array(rows)
        # Rounding, and kinks between two gradients, may bend it the wrong way.
        values, vectors = np.linalg.eigh((found + found.T) / 2)
        return np.ascontiguousarray((vectors * np.clip(values, 0.0, None)) @ vectors.T)

    def _flat(self, arrays: ArrayRecord) -> Vector:
        parts = [array.numpy().reshape(-1) for array in arrays.values()]
        flat = np.concatenate(parts).astype(np.float64)
        if flat.size != self.parameters:
            raise InputError(
                f"the model has {flat.size} numbers; `parameters` is {self.parameters}",
                field="parameters",
            )
        return flat


def _bad(why: str, hint: str | None = None) -> InputError:
    return InputError(f"`loss_and_gradient` {why}", field="loss_and_gradient", hint=hint)
