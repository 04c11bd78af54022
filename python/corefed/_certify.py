"""Exact audits of convex predictors on data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from corefed._agents import Roster
from corefed._certificate import Certificate
from corefed._data import Data, read
from corefed._errors import CorefedError, InputError
from corefed._families import family_named
from corefed._linear import check_meaning, linear
from corefed._owners import apart, chosen
from corefed._verdict import Verdict
from corefed._verdict_document import from_audit


def certify(
    model: Any,
    X: Any,
    y: Any,
    agents: Any = None,
    *,
    family: str | None = None,
    ceiling: Any = "initial:1.5",
    radius: float = 10.0,
    l2: float = 0.0,
    weights: Any = None,
    tolerance: float = 1e-2,
    time_limit: float = 60.0,
    sample_weight: Any = None,
    exposure: Any = None,
    groups: Any = None,
) -> Verdict:
    """Ask whether a fitted linear predictor is in the core of these agents.

    The audit is against *every* predictor of the same family in a ball about zero. Losses are those
    of the family (squared error, cross-entropy, half the Poisson deviance), averaged over an
    agent's rows, plus ``(l2/2) |parameters|^2``. The verdict carries a certificate that
    :func:`verify` checks.

    Parameters
    ----------
    model
        Anything fitted with ``coef_`` and ``intercept_`` (and ``classes_`` for classifiers), such
        as scikit-learn's linear models, also inside a pipeline or a search, or a pair of arrays
        ``(coef, intercept)``; an intercept of ``None`` means that predictors have none. In a
        pipeline the audit is in the coordinates of its last step.
    X, y
        Rows and targets; numbers are taken as they are. A sparse `X` is made dense.
    agents
        Whose each row is, or the name of that column where `X` is a DataFrame.
    family
        The loss, by its name in ``corefed solve --model``. Unless told it is found out, and a model
        is refused by name whose predictions are not those of its coefficients: support vector
        machines, say, which were trained for a hinge loss.
    ceiling
        The loss at which an agent gets nothing: a number, ``initial:F`` (F times the zero
        predictor's loss), ``constant:F`` (F times the best constant's), ``pooled-constant:F`` (F
        times the agent's loss under the best constant for everybody together), ``alone:F`` (F times
        the loss of the agent's own model on these rows; F must be above one), ``worst`` (the
        provable worst in the ball), or numbers per agent.
    radius
        Radius of the ball that parameters and rivals lie in.
    l2
        Ridge, part of every agent's loss.
    weights
        The say of each agent: a list in order of first appearance, a dictionary, or ``samples``.
    tolerance
        Gains up to this do not count in the status, in (0, 0.1]. A model that was trained is near
        an optimum, not at one.
    time_limit
        Seconds to search before answering with an interval.
    sample_weight
        How much each row counts in its agent's mean loss; all the same unless told.
    exposure
        For how long, or how many, each row was observed; one unless told. For models of counts.
    groups
        Another name for `agents`.
    """
    X, owners = apart(X, chosen(agents, groups, needed=True))
    found = linear(model, X, y, family)
    data = read(
        found.X,
        y,
        owners,
        found.family,
        intercept=found.intercept is not None,
        classes=found.classes,
        sample_weight=sample_weight,
        exposure=exposure,
    )
    parameters = _flat(found.coef, found.intercept, found.family, data)
    check_meaning(found)
    if not 0.0 < tolerance <= 0.1:
        raise InputError(f"`tolerance` is `{tolerance}`; it must be in (0, 0.1]", field="tolerance")
    terms = terms_of(data, l2, radius, weights, ceiling)
    return audited(data, parameters, terms, tolerance, time_limit)


def audited(
    data: Data,
    parameters: npt.NDArray[np.float64],
    terms: dict[str, Any],
    tolerance: float,
    time_limit: float,
) -> Verdict:
    """Audit parameters on data."""
    try:
        summary, certificate = data.rows.certify(
            parameters.tolist(), terms, float(tolerance), float(time_limit)
        )
    except CorefedError as error:
        raise data.named(error) from None
    found = json.loads(summary)
    verdict = from_audit(found, certificate=Certificate(certificate), names=data.agents)
    return replace(verdict, rival=_parameters(verdict.rival))


def _parameters(rival: Any) -> npt.NDArray[np.float64] | None:
    """Parameters by name, or by class and name, as an array in their order."""
    if rival is None:
        return None
    values = rival.values()
    blocks = values if any(isinstance(value, dict) for value in values) else [rival]
    return np.array([number for block in blocks for number in block.values()])


def terms_of(data: Data, l2: float, radius: float, weights: Any, ceiling: Any) -> dict[str, Any]:
    """Weights, ceilings and the ball of parameters."""
    roster = Roster(data.agents)
    if isinstance(weights, str):
        if weights not in ("equal", "samples"):
            raise InputError(f"`weights` is `{weights}`", field="weights")
        weights = data.samples if weights == "samples" else None
    if isinstance(ceiling, (int, float, np.number)) and not isinstance(ceiling, bool):
        ceiling = repr(float(ceiling))
    elif not isinstance(ceiling, str):
        ceiling = roster.numbers(ceiling, "ceiling")
    return {
        "l2": float(l2),
        "radius": float(radius),
        "weights": roster.numbers(weights, "weights", 1.0),
        "ceiling": ceiling,
    }


def _flat(
    coef: npt.NDArray[np.float64], intercept: Any, family: str, data: Data
) -> npt.NDArray[np.float64]:
    """Parameters in the order of the encoding: block by block, the intercept last."""
    blocks = family_named(family).blocks(0 if data.classes is None else len(data.classes))
    columns = len(data.features)
    if coef.size != blocks * columns:
        raise InputError(
            f"the model has {coef.size} coefficients where {blocks} times {columns} belong",
            field="model",
        )
    table = coef.reshape(blocks, columns)
    if intercept is None:
        return table.reshape(-1)
    lifts = np.asarray(intercept, dtype=np.float64).reshape(-1)
    if len(lifts) not in (1, blocks):
        raise InputError(f"the model has {len(lifts)} intercepts", field="model")
    return np.column_stack([table, np.broadcast_to(lifts, blocks)]).reshape(-1)
