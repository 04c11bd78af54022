"""Audits of models of any kind: scikit-learn's, boosted trees, functions, arrays of losses."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.metrics import log_loss, mean_poisson_deviance, mean_squared_error, zero_one_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from test_certify import federation

import corefed

X, y, agents = federation(classes=3, rows=60)
NAMES = np.array(["low", "mid", "top"])[y]


def by_agent(metric, found, targets, predictions):
    """Losses by scikit-learn's metric, in the order of agents."""
    return [metric(targets[agents == a], predictions[agents == a]) for a in found.losses["agent"]]


@pytest.fixture(scope="module")
def fitted():
    return {
        "lr": make_pipeline(StandardScaler(), LogisticRegression()).fit(X, NAMES),
        "boosted": GridSearchCV(
            HistGradientBoostingClassifier(max_iter=5), {"max_depth": [2, 3]}, cv=3
        ).fit(X, NAMES),
        "forest": RandomForestClassifier(10, random_state=1).fit(X, NAMES),
    }


def test_log_losses_are_those_of_scikit_learn(fitted):
    found = corefed.audit_models(fitted, X, NAMES, agents, loss="log", clip=1e-3, ceiling=2.0)
    for name in ("lr", "boosted"):
        shares = fitted[name].predict_proba(X)

        def metric(targets, own):
            return log_loss(targets, own, labels=["low", "mid", "top"])

        assert shares.min() > 1e-3
        np.testing.assert_allclose(found.losses[name], by_agent(metric, found, NAMES, shares))
    # Verdicts are those of an audit of the same utilities.
    table = {name: 2.0 - found.losses[name] for name in fitted}
    for name, verdict in found.items():
        rivals = {other: own for other, own in table.items() if other != name}
        again = corefed.audit(dict(zip(verdict.agents, table[name], strict=True)), rivals)
        assert (verdict.status, verdict.coalition) == (again.status, again.coalition)
        assert verdict.kappa.lo == pytest.approx(again.kappa.lo, rel=1e-12)
    assert found.stable
    assert set(found.to_pandas().columns) >= {"status", "kappa", "rival"}
    assert "forest" in repr(found)
    assert "<table>" in found._repr_html_()


def test_classes_and_the_default_ceiling(fitted):
    found = corefed.audit_models(fitted, X, NAMES, agents, loss="zero-one")
    for name, model in fitted.items():
        wanted = by_agent(zero_one_loss, found, NAMES, model.predict(X))
        np.testing.assert_allclose(found.losses[name], wanted)
    shares = {a: np.mean(NAMES[agents == a, None] == np.unique(NAMES), axis=0) for a in set(agents)}
    best = np.argmax(sum(shares.values()))
    wanted = [1.5 * (1.0 - shares[a][best]) for a in found.losses["agent"]]
    np.testing.assert_allclose(found.losses["ceiling"], wanted)


def test_boosted_trees_of_lightgbm_are_judged():
    lightgbm = pytest.importorskip("lightgbm")
    models = {
        "leaves": lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, NAMES),
        "lr": LogisticRegression().fit(X, NAMES),
    }
    found = corefed.audit_models(models, X, NAMES, agents, loss="log")
    shares = models["leaves"].predict_proba(X)
    wanted = by_agent(lambda t, p: log_loss(t, p, labels=np.unique(NAMES)), found, NAMES, shares)
    np.testing.assert_allclose(found.losses["leaves"], wanted)


def test_networks_of_pytorch_are_judged_by_a_loss_of_ones_own():
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    rows = torch.as_tensor(X, dtype=torch.float32)
    labels = torch.as_tensor(np.searchsorted(np.unique(NAMES), NAMES))
    net = torch.nn.Sequential(
        torch.nn.Linear(X.shape[1], 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 3)
    )
    plain = torch.nn.Linear(X.shape[1], 3)

    def loss(model, rows, wanted):
        assert not model.training
        assert not torch.is_grad_enabled()
        return torch.nn.functional.cross_entropy(model(rows), wanted, reduction="none")

    found = corefed.audit_models(
        {"net": net, "plain": plain}, rows, labels, agents, loss=loss, ceiling=9.0
    )
    with torch.no_grad():
        margins = net.eval()(rows).double().numpy()
    shares = np.exp(margins) / np.exp(margins).sum(axis=1, keepdims=True)
    own = -np.log(shares[np.arange(len(X)), labels.numpy()])
    wanted = [own[agents == agent].mean() for agent in found.losses["agent"]]
    np.testing.assert_allclose(found.losses["net"], wanted, rtol=1e-5)


def test_functions_arrays_and_losses_are_models_too():
    _, target, _ = federation(classes=None, rows=60)
    ridge = Ridge().fit(X, target)
    models = {"ridge": ridge, "function": lambda rows: rows[:, 0], "array": np.zeros(len(X))}
    found = corefed.audit_models(models, X, target, agents, loss="squared", weights="samples")
    for name, own in [("ridge", ridge.predict(X)), ("function", X[:, 0]), ("array", 0 * target)]:
        wanted = by_agent(mean_squared_error, found, target, own)
        np.testing.assert_allclose(found.losses[name], wanted)
    errors = {"ridge": (ridge.predict(X) - target) ** 2, "array": target**2}
    given = corefed.audit_models(errors, None, target, agents, loss="given", ceiling=9.0)
    np.testing.assert_allclose(given.losses["ridge"], found.losses["ridge"])

    def loss(model, rows, wanted):
        return np.abs(model(rows) - wanted)

    own = {"first": lambda rows: rows[:, 0], "second": lambda rows: rows[:, 1]}
    told = corefed.audit_models(own, X, target, agents, loss=loss, ceiling=5.0)
    mine = agents == agents[0]
    assert told.losses["second"][0] == pytest.approx(np.abs(X[mine, 1] - target[mine]).mean())


