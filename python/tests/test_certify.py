"""Exact audits of predictors on arrays, and checks of their certificates."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import corefed


def federation(seed=0, agents=3, rows=40, classes=2):
    """Agents whose rows disagree."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(agents * rows, 2))
    groups = np.repeat([f"site {k}" for k in range(agents)], rows)
    tilt = np.repeat(rng.normal(size=(agents, 2)), rows, axis=0)
    score = (X * (tilt + 1)).sum(axis=1) + rng.normal(size=len(X))
    if classes is None:
        return X, score, groups
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes)), groups


def test_a_regression_of_scikit_learn_can_be_certified():
    X, y, groups = federation(classes=None)
    model = LinearRegression().fit(X, y)
    found = corefed.certify(model, X, y, groups, ceiling="initial:1.5")
    # Utilities from their definition.
    errors = (model.predict(X) - y) ** 2
    for agent, utility, ceiling in zip(found.agents, found.utilities, found.ceilings, strict=True):
        mine = groups == agent
        assert ceiling == pytest.approx(1.5 * np.mean(y[mine] ** 2))
        assert utility == pytest.approx(ceiling - errors[mine].mean())
    assert found.kappa.lo <= found.kappa.hi <= found.headroom * (1 + 1e-9)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_classifiers_are_audited_and_their_certificates_hold(classes, intercept):
    X, y, groups = federation(classes=classes)
    names = np.array(["low", "mid", "top"])[y]
    model = LogisticRegression(fit_intercept=intercept).fit(X, names)
    found = corefed.certify(model, X, names, groups, ceiling=1.6)
    shares = model.predict_proba(X)
    right = shares[np.arange(len(X)), np.searchsorted(model.classes_, names)]
    for agent, utility in zip(found.agents, found.utilities, strict=True):
        assert utility == pytest.approx(1.6 + np.log(right[groups == agent]).mean(), abs=1e-9)
    checked = corefed.verify(found.certificate, X, names, groups)
    assert (checked.status, checked.claim) == ("verified", found.status)
    assert corefed.verify(found.certificate).status == "consistent"
    assert "<table>" in checked._repr_html_()


def test_a_predictor_that_everybody_could_improve_on_is_not_blocked():
    X, y, groups = federation(seed=3, classes=2)
    # Trained on wrong labels, under ceilings that leave little to gain by leaving.
    model = LogisticRegression(C=100).fit(X, 1 - y)
    model.classes_ = np.array([0, 1])
    found = corefed.certify(model, X, y, groups, ceiling="worst", radius=5.0)
    assert (found.status, found.coalition, found.tolerance) == ("improvable", [], 1e-2)
    assert min(found.gains.values()) >= found.everybody.lo > 1.01
    assert corefed.verify(found.certificate, X, y, groups).claim == "improvable"


def test_a_blocked_predictor_comes_with_a_witness_that_gains():
    X, y, groups = federation(seed=3, classes=2)
    # A predictor that serves the first site alone, under ceilings that leave the last one little.
    own = groups == "site 0"
    model = LogisticRegression(C=100).fit(X[own], y[own])
    found = corefed.certify(model, X, y, groups, ceiling=1.2, radius=8.0)
    assert found.status == "blocked"
    coef, intercept = found.rival[:-1], found.rival[-1]
    margins = X @ coef + intercept
    losses = np.logaddexp(0, np.where(y == 1, -margins, margins))
    share = len(found.coalition) / 3
    for agent, gain in found.gains.items():
        at = found.agents.index(agent)
        utility = found.ceilings[at] - losses[groups == agent].mean()
        assert utility / found.utilities[at] == pytest.approx(gain, rel=1e-9)
        assert share * gain > 1
    assert corefed.verify(found.certificate, X, y, groups).claim == "blocked"


def test_the_theorys_counterexample_is_blocked_by_one_agent():
    """Losses t^2 and (t-1)^2 under a ceiling of 0.4: at t = 1/2 kappa is 4/3, not 1."""
    X, y, groups = np.ones((2, 1)), np.array([0.0, 1.0]), ["a", "b"]
    half = (np.array([0.5]), None)
    found = corefed.certify(half, X, y, groups, family="linear", ceiling=0.4)
    assert found.status == "blocked"
    assert len(found.coalition) == 1
    assert found.kappa.lo == pytest.approx(4 / 3, rel=1e-6)
    wide = corefed.certify(half, X, y, groups, family="linear", ceiling=0.5)
    assert wide.status == "stable"


