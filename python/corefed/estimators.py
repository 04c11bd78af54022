"""Estimators of scikit-learn that no coalition of data owners wants to leave."""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import d2_tweedie_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from corefed._certificate import Certificate
from corefed._certify import audited, terms_of
from corefed._data import Data, dense, read
from corefed._errors import BallWarning, CorefedError, InputError
from corefed._families import family_of_classes
from corefed._owners import apart, chosen, names_of, warn_alone
from corefed._verdict import Verdict

__all__ = ["CoreClassifier", "CorePoissonRegressor", "CoreRegressor"]

#: Which optimum.
OptimumName: TypeAlias = Literal["core", "utilitarian", "egalitarian"]


class _CoreEstimator(BaseEstimator):  # type: ignore[misc]
    """What both estimators share: parameters, the solver and the audit."""

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


class CoreClassifier(ClassifierMixin, _CoreEstimator):  # type: ignore[misc]
    """Logistic or softmax regression among agents who own the rows.

    Under the rule ``core`` it maximises the sum of the logs of the agents' utilities, ceiling minus
    mean loss: the predictor that no coalition wants to leave where the theorem's premise holds, and
    the audit says whether it does. Without agents there is one, and every rule is ordinary
    regression in a ball, which a warning says.

    Parameters
    ----------
    rule
        ``core``, ``utilitarian`` (largest weighted sum of utilities) or ``egalitarian`` (largest
        smallest utility).
    ceiling
        The loss at which an agent gets nothing; see :func:`corefed.certify`.
    radius
        Parameters lie in a ball of this radius, intercepts included.
    l2
        Ridge: ``(l2/2) |parameters|^2`` in every agent's loss, intercepts included.
    weights
        The say of each agent: ``None`` for equal, ``"samples"``, a list in order of first
        appearance, or a dictionary.
    audit_weights
        Their say in the audit, where it is another: a model fitted by ``weights="samples"``, as
        FedAvg, is audited with an equal say by ``audit_weights="equal"``. ``None`` for `weights`.
    fit_intercept
        Whether to fit an intercept.
    audit
        Whether to audit the optimum and issue a certificate.
    tolerance
        Gains up to this do not count in the verdict; small, because the model is an optimum.
    time_limit
        Seconds the audit may search.

    Attributes
    ----------
    coef_, intercept_
        As those of scikit-learn's logistic regression.
    classes_
        The classes.
    utilities_, losses_, ceilings_
        By agent.
    verdict_, certificate_
        What the audit found; ``None`` for a single agent or without `audit`.
    n_features_in_
        Number of features.
    """

    def fit(
        self, X: Any, y: Any, agents: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> CoreClassifier:
        """Fit to rows `X` with labels `y`, owned by `agents`; `sample_weight` counts rows.

        `groups` is another name for `agents`.
        """
        X, agents = apart(X, chosen(agents, groups))
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        X = dense(X)
        check_classification_targets(y)
        sample_weight = self._check_weights(sample_weight, X)
        self.classes_ = np.unique(y if sample_weight is None else y[sample_weight > 0])
        if len(self.classes_) < 2:
            raise InputError(
                f"y holds one class only, {self.classes_.tolist()}; a classifier needs two",
                field="y",
            )
        family = family_of_classes(len(self.classes_))
        agents = self._check_agents(agents, len(X))
        found = self._fit(X, y, agents, sample_weight, family.name, self.classes_)
        self.coef_, self.intercept_ = self._split(found)
        return self

    def decision_function(self, X: Any) -> Any:
        """Give margins: one per row for two classes, one per row and class for more."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        margins = X @ self.coef_.T + self.intercept_
        return margins[:, 0] if len(self.classes_) == 2 else margins

    def predict_proba(self, X: Any) -> Any:
        """Give the probability of every class."""
        margins = self.decision_function(X)
        if margins.ndim == 1:
            margins = np.column_stack([np.zeros_like(margins), margins])
        margins = margins - margins.max(axis=1, keepdims=True)
        shares = np.exp(margins)
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:
        """Give the likeliest class."""
        margins = self.decision_function(X)
        best = (margins > 0).astype(int) if margins.ndim == 1 else margins.argmax(axis=1)
        return self.classes_[best]


class CoreRegressor(RegressorMixin, _CoreEstimator):  # type: ignore[misc]
    """Least squares among agents who own the rows.

    As :class:`CoreClassifier`, whose parameters it shares, with the squared error as loss. Targets
    are taken in their units: standardise them, or choose `radius` to suit.

    Attributes
    ----------
    coef_, intercept_
        As those of scikit-learn's linear regression.
    utilities_, losses_, ceilings_
        By agent.
    verdict_, certificate_
        What the audit found; ``None`` for a single agent or without `audit`.
    n_features_in_
        Number of features.
    """

    def fit(
        self, X: Any, y: Any, agents: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> CoreRegressor:
        """Fit to rows `X` with targets `y`, owned by `agents`; `sample_weight` counts rows.

        `groups` is another name for `agents`.
        """
        X, agents = apart(X, chosen(agents, groups))
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr", y_numeric=True)
        X = dense(X)
        sample_weight = self._check_weights(sample_weight, X)
        agents = self._check_agents(agents, len(X))
        found = self._fit(X, y, agents, sample_weight, "linear", None)
        coef, intercept = self._split(found)
        self.coef_, self.intercept_ = coef[0], float(intercept[0])
        return self

    def predict(self, X: Any) -> Any:
        """Give predictions."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        return X @ self.coef_ + self.intercept_


class CorePoissonRegressor(RegressorMixin, _CoreEstimator):  # type: ignore[misc]
    """Poisson regression of counts among agents who own the rows.

    As :class:`CoreClassifier`, whose parameters it shares. The log of the mean count is linear in
    the features, plus the log of the `exposure` (time at risk, persons, area) where rows have one;
    the loss is half the Poisson deviance. Targets are counts or means of counts, zero or more.

    Attributes
    ----------
    coef_, intercept_
        As those of scikit-learn's Poisson regression.
    utilities_, losses_, ceilings_
        By agent.
    verdict_, certificate_
        What the audit found; ``None`` for a single agent or without `audit`.
    n_features_in_
        Number of features.
    """

    def fit(
        self,
        X: Any,
        y: Any,
        agents: Any = None,
        sample_weight: Any = None,
        exposure: Any = None,
        groups: Any = None,
    ) -> CorePoissonRegressor:
        """Fit to counts `y`, observed for `exposure`, owned by `agents`.

        `groups` is another name for `agents`.
        """
        X, agents = apart(X, chosen(agents, groups))
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr", y_numeric=True)
        X = dense(X)
        sample_weight = self._check_weights(sample_weight, X)
        agents = self._check_agents(agents, len(X))
        found = self._fit(X, y, agents, sample_weight, "poisson", None, exposure)
        coef, intercept = self._split(found)
        self.coef_, self.intercept_ = coef[0], float(intercept[0])
        return self

    def predict(self, X: Any, exposure: Any = None) -> Any:
        """Give mean counts, for an exposure of one unless told."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        rates = np.exp(X @ self.coef_ + self.intercept_)
        return rates if exposure is None else rates * np.asarray(exposure, dtype=np.float64)

    def score(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> float:
        """Give the share of the deviance that is explained."""
        means = self.predict(X, exposure)
        return float(d2_tweedie_score(y, means, sample_weight=sample_weight, power=1))

    def __sklearn_tags__(self) -> Any:
        """Targets are not negative."""
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags
