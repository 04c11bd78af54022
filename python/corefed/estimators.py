"""Estimators of scikit-learn that no coalition of data owners wants to leave."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import d2_tweedie_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from corefed._data import dense
from corefed._errors import InputError
from corefed._estimator import CoreEstimator
from corefed._families import family_of_classes
from corefed._owners import apart, chosen

__all__ = ["CoreClassifier", "CorePoissonRegressor", "CoreRegressor"]


class CoreClassifier(ClassifierMixin, CoreEstimator):  # type: ignore[misc]
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


class CoreRegressor(RegressorMixin, CoreEstimator):  # type: ignore[misc]
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


class CorePoissonRegressor(RegressorMixin, CoreEstimator):  # type: ignore[misc]
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