def test_counts_have_deviances():
    counts = np.random.default_rng(1).poisson(2.0, len(X))
    model = PoissonRegressor().fit(X, counts)
    models = {"model": model, "mean": np.full(len(X), counts.mean())}
    found = corefed.audit_models(models, X, counts, agents, loss="poisson")
    wanted = by_agent(mean_poisson_deviance, found, counts, model.predict(X))
    np.testing.assert_allclose(found.losses["model"], np.array(wanted) / 2)


def test_utilities_can_be_taken_to_the_command(fitted, tmp_path):
    found = corefed.audit_models(fitted, X, NAMES, agents, loss="zero-one", ceiling=1.0)
    found.save_utilities(tmp_path / "u.csv")
    lines = (tmp_path / "u.csv").read_text().splitlines()
    assert lines[0].split(",")[1:] == list(found.losses["agent"])
    utilities = [float(cell) for cell in lines[1].split(",")[1:]]
    np.testing.assert_array_equal(utilities, 1.0 - found.losses["lr"])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"loss": "log", "models": {"a": np.eye(3)[0 * y], "b": np.eye(3)[y]}}, "predictions"),
        ({"loss": "given", "ceiling": 1.0}, "models"),
        ({"loss": "wurst"}, "loss"),
        ({"loss": "given", "models": {"a": np.ones(len(y)), "b": np.zeros(len(y))}}, "ceiling"),
        ({"agents": None}, "agents"),
        ({"agents": agents[:-1]}, "agents"),
        ({"models": {}}, "models"),
        ({"weights": "size"}, "weights"),
        ({"tolerance": 0.5}, "tolerance"),
        ({"ceiling": "worst"}, "ceiling"),
        ({"loss": "log", "models": {"a": LinearSVC().fit(X, y), "b": y}}, "loss"),
        ({"loss": "squared"}, "y"),
    ],
)
def test_what_cannot_be_judged_is_named(fitted, change, field):
    known = {"models": fitted, "X": X, "y": NAMES, "agents": agents, "loss": "zero-one"}
    with pytest.raises(corefed.InputError) as error:
        corefed.audit_models(**known | change)
    assert error.value.field == field


def test_certify_looks_through_pipelines_and_searches():
    labels = (y > 0).astype(int)
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(inner, {"logisticregression__C": [0.1, 1.0]}).fit(X, labels)
    best = search.best_estimator_
    direct = corefed.certify(best[-1], best[:-1].transform(X), labels, agents)
    for model in (search, best):
        found = corefed.certify(model, X, labels, agents)
        assert found.kappa == direct.kappa
        np.testing.assert_array_equal(found.utilities, direct.utilities)
    thin = corefed.certify(best[-1], sparse.csr_matrix(best[:-1].transform(X)), labels, agents)
    np.testing.assert_array_equal(thin.utilities, direct.utilities)
    counts = np.random.default_rng(1).poisson(2.0, len(X))
    model = PoissonRegressor().fit(X, counts)
    found = corefed.certify(model, X, counts, agents)
    own = agents == found.agents[0]
    deviance = mean_poisson_deviance(counts[own], model.predict(X)[own]) / 2
    assert found.ceilings[0] - found.utilities[0] == pytest.approx(deviance)


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(),
        SGDClassifier(loss="hinge"),
        SGDClassifier(loss="modified_huber"),
        RidgeClassifier(),
        SVC(kernel="linear"),
        RandomForestClassifier(3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_trained_for_another_loss_are_refused_by_name(model):
    labels = (y > 0).astype(int)
    with pytest.raises(corefed.InputError, match=type(model).__name__) as error:
        corefed.certify(model.fit(X, labels), X, labels, agents)
    assert "audit_models" in error.value.hint
    # A family that is told is believed.
    if isinstance(model, LinearSVC):
        assert corefed.certify(model, X, labels, agents, family="logistic").agents


def test_agents_without_anything_are_explained():
    found = corefed.audit({"a": 1.0, "b": -1.0}, {"same": [1.0, -1.0]})
    assert found.status == "stable"
    assert "b has nothing, because the loss is at the ceiling" in found.explanation


def test_a_regression_is_certified_through_a_pipeline_of_its_own_units():
    _, target, _ = federation(classes=None, rows=60)
    found = corefed.certify(LinearRegression().fit(X, target), X, target, agents, ceiling=9.0)
    pipe = make_pipeline(StandardScaler(), LinearRegression()).fit(X, target)
    again = corefed.certify(pipe, X, target, agents, ceiling=9.0)
    np.testing.assert_allclose(again.utilities, found.utilities, rtol=1e-9)
