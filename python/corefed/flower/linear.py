"""A client with a table and a linear model, computed by the engine's own code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from flwr.app import Array, ArrayRecord, ConfigRecord

from corefed import _corefed
from corefed._errors import InputError
from corefed._rules import RULES
from corefed.flower.correction import Correction
from corefed.flower.layout import Layout
from corefed.flower.newton import GRADIENT, HESSIAN
from corefed.flower.protocol import CEILING, FLOOR, INDEX, ROUND, RULE


class LinearClient:
    """Least squares, logistic or softmax regression on the rows of one agent.

    Parameters
    ----------
    table
        CSV or Parquet; a column names the agent, and is the same in all rows.
    encoding
        File that says how columns become numbers, agreed by all agents: what
        :meth:`agree` wrote, or ``predictor.encoding`` of ``corefed solve --json``.
    model
        ``linear``, ``logistic`` or ``softmax``.
    l2
        Weight of the ridge in the loss.
    """

    def __init__(
        self, table: str | Path, encoding: str | Path, model: str = "logistic", l2: float = 0.0
    ) -> None:
        self.model, self.l2 = model, float(l2)
        self.encoding = Path(encoding).read_text()
        self._agent = _corefed.LinearAgent(str(table), self.encoding, model, l2)
        classes = len(json.loads(self.encoding)["classes"])
        self._layout = Layout(model, classes, self._agent.dim)
        #: Where an agent's key lies unless it is told otherwise.
        self.beside = Path(table).with_suffix(".corefed")

    @staticmethod
    def agree(
        table: str | Path,
        agent: str,
        target: str,
        out: str | Path,
        model: str = "logistic",
        exposure: str | None = None,
    ) -> None:
        """Write the encoding of a table: names, levels and scales, no rows."""
        text = _corefed.fit_encoding(str(table), agent, target, model, 0.0, False, exposure)
        Path(out).write_text(text + "\n")

    @property
    def name(self) -> str:
        """The agent, as its table names it."""
        name: str = self._agent.name
        return name

    @property
    def samples(self) -> int:
        """Rows of the table."""
        samples: int = self._agent.samples
        return samples

    @property
    def cells(self) -> int:
        """Numbers in the table: rows times columns that are used, the target included."""
        cells: int = self._agent.cells
        return cells

    def zero(self) -> ArrayRecord:
        """The model before the first round, as ``weight`` and ``bias`` of a linear layer."""
        return self._record(np.zeros(self._agent.dim))

    def loss(self, arrays: ArrayRecord) -> dict[str, float]:
        """Loss, accuracy and number of rows, for :func:`report_loss`."""
        loss, accuracy = self._agent.evaluate(self._flat(arrays))
        found = {"loss": loss, "num-examples": self.samples}
        return found if accuracy is None else found | {"accuracy": accuracy}

    def train(
        self,
        arrays: ArrayRecord,
        config: ConfigRecord,
        *,
        epochs: int = 1,
        batch: int = 0,
        learning_rate: float = 1.0,
        momentum: float = 0.0,
        correction: Correction | None = None,
    ) -> ArrayRecord:
        """Train as the engine does: the same order of rows, the same sums.

        `config` is that of the request: it says which round it is, and under PropFair which ceiling
        counts. A `batch` of zero is all rows. With a `correction` every step is corrected; the
        reply then needs its ``answer()``.
        """
        own: dict[str, Any] = {
            "epochs": epochs,
            "batch": batch,
            "learning_rate": learning_rate,
            "momentum": momentum,
            "weight_decay": 0.0,
            "seed": int(_number(config, "seed")),
            "round": int(_number(config, ROUND)),
            "agent": int(_number(config, INDEX)),
            "log_utility": None,
            "drift": None,
        }
        rule = RULES.get(str(config.get(RULE)))
        if rule is not None and rule.ceilings == "training":
            own["log_utility"] = (_number(config, CEILING), _number(config, FLOOR))
        if correction is not None and correction.record is not None:
            own["drift"] = self._flat(correction.record)
            correction.took(self._agent.steps(epochs, batch), learning_rate, momentum)
        return self._record(self._agent.train(self._flat(arrays), own))

    def derivatives(self, arrays: ArrayRecord) -> ArrayRecord:
        """Gradient and Hessian of the loss, for :class:`Newton`."""
        _, gradient, hessian = self._agent.derivatives(self._flat(arrays))
        order = self._layout.order
        return ArrayRecord(
            {GRADIENT: Array(gradient[order]), HESSIAN: Array(hessian[np.ix_(order, order)])}
        )

    def gradient(self, arrays: ArrayRecord) -> dict[str, npt.NDArray[Any]]:
        """Gradient of the loss by parts of the model, for :func:`secure_sums`."""
        _, gradient, _ = self._agent.derivatives(self._flat(arrays))
        weight, bias = self._layout.parts(gradient)
        return {"weight": weight, "bias": bias}

    def answer(self, question: dict[str, Any]) -> tuple[Any, ...]:
        """Losses and derivatives at points of the engine's, for :func:`answer_audits`."""
        return self._agent.answer(question)

    def declare(self, policy: str, radius: float) -> list[float]:
        """What ceilings by a policy go by, as far as the rows tell, for :func:`answer_audits`."""
        return self._agent.declare(policy, radius)

    def attest(self, certificate: str, key: str | Path) -> str:
        """Check a certificate and its own answers in it, and sign those with a key in a file."""
        signed: str = self._agent.attest(certificate, str(key))
        return signed

    def _flat(self, arrays: ArrayRecord) -> npt.NDArray[Any]:
        return self._layout.engine([array.numpy() for array in arrays.values()])

    def _record(self, flat: npt.NDArray[Any]) -> ArrayRecord:
        weight, bias = self._layout.parts(flat)
        return ArrayRecord({"weight": Array(weight), "bias": Array(bias)})


def _number(config: ConfigRecord, key: str) -> float:
    """A number of a request; zero where it is not told."""
    value = config.get(key, 0)
    if not isinstance(value, int | float):
        raise InputError(f"`{key}` of the request is {value!r}, not a number", field=key)
    return value