def test_changed_data_and_forged_claims_are_refused():
    X, y, groups = federation()
    model = LogisticRegression().fit(X, y)
    found = corefed.certify(model, X, y, groups)
    changed = X.copy()
    changed[0, 0] += 1e-9
    with pytest.raises(corefed.CertificateError, match="refused"):
        corefed.verify(found.certificate, changed, y, groups)
    forged = found.certificate.to_dict()
    forged = json.loads(json.dumps(forged))
    forged["agents"][0]["utility"] += 0.01
    with pytest.raises(corefed.CertificateError, match="refused"):
        corefed.verify(forged, X, y, groups)
    with pytest.raises(corefed.CertificateError):
        corefed.verify({"format": "something"})
    with pytest.raises(corefed.CertificateError, match="not JSON"):
        corefed.verify("{")


def test_certificates_are_files_like_those_of_the_command(tmp_path):
    X, y, groups = federation()
    found = corefed.certify(LogisticRegression().fit(X, y), X, y, groups)
    path = tmp_path / "c.json"
    found.certificate.save(path)
    assert corefed.Certificate.load(path) == found.certificate
    assert corefed.verify(path, X, y, groups).status == "verified"
    with pytest.raises(corefed.CertificateError, match="cannot read"):
        corefed.verify(tmp_path / "missing.json")


def test_the_certificate_of_a_run_is_verified_on_its_file(tmp_path):
    done = corefed.run("hospitals", out=tmp_path / "run", progress=False)
    checked = corefed.verify(done.certificate, data=tmp_path / "run" / "federation.csv")
    assert checked.status == "verified"
    assert len(checked.to_pandas()) == len(checked.checked) + len(checked.not_checked)
    (tmp_path / "other.csv").write_text("hospital,disease\na,1\n")
    with pytest.raises(corefed.CertificateError, match="refused"):
        corefed.verify(done.certificate, data=tmp_path / "other.csv")


HOSTILE = {
    "a cell that is not a number": ({"X": np.array([["a", "b"]] * 120)}, "X"),
    "a cell that is missing": ({"X": np.full((120, 2), np.nan)}, "X"),
    "one column": ({"X": np.zeros(120)}, "X"),
    "no rows": ({"X": np.zeros((0, 2)), "y": [], "groups": []}, "X"),
    "too few labels": ({"y": [0, 1]}, "y"),
    "too few owners": ({"groups": ["a"]}, "agents"),
    "owners that are nobody": ({"groups": np.full(120, np.nan)}, "agents"),
    "a class nobody knows": ({"y": np.repeat([0, 1, 7], 40)}, "y"),
    "a radius of zero": ({"radius": 0.0}, "radius"),
    "parameters outside the ball": ({"radius": 0.01}, "radius"),
    "negative ridge": ({"l2": -1.0}, "l2"),
    "no such ceiling": ({"ceiling": "wurst"}, "ceiling"),
    "too few ceilings": ({"ceiling": [1.0]}, "ceiling"),
    "a ceiling of zero": ({"ceiling": [1.0, 1.0, 0.0]}, "ceiling"),
    "no such weights": ({"weights": "size"}, "weights"),
    "a weight of zero": ({"weights": [1.0, 0.0, 1.0]}, "weights"),
    "no tolerance": ({"tolerance": 0.0}, "tolerance"),
    "no model": ({"model": object()}, "model"),
    "a pair without a family": ({"model": (np.zeros(2), 0.0)}, "family"),
    "a pair of another size": ({"model": (np.zeros(3), 0.0), "family": "logistic"}, "model"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_audited_is_refused_by_name(case):
    given, field = HOSTILE[case]
    X, y, groups = federation()
    model = LogisticRegression().fit(X, y)
    with pytest.raises(corefed.InputError) as caught:
        corefed.certify(**({"model": model, "X": X, "y": y, "groups": groups} | given))
    assert caught.value.field == field
