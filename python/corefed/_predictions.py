"""What models of any kind say about every row, as arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from corefed._agents import as_floats
from corefed._errors import InputError

#: Losses whose targets are classes.
OF_CLASSES = ("log", "zero-one")


def rows_of(name: str, model: Any, X: Any, y: Any, loss: Any, classes: list[Any]) -> Any:
    """Give what a model says about every row, one column or one per class."""
    if callable(loss):
        found = _evaluated(model, lambda: loss(model, X, y))
    elif loss == "log":
        return np.ascontiguousarray(_shares(name, model, X, classes))
    else:
        found = _predicted(name, model, X, loss)
    if loss == "zero-one":
        order = {label: at for at, label in enumerate(classes)}
        found = [order.get(label, len(classes)) for label in np.asarray(found).tolist()]
    cells = as_floats(found, f"models[{name!r}]")
    if cells.ndim == 2 and cells.shape[1] == 1:
        cells = cells[:, 0]
    if cells.ndim != 1:
        raise InputError(
            f"model {name!r} gives the shape {cells.shape}; one number per row is expected",
            field="models",
        )
    return np.ascontiguousarray(cells.reshape(-1, 1))


def _predicted(name: str, model: Any, X: Any, loss: str) -> Any:
    if _is_module(model):
        if loss in OF_CLASSES:
            raise InputError(
                f"model {name!r} is a PyTorch module, whose outputs may be anything",
                field="loss",
                hint="pass a function: loss=lambda net, X, y: cross_entropy(net(X), y, "
                "reduction='none')",
            )
        return _evaluated(model, lambda: model(_tensor(model, X)))
    if loss == "given" and (hasattr(model, "predict") or callable(model)):
        raise InputError(
            f"model {name!r} is not an array of losses",
            field="models",
            hint="name a loss, or pass a function `loss(model, X, y)`",
        )
    if hasattr(model, "predict"):
        return model.predict(X)
    return _array(model(X)) if callable(model) else _array(model)


def _shares(name: str, model: Any, X: Any, classes: list[Any]) -> npt.NDArray[np.float64]:
    """Probabilities of every class, in our order."""
    if hasattr(model, "predict_proba"):
        told = as_floats(model.predict_proba(X), f"models[{name!r}]")
        shares = np.zeros((len(told), len(classes)))
        for column, label in enumerate(np.asarray(model.classes_).tolist()):
            shares[:, classes.index(label)] = told[:, column]
        return shares
    if hasattr(model, "predict") and not _is_module(model):
        raise InputError(
            f"model {name!r} gives no probabilities",
            field="loss",
            hint="judge its classes with loss='zero-one'",
        )
    shares = as_floats(_predicted(name, model, X, "log"), f"models[{name!r}]")
    if shares.ndim == 1 and len(classes) == 2:
        # One column speaks for the second class, as that of scikit-learn.
        shares = np.column_stack([1.0 - shares, shares])
    if shares.ndim != 2 or shares.shape[1] != len(classes):
        raise InputError(
            f"model {name!r} gives the shape {shares.shape}; one probability per row and class "
            f"is expected, in the order {classes}",
            field="models",
        )
    return shares


def classes_of(models: Mapping[str, Any], target: npt.NDArray[Any]) -> list[Any]:
    """All classes that rows have or models know, sorted."""
    known = [np.asarray(m.classes_) for m in models.values() if hasattr(m, "classes_")]
    try:
        found: list[Any] = np.unique(np.concatenate([target, *known])).tolist()
    except TypeError as error:
        raise InputError(
            f"the classes of y and of models do not compare: {error}", field="y"
        ) from None
    if len(found) < 2:
        raise InputError(f"y holds one class only, {found}", field="y")
    return found


def targets_of(target: npt.NDArray[Any], kind: Any, classes: list[Any]) -> npt.NDArray[np.float64]:
    if kind in OF_CLASSES:
        order = {label: float(at) for at, label in enumerate(classes)}
        return np.array([order[label] for label in target.tolist()])
    if kind == "given":
        return np.zeros(len(target))
    numbers = as_floats(target, "y")
    usable = np.isfinite(numbers) & ((numbers >= 0.0) | (kind != "poisson"))
    if not usable.all():
        row = int(np.flatnonzero(~usable)[0])
        raise InputError(
            f"row {row}: the target is `{numbers[row]}`, which has no {kind} loss", field="y"
        )
    return np.ascontiguousarray(numbers)


def _is_module(model: Any) -> bool:
    """Whether this is a PyTorch module; who has one has imported PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def _tensor(model: Any, X: Any) -> Any:
    import torch

    first = next(model.parameters(), None)
    if first is None:
        return torch.as_tensor(X)
    return torch.as_tensor(X, dtype=first.dtype, device=first.device)


def _evaluated(model: Any, work: Callable[[], Any]) -> Any:
    """Call a function; a PyTorch module is in evaluation meanwhile, without gradients."""
    if not _is_module(model):
        return _array(work())
    import torch

    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            return _array(work())
    finally:
        model.train(training)


def _array(values: Any) -> Any:
    """An array where this is a tensor."""
    return values.detach().cpu().numpy() if hasattr(values, "detach") else values
