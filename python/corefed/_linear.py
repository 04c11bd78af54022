"""What a fitted linear model predicts with, found inside pipelines and searches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from corefed import _corefed
from corefed._errors import InputError
from corefed._families import family_named, family_of_classes, family_of_regression

#: How far probabilities may be from those of the coefficients.
_CLOSE = 1e-6

_BY_PREDICTIONS = "audit what it predicts: `corefed.audit_models({...}, X, y, agents, loss=...)`"


class Linear(NamedTuple):
    """Coefficients with their meaning."""

    coef: npt.NDArray[np.float64]
    #: ``None`` where predictors have none.
    intercept: Any
    #: ``None`` where targets are numbers.
    classes: npt.NDArray[Any] | None
    family: str
    #: Rows as the model itself sees them.
    X: Any
    #: The fitted model, where its predictions have to be those of its coefficients.
    model: Any = None


def linear(model: Any, X: Any, y: Any, family: str | None) -> Linear:
    """Read a fitted model, or a pair of arrays."""
    if isinstance(model, tuple) and len(model) == 2:
        if family is None:
            raise InputError("a pair of arrays needs `family`", field="family")
        classes = np.unique(np.asarray(y)) if family_named(family).is_class else None
        return Linear(np.asarray(model[0], dtype=np.float64), model[1], classes, family, X)
    model, X = unwrapped(model, X)
    name = type(model).__name__
    if not hasattr(model, "coef_"):
        raise InputError(
            f"`{name}` has no `coef_`: it is not a linear model, or it is not fitted",
            field="model",
            hint=f"{_BY_PREDICTIONS}; or pass a pair `(coef, intercept)`",
        )
    classes = getattr(model, "classes_", None)
    intercept = model.intercept_ if getattr(model, "fit_intercept", True) else None
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    told = family or getattr(model, "family_", None)
    if told is not None:
        asked = told
    elif classes is not None:
        asked = family_of_classes(len(classes)).name
    else:
        asked = family_of_regression(name).name
    own = model if told is None else None
    return Linear(np.asarray(coef, dtype=np.float64), intercept, classes, asked, X, own)


def check_meaning(found: Linear) -> None:
    """Refuse a model by name whose predictions are not those of its coefficients.

    It was trained for something else, and would be judged by what it does not predict. A family
    that was told is believed.
    """
    if found.model is not None and found.classes is not None:
        _check_probabilities(found.model, found)
    elif hasattr(found.model, "predict"):
        _check_means(found.model, found)


def unwrapped(model: Any, X: Any) -> tuple[Any, Any]:
    """Look through searches and pipelines: the last step, and rows as it sees them."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "steps") and hasattr(model, "named_steps"):
            X = model[:-1].transform(X) if len(model.steps) > 1 else X
            model = model.steps[-1][1]
        else:
            return model, X


def _check_probabilities(model: Any, found: Linear) -> None:
    """Refuse a classifier whose probabilities are not those of its coefficients."""
    name = type(model).__name__
    loss = getattr(model, "loss", None)
    if not hasattr(model, "predict_proba"):
        trained = f" (`loss={loss!r}`)" if isinstance(loss, str) else ""
        raise InputError(
            f"`{name}`{trained} gives no probabilities: it was not trained for the logistic loss, "
            "and would be judged by what it does not predict",
            field="model",
            hint=f"{_BY_PREDICTIONS} with `loss='zero-one'`; or insist with `family='logistic'`",
        )
    margins = _margins(found)
    if margins.shape[1] == 1:
        margins = np.column_stack([np.zeros(len(margins)), margins])
    shares = np.exp(margins - margins.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    told = np.asarray(model.predict_proba(found.X), dtype=np.float64)
    if told.shape != shares.shape or np.abs(told - shares).max() > _CLOSE:
        raise InputError(
            f"the probabilities of `{name}` are not those of a logistic model with its `coef_`",
            field="model",
            hint=f"{_BY_PREDICTIONS} with `loss='log'`",
        )


def _check_means(model: Any, found: Linear) -> None:
    """Refuse a regression whose predictions are not those of its coefficients."""
    margins, told = _margins(found)[:, 0], np.asarray(model.predict(found.X), dtype=np.float64)
    means = _corefed.family_means(found.family, np.ascontiguousarray(margins))
    if told.shape != means.shape or not np.allclose(told, means, rtol=1e-6, atol=1e-9):
        raise InputError(
            f"`{type(model).__name__}` does not predict what its `coef_` give",
            field="model",
            hint=f"{_BY_PREDICTIONS}; or name its `family`",
        )


def _margins(found: Linear) -> npt.NDArray[np.float64]:
    """Scores of rows, one column per block of coefficients."""
    table = np.atleast_2d(found.coef)
    lift = 0.0 if found.intercept is None else np.atleast_1d(found.intercept)
    rows = found.X.to_numpy() if hasattr(found.X, "to_numpy") else found.X
    if not hasattr(rows, "toarray"):
        rows = np.asarray(rows, dtype=np.float64)
    return np.asarray(rows @ table.T + lift, dtype=np.float64)
