"""Owners of rows: under either name, never missing, through searches; and who is weighed how."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_certify import federation

import corefed
from corefed import CoreClassifier, CoreRegressor

X, y, agents = federation()


def test_agents_and_groups_are_the_same():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = CoreClassifier().fit(X, y, agents=agents)
        theirs = CoreClassifier().fit(X, y, groups=agents)
        third = CoreClassifier().fit(X, y, agents)
    assert ours.utilities_ == theirs.utilities_ == third.utilities_
    with pytest.raises(corefed.InputError, match="two names"):
        CoreClassifier().fit(X, y, agents=agents, groups=agents)
    found = corefed.certify(ours, X, y, groups=agents)
    assert corefed.verify(found.certificate, X, y, agents=agents).status == "verified"


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_owners_may_be_a_column(library):
    table = library.DataFrame({"a": X[:, 0], "b": X[:, 1], "site": agents})
    rest = table.drop(columns="site") if library is pd else table.drop("site")
    ours = CoreClassifier().fit(table, y, agents="site")
    assert ours.utilities_ == CoreClassifier().fit(rest, y, agents=agents).utilities_
    assert list(ours.feature_names_in_) == ["a", "b"]
    found = corefed.certify(ours, table, y, "site")
    assert corefed.verify(found.certificate, table, y, "site").status == "verified"
    models = {"core": ours, "none": np.zeros(len(X), dtype=int)}
    judged = corefed.audit_models(models, table, y, "site", loss="zero-one")
    assert judged.losses["agent"] == found.agents
    with pytest.raises(corefed.InputError, match="no column"):
        CoreClassifier().fit(table, y, agents="sight")


def test_a_fit_without_owners_warns():
    with pytest.warns(corefed.AgentsWarning, match="one agent"):
        CoreClassifier().fit(X, y)
    # A splitter's groups do not reach the fit, which is what the warning is for.
    with pytest.warns(corefed.AgentsWarning):
        GridSearchCV(CoreClassifier(), {"l2": [0.1]}, cv=GroupKFold(3)).fit(X, y, groups=agents)


def test_owners_reach_the_fit_of_a_search():
    cv = StratifiedKFold(3, shuffle=True, random_state=1)
    search = GridSearchCV(CoreClassifier(), {"l2": [0.1, 0.2]}, cv=cv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.fit(X, y, agents=agents)
        pipe = make_pipeline(StandardScaler(), CoreClassifier())
        pipe.fit(X, y, coreclassifier__agents=agents)
    assert len(search.best_estimator_.agents_) == len(pipe[-1].agents_) == 3


def test_metadata_is_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        model = CoreClassifier().set_fit_request(agents=True)
        pipe = make_pipeline(StandardScaler(), model)
        search = GridSearchCV(pipe, {"coreclassifier__l2": [0.1, 0.2]}, cv=GroupKFold(3))
        search.fit(X, y, agents=agents, groups=np.arange(len(X)) % 3)
        assert search.best_estimator_[-1].agents_ == list(dict.fromkeys(agents))
        scores = cross_validate(model, X, y, params={"agents": agents}, return_estimator=True)
        assert all(found.verdict_ is not None for found in scores["estimator"])


@pytest.mark.parametrize(
    "missing",
    [
        pd.Series(["a", None] * 60),
        pd.Series(["a", None] * 60, dtype="string"),
        pd.Series(["a", np.nan] * 60, dtype=object),
        pd.Categorical(["a", None] * 60),
        np.array([1.0, np.nan] * 60),
        [None, "a"] * 60,
    ],
    ids=["str", "string", "object", "categorical", "float", "list"],
)
def test_rows_of_nobody_are_refused(missing):
    for call in (
        lambda: CoreClassifier().fit(X, y, agents=missing),
        lambda: corefed.certify((np.zeros(2), 0.0), X, y, missing, family="logistic"),
        lambda: corefed.audit_models({"a": y, "b": y}, X, y, missing, loss="zero-one"),
    ):
        with pytest.raises(corefed.InputError, match="belongs to nobody") as error:
            call()
        assert error.value.field == "agents"


def test_sparse_rows_are_fitted_as_dense_ones():
    thin = X * (np.abs(X) > 0.5)
    dense = CoreClassifier().fit(thin, y, agents)
    for kind in (sparse.csr_matrix, sparse.csc_array):
        found = CoreClassifier().fit(kind(thin), y, agents)
        np.testing.assert_array_equal(found.coef_, dense.coef_)
        np.testing.assert_allclose(found.predict_proba(kind(thin)), dense.predict_proba(thin))
    huge = sparse.csr_matrix((100_000, 100_000))
    with pytest.raises(corefed.InputError, match="sparse"):
        corefed.certify((np.zeros(2), 0.0), huge, np.zeros(100_000), y, family="linear")


def test_a_model_by_samples_is_audited_with_an_equal_say():
    _, target, _ = federation(classes=None)
    owners = np.array(["large"] * 100 + ["small"] * 20)
    averaged = CoreRegressor(rule="utilitarian", weights="samples", ceiling=9.0)
    fair = CoreRegressor(
        rule="utilitarian", weights="samples", audit_weights="equal", ceiling=9.0
    ).fit(X, target, owners)
    averaged.fit(X, target, owners)
    np.testing.assert_array_equal(averaged.coef_, fair.coef_)
    assert averaged.verdict_.weights.tolist() == [100.0, 20.0]
    assert fair.verdict_.weights.tolist() == [1.0, 1.0]
    again = corefed.certify(fair, X, target, owners, ceiling=9.0, tolerance=1e-6)
    assert again.kappa == fair.verdict_.kappa
