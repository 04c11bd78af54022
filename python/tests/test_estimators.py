"""The estimators: scikit-learn's own suite, the optimum, and what an audit adds."""

import pickle

import numpy as np
import pytest
from core import log_welfare
from sklearn import set_config
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_certify import federation

import corefed
from corefed import CoreClassifier, CorePoissonRegressor, CoreRegressor

ESTIMATORS = [
    CoreClassifier(),
    CoreRegressor(),
    CoreClassifier(rule="egalitarian"),
    # Some checks have rows as long as a hundred, and exp(10 * 100) is not a number.
    CorePoissonRegressor(radius=2.0),
]


@pytest.mark.filterwarnings("ignore::corefed.BallWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def test_without_groups_it_is_ordinary_regression():
    X, y, _ = federation(classes=None)
    ours, theirs = CoreRegressor().fit(X, y), LinearRegression().fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)
    assert ours.certificate_ is None


@pytest.mark.parametrize("classes", [2, 3])
def test_without_groups_it_is_ordinary_classification(classes):
    X, y, _ = federation(classes=classes, rows=200)
    ours = CoreClassifier(radius=50.0).fit(X, y)
    theirs = LogisticRegression(C=1e10, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(X).shape, theirs.decision_function(X).shape)


class Losses:
    """What the reference optimum asks of a federation: logistic losses of three sites."""

    def __init__(self, X, y, groups):
        ones = np.column_stack([X, np.ones(len(X))])
        self.parts = [(ones[groups == g], y[groups == g]) for g in dict.fromkeys(groups)]
        self.dim = ones.shape[1]

    def losses(self, theta):
        return np.array([self.loss_and_gradient(k, theta)[0] for k in range(len(self.parts))])

    def loss_and_gradient(self, agent, theta):
        X, y = self.parts[agent]
        margins = X @ theta
        loss = np.logaddexp(0, np.where(y == 1, -margins, margins)).mean()
        return loss, X.T @ (1 / (1 + np.exp(-margins)) - y) / len(y)


def test_the_core_rule_reaches_the_largest_log_welfare():
    X, y, groups = federation(seed=5)
    model = CoreClassifier(ceiling=1.2, weights={"site 0": 1, "site 1": 2, "site 2": 3})
    model.fit(X, y, groups=groups)
    data, weights = Losses(X, y, groups), np.array([1.0, 2.0, 3.0])
    theta = np.append(model.coef_[0], model.intercept_)
    found = log_welfare(1.2 - data.losses(theta), weights)
    np.testing.assert_allclose(list(model.utilities_.values()), 1.2 - data.losses(theta))
    rng = np.random.default_rng(1)
    for scale in [1e-1, 1e-2, 1e-3]:
        for step in rng.normal(size=(50, 3)) * scale:
            assert log_welfare(1.2 - data.losses(theta + step), weights) <= found + 1e-12


def test_rules_differ_as_they_should():
    X, y, groups = federation(seed=6)
    fitted = {
        rule: CoreClassifier(rule=rule, ceiling=1.5).fit(X, y, groups=groups).utilities_
        for rule in ["core", "utilitarian", "egalitarian"]
    }
    values = {rule: np.array(list(u.values())) for rule, u in fitted.items()}
    assert values["utilitarian"].sum() >= values["core"].sum() - 1e-9
    assert values["core"].sum() >= values["egalitarian"].sum() - 1e-9
    assert values["egalitarian"].min() >= values["core"].min() - 1e-9
    logs = {rule: np.log(u).sum() for rule, u in values.items()}
    assert logs["core"] >= max(logs.values()) - 1e-12


def test_the_optimum_is_audited_and_its_certificate_holds():
    X, y, groups = federation()
    model = CoreClassifier(ceiling="worst", radius=2.0).fit(X, y, groups=groups)
    assert model.verdict_.status == "stable"
    assert corefed.verify(model.certificate_, X, y, groups).status == "verified"
    assert CoreClassifier(audit=False).fit(X, y, groups=groups).certificate_ is None


def test_estimators_work_in_pipelines_searches_and_pickles():
    X, y, groups = federation(rows=30)
    set_config(enable_metadata_routing=True)
    try:
        model = CoreClassifier(audit=False).set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), model)
        search = GridSearchCV(
            pipeline, {"coreclassifier__radius": [1.0, 10.0]}, cv=GroupKFold(n_splits=3)
        )
        search.fit(X, y, groups=groups)
        best = search.best_estimator_[-1]
        assert set(best.utilities_) == {"site 0", "site 1", "site 2"}
        again = pickle.loads(pickle.dumps(search))
        np.testing.assert_array_equal(again.predict(X), search.predict(X))
        assert clone(model).get_params() == model.get_params()
    finally:
        set_config(enable_metadata_routing=False)


def test_a_ball_that_binds_is_told():
    X, y, _ = federation(classes=None)
    with pytest.warns(corefed.BallWarning, match="radius 0.1"):
        CoreRegressor(radius=0.1).fit(X, y)


def test_ceilings_that_nobody_can_live_with_are_refused_by_name():
    X, y, groups = federation(classes=None)
    with pytest.raises(corefed.InfeasibleError, match="positive utility") as caught:
        CoreRegressor(ceiling=1e-6).fit(X, y, groups=groups)
    assert caught.value.agent in set(groups)
    assert "raise the ceilings" in caught.value.hint


def test_no_such_rule():
    X, y, groups = federation()
    with pytest.raises(corefed.InputError, match="no rule `nash`"):
        CoreClassifier(rule="nash").fit(X, y, groups=groups)


@pytest.mark.parametrize("estimator", [CoreClassifier, CoreRegressor])
def test_a_row_that_counts_twice_is_a_row_that_is_there_twice(estimator):
    X, y, groups = federation(classes=3 if estimator is CoreClassifier else None)
    counts = np.random.default_rng(2).integers(0, 3, len(X))
    weighted = estimator(ceiling="constant:1.5").fit(X, y, groups, sample_weight=counts)
    repeated = estimator(ceiling="constant:1.5").fit(
        *(np.repeat(part, counts, axis=0) for part in (X, y, groups))
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)
    assert weighted.utilities_ == pytest.approx(repeated.utilities_, abs=1e-9)
    checked = corefed.verify(weighted.certificate_, X, y, groups, sample_weight=counts)
    assert checked.status == "verified"
    with pytest.raises(corefed.CertificateError, match="refused"):
        corefed.verify(weighted.certificate_, X, y, groups, sample_weight=counts + 1)
