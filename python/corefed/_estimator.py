"""What all estimators share: parameters, the solver and the audit."""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight

from corefed._certificate import Certificate
from corefed._certify import audited, terms_of
from corefed._data import Data, read
from corefed._errors import BallWarning, CorefedError
from corefed._owners import names_of, warn_alone
from corefed._verdict import Verdict

#: Which optimum.
OptimumName: TypeAlias = Literal["core", "utilitarian", "egalitarian"]


class CoreEstimator(BaseEstimator):  # type: ignore[misc]
    """Solves, audits and keeps what was found."""

    # A splitter's `groups` are not the owners of rows unless somebody says so.
    __metadata_request__fit = {"groups": False}  # noqa: RUF012 - read by scikit-learn

    def __init__(
        self,
        *,
        rule: OptimumName = "core",
        ceiling: Any = "initial:1.5",
        radius: float = 10.0,
        l2: float = 0.0,
        weights: Any = None,
        audit_weights: Any = None,
        fit_intercept: bool = True,
        audit: bool = True,
        tolerance: float = 1e-6,
        time_limit: float = 10.0,
    ) -> None:
        self.rule = rule
        self.ceiling = ceiling
        self.radius = radius
        self.l2 = l2
        self.weights = weights
        self.audit_weights = audit_weights
        self.fit_intercept = fit_intercept
        self.audit = audit
        self.tolerance = tolerance
        self.time_limit = time_limit

    def _fit(
        self,
        X: npt.NDArray[np.float64],
        y: Any,
        agents: Any,
        sample_weight: Any,
        family: str,
        classes: Any,
        exposure: Any = None,
    ) -> npt.NDArray[np.float64]:
        """Solve and audit; gives one row of parameters per block, the intercept last."""
        names = getattr(self, "feature_names_in_", None)
        data = read(
            X,
            y,
            agents,
            family,
            intercept=self.fit_intercept,
            classes=classes,
            features=None if names is None else [str(name) for name in names],
            sample_weight=sample_weight,
            exposure=exposure,
        )
        terms = terms_of(data, self.l2, self.radius, self.weights, self.ceiling)
        say = terms_of(data, self.l2, self.radius, self.audit_weights, self.ceiling)["weights"]
        try:
            found = data.rows.solve(terms, self.rule)
        except CorefedError as error:
            raise data.named(error) from None
        self.family_ = family
        self.agents_ = data.agents
        self.utilities_ = dict(zip(data.agents, found.utilities, strict=True))
        self.losses_ = dict(zip(data.agents, found.losses, strict=True))
        self.ceilings_ = dict(zip(data.agents, found.ceilings, strict=True))
        self.n_iter_ = max(1, found.iterations)
        self.gap_ = found.gap
        if found.norm > self.radius * (1.0 - 1e-6):
            warnings.warn(
                f"the best parameters lie on the ball of radius {self.radius}; standardise the "
                "features (and the target), or enlarge `radius`",
                BallWarning,
                stacklevel=3,
            )
        width = len(data.features) + bool(self.fit_intercept)
        parameters = found.parameters.reshape(-1, width)
        if self.l2 == 0.0:
            kept = slice(None) if sample_weight is None else sample_weight > 0
            parameters = _smallest(parameters, X[kept], self.fit_intercept)
        fixed = {"ceiling": found.ceilings}
        if self.audit_weights is not None:
            fixed["weights"] = say
        self._judge(data, parameters.reshape(-1), terms | fixed)
        return parameters

    def _judge(self, data: Data, parameters: Any, terms: dict[str, Any]) -> None:
        """Audit, where there are coalitions to speak of."""
        self.verdict_: Verdict | None = None
        self.certificate_: Certificate | None = None
        if self.audit and len(data.agents) > 1:
            self.verdict_ = audited(data, parameters, terms, self.tolerance, self.time_limit)
            self.certificate_ = self.verdict_.certificate

    def _split(self, parameters: npt.NDArray[np.float64]) -> tuple[Any, Any]:
        if self.fit_intercept:
            return parameters[:, :-1].copy(), parameters[:, -1].copy()
        return parameters, np.zeros(len(parameters))

    def _check_weights(self, sample_weight: Any, X: npt.NDArray[np.float64]) -> Any:
        if sample_weight is None:
            return None
        return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are taken, and made dense."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_agents(self, agents: Any, rows: int) -> Any:
        """Agents of the rows; a fit without any is warned of."""
        warn_alone(agents)
        return None if agents is None else names_of(agents, rows)


def _smallest(
    parameters: npt.NDArray[np.float64], X: npt.NDArray[np.float64], intercept: bool
) -> npt.NDArray[np.float64]:
    """Of all parameters that predict the same, those with the smallest norm.

    Without a ridge they are not unique for softmax, where a shift of all classes changes nothing,
    nor where rows are fewer than parameters.
    """
    if len(parameters) > 1:
        parameters = parameters - parameters.mean(axis=0)
    if len(X) < parameters.shape[1]:
        rows = np.column_stack([X, np.ones(len(X))]) if intercept else X
        found = np.linalg.lstsq(rows, rows @ parameters.T)[0]
        parameters = np.asarray(found.T, dtype=np.float64)
    return parameters
